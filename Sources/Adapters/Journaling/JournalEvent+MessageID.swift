extension JournalEvent {
    /// The value of the journal field `MESSAGE_ID`: 128 random bits in hexadecimal (systemd.journal-fields(7)). Never
    /// change or reuse one; a new event takes a number from `systemd-id128 new`.
    public var messageID: String {
        switch self {
        case .started: "153dbc78a9e6433a99fd95dac92c216a"
        case .stopped: "c1ec5a61dd6646788dc3076acd07edc9"
        case .reloaded: "07b2fef642d54efab690090dd5aababd"
        case .configInvalid: "e13de7c7ca1e4c2fa5e701825aa5fa64"
        case .bellUnusable: "9650337eae854841921fa1a1ba1597f1"
        case .sensorFound: "bb54288fbbb44d968b10ee4eb7504f4a"
        case .sensorFailed: "c9763b0af53941cb9203f1ea8941eaf1"
        case .sensorRecovered: "1ee37135b1ac4e958e20b022027c0b3f"
        case .sensorQuiet: "cc4ac1a7a07941d5b12b8abd66e37d3a"
        case .windowLost: "59198dc615e94051b9e57cc74f0bdaae"
        case .pulsesLost: "01446d98e2a24ca9915dfd6e4db3b0ff"
        case .lineRecovered: "c06b523121ec42af820eccff44409d18"
        case .lineFailed: "19176dbb5aa04c7587f135085d7466be"
        case .dutyCycleChanged: "5a56553a6a7b470aa383c2435a887ad6"
        case .sedentaryLong: "5160195d26d04556a39202652f2dd8d4"
        case .eventRaised: "fd3ea41541e9468fafda6418a5d05c1f"
        case .dayClosed: "6970b065dcd9464682c5bde56e7a6441"
        case .toggleChanged: "8bc9f97688714978b34deb81f5ae3a5a"
        case .permissionChanged: "c19588a442d04511941c47c33dd2e1cb"
        case .dataForgotten: "b75735bc05164857b2bb94bc1ad86523"
        case .trailBroken: "c22b8038852042709e83e70a28711c48"
        case .stateUnreadable: "77ce7fe373f14efdb78a2de1a510cb49"
        case .storeDamaged: "d7ec74842e314dedaffd92a0cf553a28"
        case .storeFailed: "577321307af24fd39242b707183751de"
        case .storeRecovered: "c83767edf1ea44e2b225643c594deb60"
        case .keyUnusable: "4550c120fbd64032944f9f1c5697ef8c"
        case .uploadAttempted: "d7a35345625b42eeb74597f8b0428925"
        case .uploadDelivered: "e844cae79eb54c1392cd70b8c5ea90fc"
        case .uploadFailed: "9680e009af04432c9a29297e7faa4d7a"
        case .uploadSetAside: "857940abcade4c72ae35a2a80d0de64e"
        case .uploadPaused: "fe01db2e293a441b88ec42a59c81d973"
        case .uploadDropped: "183e906e0d8a4000b2e0156902c5928e"
        case .uploadWithheld: "3692d95145c54ee7ab10d6ff58b9d553"
        case .uploadIncomplete: "5b1feb33742147a48bc2137f39ee50cf"
        }
    }
}
