import CatalogApp
import Foundation
import Glibc
import Terminal

/// Passes events from the terminal to the program, and its drawings back.
@MainActor
final class ScreenLoop {
  private let screen: TerminalScreen
  private let runner: AppRunner
  private let environment: [String: String]
  /// Events that arrived during a long operation.
  private var backlog: [InputEvent] = []
  /// The time of the oldest edit that is not in the recovery file yet; nil if there is none.
  private var editedAt: ContinuousClock.Instant?
  /// The time of the oldest recovery line that is not synchronized yet; nil if there is none.
  private var keptAt: ContinuousClock.Instant?
  private var isKeepingSlow = false
  /// When to read the changes of other programs; nil if there are none.
  private var newsDue: ContinuousClock.Instant?
  /// External changes are not read before this time, so that a busy program leaves most of the time to
  /// the keys.
  private var newsPause = ContinuousClock.now
  /// The loop waits at most another half second for a key, so every edit is kept within a second.
  private static let keepingDelay = Duration.milliseconds(500)
  /// A long operation does not check the keyboard before this time.
  private var nextLook = ContinuousClock.now
  private static let lookPause = Duration.milliseconds(10)
  /// The maximum number of events that are handled before the screen is redrawn.
  private static let burst = 64

  init(screen: TerminalScreen, runner: AppRunner, environment: [String: String]) {
    self.screen = screen
    self.runner = runner
    self.environment = environment
  }

  /// Runs until the program ends.
  func run() {
    runner.isCancelled = { [weak self] in
      guard let self else { return false }
      return MainActor.assumeIsolated { self.isInterrupted() }
    }
    runner.willWork = { [weak self] in
      MainActor.assumeIsolated {
        guard let self else { return }
        self.screen.draw(self.runner.canvas)
      }
    }
    runner.onNews(screen.waker)
    defer { runner.onNews(nil) }
    while !runner.shouldQuit {
      serveRequests()
      takeExternalChanges()
      keepEdits()
      screen.draw(runner.canvas)
      guard let event = nextEvent(timeoutMilliseconds: patience) else { continue }
      handle(event)
      var count = 1
      while count < Self.burst, !runner.shouldQuit, let next = nextEvent(timeoutMilliseconds: 0) {
        serveRequests()
        handle(next)
        count += 1
      }
    }
  }

  private func handle(_ event: InputEvent) {
    if event == .news { newsDue = newsDue ?? max(ContinuousClock.now, newsPause) }
    if event == .resumed { newsDue = ContinuousClock.now }
    runner.handle(event)
  }

  // MARK: External changes

  /// Shows the changes of other programs, for at most a quarter of the time.
  private func takeExternalChanges() {
    let start = ContinuousClock.now
    guard let due = newsDue, start >= due else { return }
    newsDue = nil
    runner.takeExternalChanges()
    let end = ContinuousClock.now
    newsPause = end + max(.milliseconds(100), (end - start) * 3)
  }

  // MARK: Unsaved edits

  /// Writes unsaved changes to the recovery file before the screen shows them.
  ///
  /// If that took long the last time, they are written within a second. Written changes reach the disk
  /// within a second.
  private func keepEdits() {
    let now = ContinuousClock.now
    if runner.hasEditsToKeep {
      let due = editedAt ?? now
      editedAt = due
      if !isKeepingSlow || now - due >= Self.keepingDelay {
        runner.keepEdits()
        isKeepingSlow = ContinuousClock.now - now > .milliseconds(20)
        editedAt = nil
      }
    }
    guard runner.needsSynchronizing else { return keptAt = nil }
    let due = keptAt ?? now
    keptAt = due
    guard now - due >= Self.keepingDelay else { return }
    runner.synchronizeEdits()
    keptAt = nil
  }

  /// How long to wait for a key while work is pending, in milliseconds; nil to wait without limit.
  private var patience: Int? {
    let keeping = editedAt == nil && keptAt == nil ? nil : 500
    guard let newsDue else { return keeping }
    let left = (newsDue - ContinuousClock.now) / .milliseconds(1)
    return min(keeping ?? .max, max(0, Int(left.rounded(.up))))
  }

  /// The keys that line editing handles together with Alt.
  private static let altLetters: Set<Key> = [.alt("b"), .alt("f"), .alt("d")]

  /// The next event; Alt with a letter that has no binding becomes Esc and then the letter, because
  /// fast typing and slow lines produce it.
  private func nextEvent(timeoutMilliseconds: Int?) -> InputEvent? {
    let event =
      backlog.isEmpty
      ? screen.nextEvent(timeoutMilliseconds: timeoutMilliseconds) : backlog.removeFirst()
    guard case .key(let key) = event, key.modifiers == .alt, !Self.altLetters.contains(key),
      case .character = key.code
    else { return event }
    backlog.insert(.key(Key(key.code)), at: 0)
    return .key(.escape)
  }

  /// Looks for `^C`, Esc or an external end among the events that have arrived, and keeps the others.
  private func isInterrupted() -> Bool {
    let now = ContinuousClock.now
    guard now >= nextLook else { return false }
    nextLook = now + Self.lookPause
    while let event = screen.nextEvent(timeoutMilliseconds: 0) {
      if event == .interrupt || event == .key(.escape) { return true }
      backlog.append(event)
      switch event {
      // Once the terminal is gone, this event repeats, and continuing is pointless.
      case .hangup, .terminate: return true
      default: break
      }
    }
    return false
  }

  private func serveRequests() {
    for request in runner.takeRequests() {
      switch request {
      case .copy(let text): screen.copyToClipboard(text)
      case .suspend: screen.suspend()
      case .redraw: screen.invalidate()
      case .edit(let text): edit(text)
      }
    }
  }

  // MARK: Editor

  private func edit(_ text: String) {
    do {
      let edited = try screen.runOutside { try ExternalEditor(environment: environment).edit(text) }
      screen.invalidate()
      runner.finishEditing(edited)
    } catch {
      runner.finishEditing(nil)
      runner.complain("\(error)")
    }
  }
}

/// Edits a text with the program that `$VISUAL` or `$EDITOR` names, else `vi`.
struct ExternalEditor {
  let environment: [String: String]

  /// The edited text; nil if the editor changed nothing.
  ///
  /// - Throws: `CommandError` if the editor cannot be run or fails.
  func edit(_ text: String) throws -> String? {
    let named = [environment["VISUAL"], environment["EDITOR"]].compactMap { $0 }.first {
      !$0.isEmpty
    }
    let editor = named ?? "vi"
    let path = try write(text)
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
    // Editors add an end to the last line; it is removed unless the value had one.
    if edited.hasSuffix("\n"), !text.hasSuffix("\n") { edited.removeLast() }
    return edited == text ? nil : edited
  }

  /// Writes the text to a new file that only the user can read.
  private func write(_ text: String) throws -> String {
    let folder = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var template = Array("\(folder)/catalog-XXXXXX.txt".utf8CString)
    let descriptor = mkstemps(&template, 4)
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
