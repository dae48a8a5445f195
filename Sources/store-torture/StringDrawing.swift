import CatalogApp
import Foundation
import FuzzTargets
import StoreTorture
import Synchronization
import Terminal

/// Draws random texts on a terminal whose other end is read here, and checks every byte.
///
/// It uses the same path as the program: text made visible, a canvas, its cells, ncurses, the
/// terminal.
struct StringDrawing {
  private static let columns = 200
  private static let rows = 50
  private static let textCells = 25
  private let seed: UInt64

  init(seed: UInt64) { self.seed = seed }

  /// Draws the given number of texts, or until the time is over.
  ///
  /// - Returns: How many were drawn and how many bytes were not allowed; or why none could be.
  private func draw(_ goal: Int, isOver: @Sendable () -> Bool) throws -> TortureOutcome {
    guard let pair = TerminalPair(columns: Self.columns, rows: Self.rows) else {
      return .failure("no pseudo-terminal can be opened")
    }
    let reader = TerminalReader(pair.master)
    let screen: TerminalScreen
    do {
      screen = try TerminalScreen(
        theme: .dark,
        useColor: true,
        environment: TerminalEnvironment(
          input: pair.terminal,
          output: pair.terminal,
          type: "xterm-256color",
          locale: "C.UTF-8"
        )
      )
    } catch {
      return .failure("the terminal cannot be used: \(error)")
    }
    var texts = RandomText(seed: seed)
    var figures = TortureFigures()
    while figures.tries < goal, !isOver() {
      let canvas = frame(&texts, &figures)
      screen.draw(canvas)
    }
    screen.close()
    pair.closeTerminal()
    let stream = reader.finish()
    for example in stream.examples { figures.note(example) }
    figures.wrong += stream.forbiddenCount - stream.examples.count
    if stream.byteCount < figures.tries { figures.note("only \(stream.byteCount) bytes arrived") }
    return .success(figures)
  }

  /// A screen full of texts; each of its cells is checked as well.
  private func frame(_ texts: inout RandomText, _ figures: inout TortureFigures) -> Canvas {
    var canvas = Canvas(size: Size(columns: Self.columns, rows: Self.rows))
    for y in 0..<Self.rows {
      for x in stride(from: 0, to: Self.columns, by: Self.textCells) {
        let text = DisplayText(texts.next())
        canvas.write(text, at: Point(x: x, y: y), width: Self.textCells, role: .normal)
        figures.tries += 1
      }
    }
    for cell in canvas.cells {
      if let found = SafeOutput.firstForbidden(in: canvas.text(of: cell)) {
        figures.note("\(found) stands in a cell")
      }
    }
    return canvas
  }

  func run(_ goal: Int, isOver: @Sendable () -> Bool) throws -> TortureOutcome {
    try draw(goal, isOver: isOver)
  }
}

/// The counts, or why there are none.
enum TortureOutcome {
  case success(TortureFigures)
  case failure(String)
}

/// Reads the other end of a terminal in a thread until it is closed.
private final class TerminalReader: Sendable {
  private let stream = Mutex(TerminalStream())
  private let finished = DispatchSemaphore(value: 0)

  init(_ master: Int32) {
    Thread.detachNewThread { [self] in
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(master, &bytes, bytes.count)
        guard count > 0 else { break }
        stream.withLock { $0.read(bytes[..<count]) }
      }
      finished.signal()
    }
  }

  /// Waits for the last byte.
  func finish() -> TerminalStream {
    finished.wait()
    return stream.withLock { $0 }
  }
}

/// Both ends of a pseudo-terminal.
private final class TerminalPair {
  let master: Int32
  private(set) var terminal: Int32

  init?(columns: Int, rows: Int) {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN, as in unlockpt and ptsname.
    var lock: Int32 = 0
    var number: Int32 = 0
    terminal = -1
    guard master >= 0, ioctl(master, 0x4004_5431, &lock) == 0,
      ioctl(master, 0x8004_5430, &number) == 0
    else { return nil }
    terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { return nil }
    var size = winsize(
      ws_row: UInt16(rows),
      ws_col: UInt16(columns),
      ws_xpixel: 0,
      ws_ypixel: 0
    )
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// The reader then reaches the end.
  func closeTerminal() {
    if terminal >= 0 { close(terminal) }
    terminal = -1
  }

  deinit {
    closeTerminal()
    if master >= 0 { close(master) }
  }
}
