import CatalogApp
import Foundation
import OpenSwiftData
import Synchronization
import Terminal

/// Opens a store on another thread; if that takes long, a screen shows how far it is and can end the program.
///
/// Confined to one thread.
final class StoreLoading {
  /// The user ended the program before the store was open.
  struct Ending: Error {
    /// The exit status of the program; 128 and more for a signal.
    let status: Int32
  }

  /// The end of the opening, for the other thread.
  private final class End: Sendable {
    let isWanted = Atomic(true)
    private let isReached = DispatchSemaphore(value: 0)
    private let wake = Mutex<(@Sendable () -> Void)?>(nil)

    func reach() {
      isReached.signal()
      wake.withLock { $0?() }
    }

    /// True if the opening has ended, or ends within the time.
    func isReached(within seconds: Double) -> Bool {
      guard isReached.wait(timeout: .now() + seconds) == .success else { return false }
      isReached.signal()
      return true
    }

    func setWake(_ wake: @escaping @Sendable () -> Void) { self.wake.withLock { $0 = wake } }
  }

  private let makeScreen: () throws -> LoadingScreen
  /// The screen that was shown; nil if opening was fast.
  private(set) var screen: LoadingScreen?

  /// Prepares; the closure takes over the terminal, if that becomes necessary.
  init(makeScreen: @escaping () throws -> LoadingScreen) { self.makeScreen = makeScreen }

  /// Opens a store.
  ///
  /// - Throws: What `open` throws, `Ending`.
  func run(_ name: String, _ open: @escaping () throws -> OpenedStore) throws -> OpenedStore {
    let (end, progress) = (End(), WorkProgress())
    // Until the end is reached, only the other thread uses them; this one then reads the result.
    nonisolated(unsafe) let work = open
    nonisolated(unsafe) var result: Result<OpenedStore, any Error>?
    StoppableThread.start(
      named: "loading",
      stoppingWhen: { !end.isWanted.load(ordering: .relaxed) }
    ) { _ in
      result = Result { try Interruption.reporting(to: progress, work) }
      end.reach()
    }
    var ending: Ending?
    if !end.isReached(within: WorkText.delay / .seconds(1)) {
      ending = try watch(name, progress, end)
    }
    if let ending { throw ending }
    guard let result else { preconditionFailure("the other thread sets it before the end") }
    return try result.get()
  }

  /// Shows the progress until the end; returns why the user ended the program, if so.
  private func watch(_ name: String, _ progress: WorkProgress, _ end: End) throws -> Ending? {
    let start = ContinuousClock.now
    var ending: Ending?
    var failure: (any Error)?
    do {
      let screen = try makeScreen()
      self.screen = screen
      end.setWake(screen.terminal.waker)
    } catch {
      // Without a screen the opening cannot be stopped.
      failure = error
      end.isWanted.store(false, ordering: .relaxed)
    }
    while !end.isReached(within: screen == nil ? 1 : 0) {
      guard let screen else { continue }
      screen.show(
        WorkText.line("loading \(name)", progress.stage, elapsed: WorkText.delay + (.now - start)),
        isEnding: ending != nil
      )
      if let status = screen.waitForEnding() {
        ending = ending ?? Ending(status: status)
        end.isWanted.store(false, ordering: .relaxed)
      }
    }
    if let failure { throw failure }
    return ending
  }
}

/// The screen while a store is loaded.
final class LoadingScreen {
  let terminal: TerminalScreen
  /// Keys that were pressed for the store.
  private(set) var typedAhead: [InputEvent] = []
  private static let patienceMilliseconds = 100

  init(_ terminal: TerminalScreen) { self.terminal = terminal }

  /// Shows how far the loading is.
  func show(_ text: String, isEnding: Bool) {
    var canvas = Canvas(size: terminal.size)
    let line = text + (isEnding ? " · stopping …" : " · ^C quit")
    let row = max(0, terminal.size.rows - 1)
    canvas.write(
      DisplayText(line),
      at: Point(x: 0, y: row),
      width: terminal.size.columns,
      role: .normal
    )
    terminal.draw(canvas)
  }

  /// Waits a moment for events; returns the exit status if one of them ends the program.
  func waitForEnding() -> Int32? {
    var patience = Self.patienceMilliseconds
    while let event = terminal.nextEvent(timeoutMilliseconds: patience) {
      patience = 0
      switch event {
      case .interrupt: return 128 + SIGINT
      case .terminate(let signal): return 128 + signal
      case .hangup: return 128 + SIGHUP
      case .key(.escape), .key(Key(.character("q"))): return 0
      case .resize, .resumed: return nil
      case .news: break
      case .key, .paste, .mouse: typedAhead.append(event)
      }
    }
    return nil
  }
}
