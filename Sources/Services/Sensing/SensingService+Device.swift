import Config
import Journaling

extension SensingService {
    /// The service of a real device: with the rules of the config, the journal for notes and the uploader's wake file.
    public convenience init(
        settings: Settings, devices: any SensingDevices, store: any SensingStore, journal: Journal
    ) {
        self.init(
            rules: SensingRules(settings), devices: devices, store: store, note: { journal.log($0) },
            signal: { journal.signal(.upload(in: settings.wakeFileDirectory)) })
    }
}
