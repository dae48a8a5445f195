import Foundation
import Glibc
import Testing

/// The program on a pseudo-terminal, by default of 100 by 30 cells.
final class ScreenRun {
  enum Ending: Equatable {
    case exited(Int32), killed(Int32), stopped, running
  }

  private let folder: TemporaryFolder
  private var master: Int32
  private let terminal: Int32
  private var bytes: [UInt8] = []
  private var seen = 0
  private(set) var process: pid_t = 0
  /// The modes of the terminal before the program started.
  private(set) var modesAtStart: [UInt32] = []

  struct Failure: Error {
    let call: String
  }

  /// Starts the program; descriptors with a path are opened there and not on the terminal.
  ///
  /// With `leadsSession` it is what a terminal's window starts: a signal tells it that the window is gone.
  init(
    _ arguments: [String],
    environment: [String] = [],
    columns: UInt16 = 100,
    rows: UInt16 = 30,
    redirecting paths: [Int32: String] = [:],
    leadsSession: Bool = false
  ) throws {
    folder = try TemporaryFolder()
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN, as used by unlockpt and ptsname, which Swift's Glibc module lacks.
    var lock: Int32 = 0
    var number: Int32 = 0
    guard master >= 0, ioctl(master, 0x4004_5431, &lock) == 0,
      ioctl(master, 0x8004_5430, &number) == 0
    else { throw Failure(call: "/dev/ptmx") }
    terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard terminal >= 0, ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0 else {
      throw Failure(call: "TIOCSWINSZ")
    }
    modesAtStart = modes
    let variables = [
      "TERM=xterm-256color", "LC_ALL=C.UTF-8", "HOME=\(folder.path)", "PATH=/usr/bin:/bin",
    ]
    let replaced = Set(environment.map { $0.prefix { $0 != "=" } })
    try spawn(
      [TemporaryFolder.program] + arguments,
      variables.filter { !replaced.contains($0.prefix { $0 != "=" }) } + environment,
      leadsSession ? paths.merging([0: "/dev/pts/\(number)"]) { $1 } : paths,
      leadsSession: leadsSession
    )
  }

  deinit {
    if process > 0, wait(milliseconds: 0) == .running {
      kill(process, SIGKILL)
      _ = wait()
    }
    close(terminal)
    hangUp()
  }

  /// Closes the terminal, as when its window is closed.
  func hangUp() {
    if master >= 0 { close(master) }
    master = -1
  }

  private func spawn(
    _ arguments: [String],
    _ variables: [String],
    _ paths: [Int32: String],
    leadsSession: Bool
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in 0...2 as ClosedRange<Int32> {
      if let path = paths[descriptor] {
        // The first terminal that the leader of a session opens becomes its controlling terminal.
        let flags = descriptor == 0 ? O_RDONLY : O_WRONLY | O_CREAT
        posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
      } else {
        posix_spawn_file_actions_adddup2(&actions, terminal, descriptor)
      }
    }
    let argv = arguments.map { strdup($0) } + [nil]
    let environment = variables.map { strdup($0) } + [nil]
    defer { (argv + environment).forEach { free($0) } }
    // The process that runs the tests may ignore or block signals.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    // A process group of its own, as from a shell: the kernel stops no process of a group that has no parent in the
    // session, and the tests may run in such a group.
    posix_spawnattr_setpgroup(&attributes, 0)
    // POSIX_SPAWN_SETSID, which Swift's Glibc module lacks.
    let group: Int32 = leadsSession ? 0x80 : Int32(POSIX_SPAWN_SETPGROUP)
    posix_spawnattr_setflags(
      &attributes,
      Int16(Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK) | group)
    )
    guard posix_spawn(&process, arguments[0], &actions, &attributes, argv, environment) == 0 else {
      throw Failure(call: "posix_spawn")
    }
  }

  /// The process that draws, whose guard is the process that was started.
  var child: pid_t? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.first { Self.status(of: $0)?.parent == process }
  }

  /// True once the process has ended or has been waited for; false after ten seconds.
  static func isGone(_ process: pid_t) -> Bool {
    let end = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < end {
      guard let status = status(of: process), status.state != "Z" else { return true }
      usleep(1000)
    }
    return false
  }

  private static func status(of process: pid_t) -> (state: Substring, parent: pid_t)? {
    // Nil for a process that has ended.
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    guard let words = text?.split(separator: ")").last?.split(separator: " "), words.count > 2,
      let parent = pid_t(words[1])
    else { return nil }
    return (words[0], parent)
  }

  /// All output so far.
  var received: String { String(decoding: bytes, as: UTF8.self) }

  func type(_ text: String) {
    let typed = Array(text.utf8)
    #expect(write(master, typed, typed.count) == typed.count)
  }

  /// The modes of the terminal.
  var modes: [UInt32] {
    var modes = termios()
    tcgetattr(terminal, &modes)
    return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag]
  }

  /// Reads until the text has arrived since the last call; false after the given number of seconds.
  func shows(_ text: String, seconds: Int = 10) -> Bool {
    let wanted = Array(text.utf8)
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      if let place = find(wanted) {
        seen = place
        return true
      }
      _ = read(milliseconds: 100)
    }
    return false
  }

  private func find(_ wanted: [UInt8]) -> Int? {
    guard bytes.count - seen >= wanted.count else { return nil }
    for start in seen...(bytes.count - wanted.count)
    where bytes[start..<(start + wanted.count)].elementsEqual(wanted) {
      return start + wanted.count
    }
    return nil
  }

  @discardableResult
  private func read(milliseconds: Int32) -> Bool {
    var watched = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&watched, 1, milliseconds) == 1 else { return false }
    // What poll has seen may be gone, and then reading would wait without end.
    var available: Int32 = 0
    if watched.revents & Int16(POLLHUP) == 0 {
      guard ioctl(master, UInt(FIONREAD), &available) == 0, available > 0 else {
        usleep(1000)
        return false
      }
    }
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(master, &piece, piece.count)
    guard count > 0 else { return false }
    bytes += piece[..<count]
    return true
  }

  /// Waits until the program exits, and reads the rest of its output.
  func wait(milliseconds: Int = 10_000, untilStopped: Bool = false) -> Ending {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    var status: Int32 = 0
    repeat {
      read(milliseconds: milliseconds == 0 ? 0 : 20)
      if process == 0 { return .running }
      if waitpid(process, &status, WNOHANG | (untilStopped ? WUNTRACED : 0)) == process {
        if status & 0xFF == 0x7F { return .stopped }
        process = 0
        while read(milliseconds: 0) {}
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal)
      }
    } while ContinuousClock.now < end
    return .running
  }
}
