import CatalogApp
import Foundation
import Glibc
import OpenSwiftData
import Synchronization

/// A line on standard error that shows how far long work is.
///
/// It appears when work has run for a while, is rewritten in place, and is erased before anything else is written.
/// Callable from any thread.
final class ProgressLine: Sendable {
  private struct Work {
    var title: String
    let progress: WorkProgress
    let since = ContinuousClock.now
    /// True if results are written to the same terminal.
    var isSilent = false
  }

  private struct State {
    var work: Work?
    var isShown = false
    var hasTicker = false
  }

  private let descriptor: Int32
  private let width: @Sendable () -> Int?
  private let state = Mutex(State())
  private static let period = 0.1
  private static let stackBytes = 256 << 10

  /// Prepares a line on a terminal.
  init(descriptor: Int32, width: @escaping @Sendable () -> Int?) {
    (self.descriptor, self.width) = (descriptor, width)
  }

  /// Begins to show work, once it has run for a while.
  func begin(_ title: String, _ progress: WorkProgress) {
    let needsTicker = state.withLock { state in
      state.work = Work(title: title, progress: progress)
      defer { state.hasTicker = true }
      return !state.hasTicker
    }
    if needsTicker { startTicker() }
  }

  /// Changes the title of the work.
  func rename(_ title: String) { state.withLock { $0.work?.title = title } }

  /// Ends the work and erases the line.
  func end() {
    state.withLock { state in
      erase(&state)
      state.work = nil
    }
  }

  /// Erases the line because something else will be written to the terminal.
  ///
  /// With `isResult` the line does not appear again before the next command.
  func makeRoom(isResult: Bool) {
    state.withLock { state in
      erase(&state)
      if isResult { state.work?.isSilent = true }
    }
  }

  private func startTicker() {
    let thread = Thread { [weak self] in
      // Signals are for the thread whose calls they interrupt.
      var all = sigset_t()
      sigfillset(&all)
      pthread_sigmask(SIG_BLOCK, &all, nil)
      while true {
        Thread.sleep(forTimeInterval: Self.period)
        guard let self else { return }
        self.tick()
      }
    }
    thread.name = "progress"
    thread.stackSize = Self.stackBytes
    thread.start()
  }

  private func tick() {
    state.withLock { state in
      guard let work = state.work, !work.isSilent else { return }
      let elapsed = ContinuousClock.now - work.since
      guard elapsed >= WorkText.delay else { return }
      let text = WorkText.line(work.title, work.progress.stage, elapsed: elapsed)
      let line = DisplayText(text + " · ^C stop").clipped(to: max(1, (width() ?? 80) - 1))
      write("\r\(line)\u{1B}[K")
      state.isShown = true
    }
  }

  private func erase(_ state: inout State) {
    guard state.isShown else { return }
    write("\r\u{1B}[K")
    state.isShown = false
  }

  /// Writes to the terminal; what cannot be written is not missed.
  private func write(_ text: String) {
    var text = text
    text.withUTF8 { _ = Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
