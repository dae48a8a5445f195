import CatalogApp
import OpenSwiftData
import Terminal

/// Reads bytes as terminal input and runs the program on it.
///
/// The first two bytes choose the size of the screen. The events must not depend on how the bytes
/// are split; the screen can be drawn between them, its clusters fill their cells, and nothing
/// unsafe for a terminal is drawn.
enum KeyFuzzing {
  static func run(_ bytes: [UInt8], isFlawed: Bool) throws {
    guard bytes.count > 2 else { return }
    let size = Size(columns: 1 + Int(bytes[0]) % 80, rows: 1 + Int(bytes[1]) % 24)
    let typed = Array(bytes.dropFirst(2))
    let events = decode(typed, pieceBytes: typed.count)
    let inPieces = decode(typed, pieceBytes: 1, isImpatient: isFlawed)
    try FuzzViolation.unless(events == inPieces, "pieces make other events")
    let session = try FuzzStore.session()
    let runner = AppRunner(session: session, size: size)
    try look(at: runner.canvas, size)
    for (number, event) in events.enumerated() where !runner.shouldQuit {
      runner.handle(event)
      for request in runner.takeRequests() {
        if case .edit(let text, _) = request { runner.finishEditing(text + "\u{9B}31m") }
      }
      // Draws once per burst of keys, and at the end.
      if number % 4 == 3 || number == events.count - 1 { try look(at: runner.canvas, size) }
    }
  }

  /// The flaw is impatience: an escape counts as a key of its own before the next byte arrives.
  private static func decode(_ bytes: [UInt8], pieceBytes: Int, isImpatient: Bool = false)
    -> [InputEvent]
  {
    var decoder = InputDecoder()
    var events: [InputEvent] = []
    for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
      events += decoder.feed(bytes[start..<min(bytes.count, start + pieceBytes)])
      if isImpatient { events += decoder.timeOut() }
    }
    return events + decoder.timeOut()
  }

  private static func look(at canvas: Canvas, _ size: Size) throws {
    try FuzzViolation.unless(canvas.size == size, "the canvas has another size")
    for y in 0..<size.rows {
      var x = 0
      while x < size.columns {
        let cell = canvas.cells[y * size.columns + x]
        let width = Int(cell.width)
        try FuzzViolation.unless(
          width > 0 && x + width <= size.columns,
          "a cluster of \(width) cells does not fit at \(x), \(y)"
        )
        if let found = SafeOutput.firstForbidden(in: canvas.text(of: cell)) {
          throw FuzzViolation("\(found) is drawn at \(x), \(y)")
        }
        x += width
      }
    }
  }
}
