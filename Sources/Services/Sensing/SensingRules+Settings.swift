import Config

extension SensingRules {
    /// The rules that the configuration asks for.
    public init(_ settings: Settings) {
        self.init()
        dutyCycle = settings.dutyCycle
        domains = settings.domains
        commitInterval = settings.store.commitInterval
    }
}
