import CatalogApp
import Foundation
import Glibc
import Terminal

/// Passes events from the terminal to the program, and its drawings back.
final class ScreenLoop {
  private let screen: TerminalScreen
  private let runner: LiveRunner
  private let environment: [String: String]
  /// Events that were read but not handled yet.
  private var backlog: [InputEvent] = []
  /// How long the results of a key may delay its echo.
  private static let settling = Duration.milliseconds(3)
  /// The maximum number of events that are handled before the screen is redrawn.
  private static let burst = 64

  init(
    screen: TerminalScreen,
    runner: LiveRunner,
    environment: [String: String],
    backlog: [InputEvent] = []
  ) {
    self.backlog = backlog
    self.screen = screen
    self.runner = runner
    self.environment = environment
  }

  /// Runs until the program ends.
  func run() {
    runner.start()
    defer {
      // What still runs must not outlast another signal.
      screen.beginEnding()
      runner.finish()
    }
    while !runner.shouldQuit {
      serveRequests()
      runner.settle(for: Self.settling)
      serveRequests()
      screen.draw(runner.canvas)
      guard !runner.shouldQuit, let event = nextEvent(timeoutMilliseconds: runner.waitMilliseconds)
      else {
        continue
      }
      runner.handle(event)
      var count = 1
      while count < Self.burst, !runner.shouldQuit, let next = nextEvent(timeoutMilliseconds: 0) {
        serveRequests()
        runner.handle(next)
        count += 1
      }
    }
  }

  private func nextEvent(timeoutMilliseconds: Int?) -> InputEvent? {
    let next =
      backlog.isEmpty
      ? screen.nextEvent(timeoutMilliseconds: timeoutMilliseconds) : backlog.removeFirst()
    guard let next else { return nil }
    let parts = runner.state.keys.parts(of: next)
    backlog.insert(contentsOf: parts.dropFirst(), at: 0)
    return parts.first
  }

  private func serveRequests() {
    for request in runner.takeRequests() {
      switch request {
      case .copy(let text): screen.copyToClipboard(text)
      case .suspend: screen.suspend()
      case .redraw: screen.invalidate()
      case .use(let setting): screen.use(setting)
      case .edit(let text, let ending): edit(text, ending)
      }
    }
  }

  // MARK: Editor

  private func edit(_ text: String, _ ending: String) {
    do {
      let edited = try screen.runOutside {
        try ExternalEditor(environment: environment).edit(text, ending)
      }
      screen.invalidate()
      runner.finishEditing(edited)
    } catch {
      runner.finishEditing(nil)
      runner.report("\(error)")
    }
  }
}

/// Edits a text with the program that `$VISUAL` or `$EDITOR` names, else `vi`.
struct ExternalEditor {
  let environment: [String: String]

  /// The edited text, as a file with the ending; nil if the editor changed nothing.
  ///
  /// - Throws: `CommandError` if the editor cannot be run or fails.
  func edit(_ text: String, _ ending: String = "txt") throws -> String? {
    let named = [environment["VISUAL"], environment["EDITOR"]].compactMap { $0 }.first {
      !$0.isEmpty
    }
    let editor = named ?? "vi"
    let path = try write(text, ending)
    defer { unlink(path) }
    let status = try run(editor, path)
    guard status == 0 else {
      throw CommandError("\(editor): exited with status \(status); value unchanged")
    }
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw CommandError("\(editor): cannot read the edited text; value unchanged")
    }
    guard var edited = String(validating: bytes, as: UTF8.self) else {
      throw CommandError("\(editor): edited text is not valid UTF-8; value unchanged")
    }
    // Some editors end each line with CR LF, which the value had nowhere.
    if !text.utf8.contains(0x0D) { edited = edited.replacing("\r\n", with: "\n") }
    // Editors add an end to the last line; it is removed unless the value had one.
    if edited.hasSuffix("\n"), !text.hasSuffix("\n") { edited.removeLast() }
    return edited == text ? nil : edited
  }

  /// Writes the text to a new file that only the user can read.
  private func write(_ text: String, _ ending: String) throws -> String {
    let folder = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var template = Array("\(folder)/catalog-XXXXXX.\(ending)".utf8CString)
    let descriptor = mkstemps(&template, Int32(ending.utf8.count + 1))
    guard descriptor >= 0 else {
      throw CommandError(
        "cannot create a temporary file in \(folder): \(String(cString: strerror(errno)))"
      )
    }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let count = bytes[start...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        start += count
      } else if errno != EINTR {
        throw CommandError("cannot write \(folder): \(String(cString: strerror(errno)))")
      }
    }
    let path = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: path, as: UTF8.self)
  }

  /// Runs the editor through the shell, since its name may include arguments, and waits.
  private func run(_ editor: String, _ path: String) throws -> Int32 {
    let words = ["sh", "-c", "\(editor) \"$1\"", "sh", path]
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, "/bin/sh", nil, nil, &arguments, environ)
    guard failure == 0 else {
      throw CommandError("cannot run \(editor): \(String(cString: strerror(failure)))")
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { throw CommandError("lost track of \(editor)") }
    }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }
}
