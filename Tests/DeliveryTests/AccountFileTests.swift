import Core
import Delivery
import Testing

@Suite struct AccountFileTests {
    private static let user = "6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f"

    private static let whole = [
        "token\n",
        "token\nrefresh-token again\nrenewal-due 1736985600000000000\n",
        "token\nrefresh-token again\nrenewal-due 1\npinned-key sha256//AAAA\n",
        "token\npinned-key sha256//AAAA\n",
    ]
    private static let damaged = [
        "", "\n", "two words\n", "token\nmore\n", "token\nrefresh-token again\n", "token\nrenewal-due 1\n",
        "token\nrefresh-token again\nrenewal-due soon\n", "token\nrefresh-token \nrenewal-due 1\n",
        "token\n\nrefresh-token again\nrenewal-due 1\n",
    ]

    @Test(arguments: whole) func isReadAsItIsWritten(rest: String) throws {
        let text = "\(Self.user)\n\(rest)"
        let account = try #require(AccountFile(content: Array(text.utf8)))
        #expect(String(decoding: account.content, as: UTF8.self) == text)
        #expect(account.userID == Self.user)
        #expect((account.renewal != nil) == text.contains("refresh-token"))
        #expect((account.pinnedKey != nil) == text.contains("pinned-key"))
    }

    @Test(arguments: damaged) func anythingElseIsDamaged(rest: String) {
        let text = "\(Self.user)\n\(rest)"
        #expect(AccountFile(content: Array(text.utf8)) == nil)
        #expect(AccountFile(content: Array("user\ntoken\n".utf8)) == nil)
    }
}
