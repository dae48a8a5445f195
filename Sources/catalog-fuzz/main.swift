import Foundation
import FuzzTargets

/// The main loop of libFuzzer, in the runtime of the sanitizer; see FuzzerInterface.h.
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The target that `FUZZ_TARGET` names.
let target: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")
    fatalError("FUZZ_TARGET must be one of: \(names)")
  }
  return target
}()
/// Whether to prove that the target finds something.
let isFlawed = ProcessInfo.processInfo.environment["FUZZ_FLAW"] != nil

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(
  runDriver(&count, &arguments) { bytes, count in
    MainActor.assumeIsolated {
      do {
        let input = UnsafeBufferPointer(start: bytes, count: count)
        try target.run(Array(input), isFlawed: isFlawed)
      } catch {
        fatalError("\(error)")
      }
    }
    return 0
  }
)
