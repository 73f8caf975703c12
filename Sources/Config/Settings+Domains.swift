import Domains
import Signal

// The sections of the domains, by the names that the adapters of their hardware use.
extension Settings {
    public var sedentary: SedentaryRule {
        get { domains[MotionSettings.self].sedentary }
        set { domains[MotionSettings.self].sedentary = newValue }
    }

    public var pulseLine: StepsSettings.PulseLine {
        get { domains[StepsSettings.self].pulseLine }
        set { domains[StepsSettings.self].pulseLine = newValue }
    }

    public var rhythm: RhythmRule {
        get { domains[StepsSettings.self].rhythm }
        set { domains[StepsSettings.self].rhythm = newValue }
    }

    public var companion: ScreenTimeSettings {
        get { domains[ScreenTimeSettings.self] }
        set { domains[ScreenTimeSettings.self] = newValue }
    }

    public var location: LocationSettings {
        get { domains[LocationSettings.self] }
        set { domains[LocationSettings.self] = newValue }
    }

    public var alarm: AlarmSettings {
        get { domains[AlarmSettings.self] }
        set { domains[AlarmSettings.self] = newValue }
    }
}
