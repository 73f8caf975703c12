import Glibc

/// Whether this run has the planted fault of this name: Tests/Canaries/README.md.
func canary(_ name: String) -> Bool { chosenCanary == name }

private let chosenCanary = getenv("ANICCA_CANARY").map { String(cString: $0) } ?? ""
