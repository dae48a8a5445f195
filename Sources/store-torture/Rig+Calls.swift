import Foundation
import StoreTorture

extension Rig {
  /// The system calls of a save.
  private static let calls = [
    "pwrite64", "write", "fdatasync", "fsync", "renameat", "renameat2", "rename", "openat", "fcntl",
    "ftruncate", "close", "unlinkat", "newfstatat", "fstat", "lseek", "pread64", "getrandom",
  ]
  /// The calls that fail at each occurrence, and the errors.
  private static let failed = [
    "pwrite64", "fdatasync", "fsync", "renameat,renameat2,rename", "ftruncate", "openat", "pread64",
  ]
  private static let codes = ["EIO", "ENOSPC", "EINTR", "EDQUOT"]
  /// The loader and the runtime make fewer calls than this before the program starts its own.
  private static let callLimit = 120

  /// Why strace cannot be used; nil if it can.
  private static func reasonAgainstTracing(_ work: RigWork) throws -> String? {
    guard let program = work.program, access(program, X_OK) == 0 else {
      return "the program is not built"
    }
    let result = try work.shell("strace -o /dev/null -e inject=getpid:error=EIO true")
    return result.status == 0 ? nil : "strace cannot inject: \(result.output.prefix(80))"
  }

  /// Fails each writing call at each of its occurrences.
  static let failingCalls = Rig(name: "strace-errors", unit: "failing calls of the program") {
    work,
    isOver in
    if let reason = try reasonAgainstTracing(work) { return .skipped(reason) }
    var figures = TortureFigures()
    for store in TorturedStore.ofProcesses {
      for call in failed {
        for code in codes {
          var place = 1
          while place <= callLimit, !isOver() {
            let fault = "\(call):error=\(code):when=\(place)"
            guard try inject(work, store, call, fault, &figures) else { break }
            place += 1
          }
        }
      }
    }
    return .figures(figures)
  }

  /// Kills the program at each call of a save.
  static let killedCalls = Rig(name: "strace-kills", unit: "kills at a call") { work, isOver in
    if let reason = try reasonAgainstTracing(work) { return .skipped(reason) }
    var figures = TortureFigures()
    for store in TorturedStore.ofProcesses {
      for call in calls {
        var place = 1
        while place <= callLimit, !isOver() {
          let fault = "\(call):signal=SIGKILL:when=\(place)"
          guard try inject(work, store, call, fault, &figures) else { break }
          place += 1
        }
      }
    }
    return .figures(figures)
  }

  /// Runs a save of the program under strace, which interferes with one of its calls.
  ///
  /// - Returns: Whether the call was reached.
  private static func inject(
    _ work: RigWork,
    _ store: TorturedStore,
    _ call: String,
    _ inject: String,
    _ figures: inout TortureFigures
  ) throws -> Bool {
    try work.prepare(store)
    let trace = "\(work.folder.path)/trace"
    let line =
      "exec timeout 20 strace -f -qq -o '\(trace)' -e trace=\(call) -e inject=\(inject) "
      + work.saving(store)
    let result = try work.shell(line)
    let log = try String(contentsOfFile: trace, encoding: .utf8)
    guard log.contains("INJECTED") || log.contains("killed by SIGKILL") else { return false }
    figures.tries += 1
    if result.status == 124 { figures.note("\(store.rawValue), \(inject): the program hangs") }
    if let problem = work.problem(store, status: result.status, output: result.output) {
      figures.note("\(store.rawValue), \(inject): \(problem)")
    }
    return true
  }
}
