import Core
import Delivery
import Testing

@Suite struct AccountFileTests {
    private static let user = "6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f"

    @Test(arguments: [
        "\(user)\ntoken\n",
        "\(user)\ntoken\nrefresh-token again\nrenewal-due 1736985600000000000\n",
        "\(user)\ntoken\nrefresh-token again\nrenewal-due 1\npinned-key sha256//AAAA\n",
        "\(user)\ntoken\npinned-key sha256//AAAA\n",
    ])
    func isReadAsItIsWritten(text: String) throws {
        let account = try #require(AccountFile(content: Array(text.utf8)))
        #expect(String(decoding: account.content, as: UTF8.self) == text)
        #expect(account.userID == Self.user)
        #expect((account.renewal != nil) == text.contains("refresh-token"))
        #expect((account.pinnedKey != nil) == text.contains("pinned-key"))
    }

    @Test(arguments: [
        "", "\n", "\(user)\n", "\(user)\n\n", "user\ntoken\n", "\(user)\ntwo words\n", "\(user)\ntoken\nmore\n",
        "\(user)\ntoken\nrefresh-token again\n", "\(user)\ntoken\nrenewal-due 1\n",
        "\(user)\ntoken\nrefresh-token again\nrenewal-due soon\n", "\(user)\ntoken\nrefresh-token \nrenewal-due 1\n",
        "\(user)\ntoken\n\nrefresh-token again\nrenewal-due 1\n",
    ])
    func anythingElseIsDamaged(text: String) {
        #expect(AccountFile(content: Array(text.utf8)) == nil)
    }
}
