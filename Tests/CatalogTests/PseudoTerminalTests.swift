import Foundation
import Glibc
import Testing

/// The real program on a terminal of the test's own.
@Suite struct PseudoTerminalTests {
  @Test func theScreenOpensShowsFilmsAndLeavesTheTerminalAsItWas() throws {
    let run = try ScreenRun(["--store", "memory", "--sample"])
    let before = run.modes
    #expect(run.shows("Toy Story"))
    #expect(run.modes != before, "the screen takes keys one by one")
    run.type("/Nemo\r")
    #expect(run.shows("Nemo"))
    run.type("q")
    #expect(run.wait() == .exited(0))
    #expect(run.modes == before)
    #expect(run.received.contains("\u{1B}[?1049l"), "the first screen comes back")
  }

  @Test(arguments: [SIGTERM, SIGHUP])
  func aSignalRestoresTheTerminalAndIsTheStatus(signal: Int32) throws {
    let run = try ScreenRun(["--store", "memory", "--sample"])
    let before = run.modes
    #expect(run.shows("Toy Story"))
    kill(run.process, signal)
    #expect(run.wait() == .killed(signal))
    #expect(run.modes == before)
  }

  @Test func interruptStopsWorkAndNotTheProgram() throws {
    let run = try ScreenRun(["--store", "memory", "--sample"])
    #expect(run.shows("Toy Story"))
    run.type("\u{3}")
    run.type(":count\r")
    #expect(run.shows("31"))
    run.type("q")
    #expect(run.wait() == .exited(0))
  }

  @Test func escapeAloneLeavesAtOnce() throws {
    let run = try ScreenRun(["--store", "memory", "--sample"])
    #expect(run.shows("Toy Story"))
    run.type("?")
    #expect(run.shows("go to the next record"))
    run.type("\u{1B}")
    #expect(run.shows("A Bug's Life"))
    run.type("q")
    #expect(run.wait() == .exited(0))
  }

  @Test func aPasteIsTextAndRunsNothing() throws {
    let run = try ScreenRun(["--store", "memory", "--sample"])
    #expect(run.shows("Toy Story"))
    run.type(":\u{1B}[200~delete where true\nquit!\n\u{1B}[201~")
    #expect(run.shows("delete where true"))
    run.type("\u{15}count\r")
    #expect(run.shows("31"))
    run.type("q")
    #expect(run.wait() == .exited(0))
  }

  @Test(arguments: [
    ("f", "Nemo\nqq\n:q!\n", "Nemo"), ("/", "Nemo\nq\n", "Nemo"), ("e", "A\nB\nq\u{3}", "A"),
    ("", "ddq\n:q!\n", ""),
  ])
  func aPasteWithLineEndsDoesNothingAnywhere(place: String, paste: String, shown: String) throws {
    let run = try ScreenRun(["--store", "memory", "--sample"])
    #expect(run.shows("Toy Story"))
    run.type(place + "\u{1B}[200~\(paste)\u{1B}[201~")
    #expect(shown.isEmpty || run.shows(shown))
    run.type("\u{1B}")
    #expect(run.wait(milliseconds: 200) == .running)
    run.type("\u{1B}:status\r")
    #expect(run.shows("Film: 31"))
    #expect(run.shows("unsaved: 0"))
    run.type("\u{1B}:q!\r")
    #expect(run.wait() == .exited(0))
  }

  @Test func noColorSendsNoColor() throws {
    let colored = try ScreenRun(["--store", "memory", "--sample"])
    #expect(colored.shows("Toy Story"))
    colored.type("q")
    #expect(colored.wait() == .exited(0))
    let plain = try ScreenRun(["--store", "memory", "--sample"], environment: ["NO_COLOR=1"])
    #expect(plain.shows("Toy Story"))
    plain.type("q")
    #expect(plain.wait() == .exited(0))
    let color = try Regex("\u{1B}\\[([0-9;]*;)?[34][0-8](;[0-9;]*)?m")
    #expect(colored.received.contains(color))
    #expect(!plain.received.contains(color))
  }

