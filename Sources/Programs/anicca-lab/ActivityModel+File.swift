#if canImport(FoundationEssentials)
import Commands
import FoundationEssentials
#else
import Foundation
#endif
import System
import Signal

extension ActivityModel {
    /// Reads a model as written by the training: a JSON object of flat arrays.
    ///
    /// - Throws: the fault of the file: it is missing, too large, not JSON, lacks an array, or its arrays do not fit
    ///   one model.
    init(file path: String) throws(Failure) {
        let arrays = try ModelArrays(file: path)
        guard
            let model = ActivityModel(
                centre: arrays.centre, spread: arrays.spread, hiddenWeights: arrays.hiddenWeights,
                hiddenBiases: arrays.hiddenBiases, outputWeights: arrays.outputWeights,
                outputBiases: arrays.outputBiases)
        else {
            throw Failure(
                "\(path): \(arrays.sizes) are not the sizes of one model for this version of anicca, or a spread is not "
                    + "above 0; train again", .dataError)
        }
        self = model
    }
}

/// The arrays of `ActivityModel`, with the names from the training.
private struct ModelArrays: Decodable {
    /// A model has some 50 kB.
    private static let longest = 1 << 20

    let centre, spread, hiddenWeights, hiddenBiases, outputWeights, outputBiases: [Float]

    private enum CodingKeys: String, CodingKey {
        case centre, spread
        case hiddenWeights = "hidden_weights"
        case hiddenBiases = "hidden_biases"
        case outputWeights = "output_weights"
        case outputBiases = "output_biases"
    }

    init(file path: String) throws(Failure) {
        do {
            let json = try readFile(path, limit: Self.longest)
            self = try JSONDecoder().decode(ModelArrays.self, from: Data(json))
        } catch let error as FileError {
            throw Failure("\(error); the table names it, so train again or correct the table", .noInput)
        } catch let error as DecodingError {
            throw Failure("\(path): \(Self.explanation(error)); train again", .dataError)
        } catch {
            throw Failure("\(path): \(error); train again", .dataError)
        }
    }

    var sizes: String {
        "centre \(centre.count), spread \(spread.count), hidden_weights \(hiddenWeights.count), hidden_biases "
            + "\(hiddenBiases.count), output_weights \(outputWeights.count) and output_biases \(outputBiases.count)"
    }

    private static func explanation(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "no array \(key.stringValue)"
        case .typeMismatch(_, let context) where !context.codingPath.isEmpty,
            .valueNotFound(_, let context) where !context.codingPath.isEmpty:
            "wrong at \(place(context)): the arrays are flat, of numbers"
        default: "not a JSON object of flat arrays of 32-bit numbers"
        }
    }

    /// The place of an error in the file, such as `spread[3]`.
    private static func place(_ context: DecodingError.Context) -> String {
        context.codingPath.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }.joined()
    }
}
