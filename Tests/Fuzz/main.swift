import Foundation

/// libFuzzer's own loop (llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library").
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ tryInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The one that this process fuzzes.
nonisolated(unsafe) let fuzz: ([UInt8]) -> Void = {
    guard let fuzz = targets[ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""] else {
        print("FUZZ_TARGET is one of \(targets.keys.sorted().joined(separator: ", "))")
        exit(64)
    }
    return fuzz
}()

func tryInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

var count = CommandLine.argc
var words = CommandLine.unsafeArgv
exit(runDriver(&count, &words, tryInput))
