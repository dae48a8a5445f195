import OpenSwiftData

/// A tour of the program: one step after the other, each until the state of the program says that it was done.
///
/// It has the lowest lines of the terminal to itself; the rest of the program knows nothing of it.
struct Tour: Sendable {
  /// What the program shows, as a step judges it.
  struct Moment: Sendable {
    let host: ScreenHost
    /// The place of the last layer.
    let place: KeyPlace
    /// True while a number is typed for the next key.
    let isCounting: Bool

    var table: TableState { host.table }
    var isInTable: Bool { place == TableAction.place }
  }

  /// The number of steps that are behind.
  private(set) var place = 0
  /// What the program showed when the step began; nil before it is known.
  private var start: Moment?

  private var step: TourStep { TourStep.all[place] }

  /// Goes on if the step was done.
  mutating func follow(_ now: Moment) {
    let start = start ?? now
    self.start = start
    if step.isDone(now, start) { goOn(from: now) }
  }

  /// Goes to the next step, whether this one was done or not.
  mutating func skip(_ now: Moment) {
    if place < TourStep.all.count - 1 { goOn(from: now) }
  }

  private mutating func goOn(from now: Moment) { (place, start) = (place + 1, now) }

  // MARK: Drawing

  /// The lines that it needs: a heading, and the longest text of a step.
  static func rowCount(_ columns: Int, _ keys: KeyMap) -> Int {
    let texts = TourStep.all.map { DisplayText($0.plainText(keys)).wrapped(to: textWidth(columns)) }
    return 1 + (texts.map(\.count).max() ?? 0)
  }

  private static func textWidth(_ columns: Int) -> Int { max(1, columns - 2) }

  /// Draws the step from a line of the canvas on.
  func draw(on canvas: inout Canvas, y: Int, _ now: Moment) {
    let columns = canvas.size.columns
    canvas.fill(
      Rect(x: 0, y: y, width: columns, height: canvas.size.rows - y),
      role: .normal
    )
    let heading = DisplayText("Tour: step \(place + 1) of \(TourStep.all.count)")
    let end = canvas.write(heading, at: Point(x: 1, y: y), role: .title)
    let way = DisplayText(Self.wayOn(now))
    if end + 2 + way.width < columns {
      canvas.write(way, at: Point(x: columns - 1 - way.width, y: y), role: .dim)
    }
    let lines = DisplayText(step.plainText(now.host.keys)).wrapped(to: Self.textWidth(columns))
    for (row, line) in lines.enumerated() {
      canvas.write(line, at: Point(x: 1, y: y + 1 + row), role: .normal)
    }
  }

  /// How to go on without doing the step, and how to leave; empty while other keys would mean something else.
  private static func wayOn(_ now: Moment) -> String {
    guard now.isInTable, !now.isCounting else { return "" }
    let skip = "\(now.host.name(of: .nextEntity)) next step"
    // Esc clears one thing after the other; the tour is the last.
    return now.table.nextToClear == nil ? "\(skip) · \(now.host.name(of: .clear)) end" : skip
  }
}