  @Test func plainPromptsWithoutAScreen() throws {
    let run = try ScreenRun(["--store", "memory", "--sample", "--plain"])
    #expect(run.shows("catalog> "))
    run.type("count where releaseYear = 2009\n")
    #expect(run.shows("\n1\r\n"))
    run.type("insert title=x\nquit\n")
    #expect(run.shows("there are unsaved changes"))
    run.type("quit!\n")
    #expect(run.wait() == .exited(0))
    #expect(!run.received.contains("\u{1B}"))
  }

  @Test func wrongArgumentsTouchNoTerminal() throws {
    let run = try ScreenRun(["--fromat", "x"])
    #expect(run.wait() == .exited(2))
    #expect(run.received == "catalog: there is no option --fromat; did you mean --format?\r\n")
  }
}

/// The program on a pseudo-terminal of 100 by 30 cells.
final class ScreenRun {
  enum Ending: Equatable {
    case exited(Int32), killed(Int32), stopped, running
  }

  private let folder: TemporaryFolder
  private let master: Int32
  private let terminal: Int32
  private var bytes: [UInt8] = []
  private var seen = 0
  private(set) var process: pid_t = 0
  /// The modes of the terminal before the program ran.
  private(set) var modesAtStart: [UInt32] = []

  struct Failure: Error {
    let call: String
  }

  init(_ arguments: [String], environment: [String] = []) throws {
    folder = try TemporaryFolder()
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN: what unlockpt and ptsname do, which Glibc does not show to Swift.
    var lock: Int32 = 0
    var number: Int32 = 0
    guard master >= 0, ioctl(master, 0x4004_5431, &lock) == 0,
      ioctl(master, 0x8004_5430, &number) == 0
    else { throw Failure(call: "/dev/ptmx") }
    terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var size = winsize(ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
    guard terminal >= 0, ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0 else {
      throw Failure(call: "TIOCSWINSZ")
    }
    modesAtStart = modes
    let variables = [
      "TERM=xterm-256color", "LC_ALL=C.UTF-8", "HOME=\(folder.path)", "PATH=/usr/bin:/bin",
    ]
    try spawn([TemporaryFolder.program] + arguments, variables + environment)
  }

  deinit {
    if process > 0, wait(milliseconds: 0) == .running {
      kill(process, SIGKILL)
      _ = wait()
    }
    close(terminal)
    close(master)
  }

  private func spawn(_ arguments: [String], _ variables: [String]) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in 0...2 as ClosedRange<Int32> {
      posix_spawn_file_actions_adddup2(&actions, terminal, descriptor)
    }
    let argv = arguments.map { strdup($0) } + [nil]
    let environment = variables.map { strdup($0) } + [nil]
    defer { (argv + environment).forEach { free($0) } }
    // Whoever runs the tests may ignore or block signals.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    guard posix_spawn(&process, arguments[0], &actions, &attributes, argv, environment) == 0 else {
      throw Failure(call: "posix_spawn")
    }
  }

  /// The process that draws, which the one that was started watches over.
  var child: pid_t? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.first { Self.status(of: $0)?.parent == process }
  }

  /// True once the process has ended, or nobody has it any more; false after ten seconds.
  static func isGone(_ process: pid_t) -> Bool {
    let end = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < end {
      guard let status = status(of: process), status.state != "Z" else { return true }
      usleep(1000)
    }
    return false
  }

  private static func status(of process: pid_t) -> (state: Substring, parent: pid_t)? {
    // Nil for a process that has ended meanwhile.
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    guard let words = text?.split(separator: ")").last?.split(separator: " "), words.count > 2,
      let parent = pid_t(words[1])
    else { return nil }
    return (words[0], parent)
  }

  /// Everything that came so far.
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

  /// Reads until the text has come since the last call; false after ten seconds without it.
  func shows(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    let end = ContinuousClock.now + .seconds(10)
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
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(master, &piece, piece.count)
    guard count > 0 else { return false }
    bytes += piece[..<count]
    return true
  }

  /// Waits for the end of the program, and takes what it still writes.
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
