import Foundation
import Core
import Recordings
import Testing

/// ZIP archives as phyphox exports them: `meta/device.csv` and `Raw Data.csv`, with two rows.
@Suite struct ZipTests {
    static let deflated =
        Data(
            base64Encoded:
                "UEsDBBQAAAAIAABQL1q0IImwEQAAAA8AAAAPAAAAbWV0YS9kZXZpY2UuY3N2KyjKL0gtKqnUKUvMKU3lAgBQSwMEFAAAAAgA"
                + "AFAvWq5oacw3AAAAXgAAAAwAAABSYXcgRGF0YS5jc3ZTCsnMTVXQKNZU0lFyTE5OzUktSizJzM9TqFDQSMcQrMQmWAUW5DLQAUFD"
                + "LkMdAz1TEFvPggsAUEsBAhQDFAAAAAgAAFAvWrQgibARAAAADwAAAA8AAAAAAAAAAAAAAIABAAAAAG1ldGEvZGV2aWNlLmNzdlBL"
                + "AQIUAxQAAAAIAABQL1quaGnMNwAAAF4AAAAMAAAAAAAAAAAAAACAAT4AAABSYXcgRGF0YS5jc3ZQSwUGAAAAAAIAAgB3AAAAnwAA"
                + "AAAA") ?? Data()
    static let stored =
        Data(
            base64Encoded:
                "UEsDBBQAAAAAAABQL1q0IImwDwAAAA8AAAAPAAAAbWV0YS9kZXZpY2UuY3N2cHJvcGVydHksdmFsdWUKUEsDBBQAAAAAAABQ"
                + "L1quaGnMXgAAAF4AAAAMAAAAUmF3IERhdGEuY3N2IlRpbWUgKHMpIiwiQWNjZWxlcmF0aW9uIHggKGcpIiwiQWNjZWxlcmF0aW9u"
                + "IHkgKGcpIiwiQWNjZWxlcmF0aW9uIHogKGcpIgowLDAsMCwxCjEsMC41LDAsMC44ClBLAQIUAxQAAAAAAABQL1q0IImwDwAAAA8A"
                + "AAAPAAAAAAAAAAAAAACAAQAAAABtZXRhL2RldmljZS5jc3ZQSwECFAMUAAAAAAAAUC9armhpzF4AAABeAAAADAAAAAAAAAAAAAAA"
                + "gAE8AAAAUmF3IERhdGEuY3N2UEsFBgAAAAACAAIAdwAAAMQAAAAAAA==") ?? Data()

    private func samples(in archive: Data) throws -> [RecordedSample] {
        let file = try ScratchFile(bytes: archive, named: "phyphox.zip")
        return try read(file.path)
    }

    @Test(arguments: [deflated, stored])
    func readsTheTableInAnArchive(archive: Data) throws {
        let samples = try samples(in: archive)
        #expect(samples.map(\.time) == [.zero, .seconds(1)])
        #expect(samples.map(\.acceleration.x) == [0, 0.5])
    }

    @Test func refusesAnArchiveThatIsCutOffAnywhere() throws {
        for length in 4..<Self.deflated.count {
            #expect(throws: RecordingError.self) { try samples(in: Self.deflated.prefix(length)) }
        }
    }

    @Test func aDamagedByteIsReadRightOrRefused() throws {
        let right = try samples(in: Self.deflated)
        for place in 4..<Self.deflated.count {
            var damaged = Self.deflated
            damaged[place] ^= 0xFF
            guard let found = try? samples(in: damaged) else { continue }
            #expect(found == right, "byte \(place)")
        }
    }

    @Test func refusesAnArchiveWithoutATable() throws {
        var other = Self.deflated
        for range in ["device.csv", "Raw Data.csv"] {
            while let found = other.range(of: Data(range.utf8)) {
                other.replaceSubrange(found, with: Data(range.replacing(".csv", with: ".jpg").utf8))
            }
        }
        let file = try ScratchFile(bytes: other, named: "photos.zip")
        let error = RecordingError.unusableArchive(file: file.path, reason: "there is no CSV file in it")
        #expect(throws: error) { try RecordingReader(path: file.path) }
        #expect(error.description.hasSuffix("a ZIP archive: there is no CSV file in it"))
    }
}
