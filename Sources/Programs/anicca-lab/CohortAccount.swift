import Commands
import System

/// The account and the credentials of a simulated device: a line printed by `anicca-receiver enroll`.
struct CohortAccount {
    let userID: String
    let device: String
    let token: String

    /// A fleet of 100,000 takes 10 MB.
    private static let longestFile = 64 << 20

    /// The accounts of a file, one on each line.
    static func read(_ path: String) throws(Failure) -> [CohortAccount] {
        let bytes: [UInt8]
        do {
            bytes = try readFile(path, limit: longestFile)
        } catch {
            throw Failure("\(error)", .noInput)
        }
        var accounts: [CohortAccount] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
            guard words.count == 3 else {
                throw Failure(
                    "\(path), line \(index + 1): expected ACCOUNT DEVICE TOKEN, as anicca-receiver enroll prints them",
                    .dataError)
            }
            accounts.append(CohortAccount(userID: words[0], device: words[1], token: words[2]))
        }
        guard !accounts.isEmpty else { throw Failure("\(path) has no account in it", .dataError) }
        return accounts
    }
}
