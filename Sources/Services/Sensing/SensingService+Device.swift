import Config
import Journaling

extension SensingService {
    /// The service as a device runs it: by the rules of the config, noting in the journal and ringing the upload bell.
    public convenience init(
        settings: Settings, devices: any SensingDevices, store: any SensingStore, journal: Journal
    ) {
        self.init(
            rules: SensingRules(settings), devices: devices, store: store, note: { journal.log($0) },
            signal: { journal.signal(.upload(in: settings.wakeFileDirectory)) })
    }
}
