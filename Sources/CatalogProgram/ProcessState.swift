import CatalogApp
import Glibc

/// The information that the system provides about other processes.
enum ProcessState {
  /// True for a process that has ended, is ending, or has lost its guard, after which it keeps its
  /// unsaved changes and ends.
  static func isLeaving(_ process: RecoveryProcess) -> Bool {
    // proc(5), /proc/pid/stat: after the name in parentheses come the state, the parent, …, the flags.
    guard let bytes = try? DescriptorReader(path: "/proc/\(process.id)/stat").readAll() else {
      // Without that file the process has ended, or the system has no /proc.
      return kill(process.id, 0) == -1 && errno == ESRCH
    }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?
      .split(separator: " ")
    guard let words, words.count > 6, let parent = Int32(words[1]), let flags = UInt32(words[6])
    else { return false }
    let isEnding = ["Z", "X"].contains(words[0]) || flags & exiting != 0
    return isEnding || process.watcher.map { $0 != parent } ?? false
  }

  /// The name of the user that the process acts for; nil if the system has none.
  static let userName: String? =
    getpwuid(geteuid()).flatMap { String(validatingCString: $0.pointee.pw_name) }

  /// PF_EXITING of the kernel's sched.h.
  private static let exiting: UInt32 = 0x4
}
