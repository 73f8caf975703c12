import Delivery
import Testing

struct ServiceAddressTests {
    @Test(arguments: [
        ("https://api.example.org", "https://api.example.org", false),
        ("https://api.example.org:8443/v1/", "https://api.example.org:8443/v1", false),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080", true),
        ("http://127.9.9.9/", "http://127.9.9.9", true),
        ("http://localhost", "http://localhost", true),
        ("http://[::1]:80/x", "http://[::1]:80/x", true),
        ("https://127.0.0.1", "https://127.0.0.1", true),
    ])
    func whatMaySendIsAccepted(text: String, address: String, isLoopback: Bool) throws {
        let parsed = try ServiceAddress(text)
        #expect(parsed.description == address)
        #expect(parsed.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "http://api.example.org", "http://127.example.org", "http://10.0.0.1", "http://128.0.0.1",
        "http://localhost.example.org", "http://[::2]", "http://[::ffff:10.0.0.1]", "ftp://127.0.0.1",
        "HTTP://example.org",
    ])
    func plainHTTPStaysOnTheMachine(text: String) {
        #expect(throws: ServiceAddress.Invalid.notHTTPS) { try ServiceAddress(text) }
    }

    @Test(arguments: [
        "https://user@example.org", "https://user:word@example.org", "http://127.0.0.1@example.org",
        "https://example.org/?a=b", "https://example.org/#a",
    ])
    func nothingButAPathMayFollowTheHost(text: String) {
        #expect(throws: ServiceAddress.Invalid.carriesMoreThanAPath) { try ServiceAddress(text) }
    }

    @Test(arguments: [
        "", "example.org/x", "file:///etc/passwd", "https://", "https:// example.org", "https://exa\nmple.org",
        "https://a\0b",
    ])
    func whatIsNotAnAddressIsRefused(text: String) {
        #expect(throws: ServiceAddress.Invalid.notAnAddress) { try ServiceAddress(text) }
    }
}
