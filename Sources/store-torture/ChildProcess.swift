import Foundation

/// A child process without the overhead of `Process`, so that thousands can be started and killed.
struct ChildProcess {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let identifier: pid_t
  private let output: Int32

  /// Pipes are created one at a time: a child must not inherit the pipe of another one.
  private static let spawning = NSLock()

  /// Starts a program whose standard output is read here.
  ///
  /// - Throws: `Failure` with the reason.
  init(_ arguments: [String]) throws {
    Self.spawning.lock()
    defer { Self.spawning.unlock() }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failure(description: "no pipe: errno \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    var words = arguments.map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var identifier: pid_t = 0
    let failure = posix_spawn(&identifier, arguments[0], &actions, nil, &words, environ)
    close(ends[1])
    guard failure == 0 else {
      close(ends[0])
      throw Failure(description: "cannot start \(arguments[0]): errno \(failure)")
    }
    self.identifier = identifier
    output = ends[0]
  }

  /// Kills it with a signal that it cannot block.
  func kill() { Foundation.kill(identifier, SIGKILL) }

  /// Its complete output after it has ended, and its status as in wait(2).
  func finish() -> (output: [UInt8], status: Int32) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(output, &buffer, buffer.count)
      if count > 0 {
        bytes += buffer[..<count]
      } else if count == 0 || errno != EINTR {
        break
      }
    }
    close(output)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return (bytes, status)
  }
}
