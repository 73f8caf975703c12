import Commands
import Recordings

extension Failure {
    init(_ error: RecordingError) {
        switch error {
        case .unreadable, .noRecordings: self.init("\(error)", .noInput)
        case .empty, .unknownHeader, .gravityRemoved, .tooSlow, .tooFast, .implausibleGravity, .damagedArchive,
            .unusableArchive, .brokenRow, .missingColumn, .wrongSeparator, .missingRecording:
            self.init("\(error)", .dataError)
        }
    }
}
