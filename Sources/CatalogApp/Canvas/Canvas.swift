/// A screen of cells to draw on, as a value.
///
/// Drawing outside of it is cut off. A cluster that takes several cells is drawn completely or not at
/// all: if one of its cells is overwritten, the others become blank.
package struct Canvas: Sendable {
  /// A cell of the screen; eight bytes, so that a screen is quickly drawn and compared.
  package struct Cell: Hashable, Sendable {
    /// The scalar to draw or, with the highest bit set, the index of a cluster of several.
    var code: UInt32
    /// The role of the cell.
    package var role: Role
    /// The role of the band below it, which has the colors that its own role does not set.
    package var band: Role
    /// The cells of the cluster that begins here; 0 in the cells after its first.
    package var width: UInt8

    /// Whether the cell belongs to a cluster that begins to the left.
    package var isContinuation: Bool { width == 0 }

    /// Removes its text.
    fileprivate mutating func blank(_ role: Role? = nil) {
      self = Cell(code: 0x20, role: role ?? self.role, band: band, width: 1)
    }

    static func blank(_ role: Role) -> Cell {
      Cell(code: 0x20, role: role, band: role, width: 1)
    }
  }

  /// The extent of the canvas.
  package private(set) var size: Size
  /// The position of the terminal's cursor; nil hides it.
  package var cursor: Point?
  /// The cells, row by row.
  package private(set) var cells: [Cell]
  private var clusters: [String] = []
  private static let clusterFlag: UInt32 = 0x8000_0000

  package init(size: Size) {
    self.size = size
    cells = Array(repeating: .blank(.normal), count: size.columns * size.rows)
  }

  /// Adds blank rows at the bottom.
  package mutating func addRows(_ count: Int) {
    cells += Array(repeating: .blank(.normal), count: max(0, count) * size.columns)
    size.rows += max(0, count)
  }

  /// The whole canvas as a rectangle.
  package var bounds: Rect { Rect(origin: Point(x: 0, y: 0), size: size) }

  /// Draws `text` over the bands that were filled and returns the column after it.
  ///
  /// With a `width`, a longer text is clipped to it and ends in `…`; a shorter one is not padded.
  /// - Complexity: O(n) in the clusters of the text.
  @discardableResult
  package mutating func write(
    _ text: DisplayText,
    at point: Point,
    width: Int? = nil,
    role: Role
  ) -> Int {
    let text = width.map { text.clipped(to: $0) } ?? text
    let end = point.x + text.width
    guard point.y >= 0, point.y < size.rows, point.x < size.columns, end > 0 else { return end }
    if text.isASCII {
      writeASCII(text.plain, at: point, role: role)
    } else {
      writeClusters(text, at: point, role: role)
    }
    return end
  }

  /// Fills a rectangle with a band, and a character that takes one cell; any other counts as a space.
  package mutating func fill(_ rect: Rect, role: Role, character: Character = " ") {
    let area = rect.intersection(bounds)
    guard !area.isEmpty else { return }
    let scalars = character.unicodeScalars
    var cell = Cell.blank(role)
    if let scalar = scalars.first, scalars.count == 1, TextWidth.classify(scalar) == .spacing(1) {
      cell.code = scalar.value
    }
    for y in area.minY..<area.maxY {
      let row = y * size.columns
      detach(from: row + area.minX, to: row + area.maxX)
      for index in (row + area.minX)..<(row + area.maxX) { cells[index] = cell }
    }
  }

  /// Changes the roles of the cells in a rectangle, but not their text.
  package mutating func setRole(_ role: Role, _ rect: Rect) {
    let area = rect.intersection(bounds)
    guard !area.isEmpty else { return }
    for y in area.minY..<area.maxY {
      let row = y * size.columns
      for index in (row + area.minX)..<(row + area.maxX) { cells[index].role = role }
    }
  }

  /// Shows that the keys go to another screen, which is drawn next.
  ///
  /// - Complexity: O(n) in the number of cells.
  mutating func blurCursor() {
    for index in cells.indices where cells[index].role == .cursorCell {
      cells[index].role = .cursorBlur
    }
  }

  /// Returns the text of a cell; empty in the later cells of a cluster and outside the canvas.
  package func text(at point: Point) -> String {
    bounds.contains(point) ? text(of: cells[point.y * size.columns + point.x]) : ""
  }

  /// Returns the role of a cell; nil outside the canvas.
  package func role(at point: Point) -> Role? {
    bounds.contains(point) ? cells[point.y * size.columns + point.x].role : nil
  }

  /// Returns the text of one of this canvas's cells.
  package func text(of cell: Cell) -> String {
    if cell.isContinuation { return "" }
    if cell.code & Self.clusterFlag != 0 {
      return clusters[Int(cell.code & ~Self.clusterFlag)]
    }
    return Unicode.Scalar(cell.code).map { String(Character($0)) } ?? " "
  }

  /// Returns the scalar of a cell with only one; nil for a cluster of several.
  package func scalar(of cell: Cell) -> Unicode.Scalar? { Unicode.Scalar(cell.code) }

  /// Tests whether row `y` looks the same on both canvases, which must have the same width.
  package func row(_ y: Int, equals other: Canvas) -> Bool {
    guard size.columns == other.size.columns, y < size.rows, y < other.size.rows else {
      return false
    }
    for index in (y * size.columns)..<((y + 1) * size.columns) {
      let left = cells[index]
      let right = other.cells[index]
      guard left.role == right.role, left.band == right.band, left.width == right.width
      else { return false }
      if (left.code | right.code) & Self.clusterFlag == 0 {
        guard left.code == right.code || left.isContinuation else { return false }
      } else if text(of: left) != other.text(of: right) {
        return false
      }
    }
    return true
  }

  /// Returns the rows as text, without trailing spaces.
  package func plainLines() -> [String] {
    (0..<size.rows).map { y in
      var line = ""
      for cell in cells[(y * size.columns)..<((y + 1) * size.columns)] where !cell.isContinuation {
        line += text(of: cell)
      }
      while line.utf8.last == 0x20 { line.unicodeScalars.removeLast() }
      return line
    }
  }

  /// Returns `size.rows` lines without trailing spaces, joined by line feeds, without one at the end.
  package func plainText() -> String { plainLines().joined(separator: "\n") }
}

extension Canvas {
  private mutating func writeASCII(_ text: String, at point: Point, role: Role) {
    let start = max(0, point.x)
    let end = min(size.columns, point.x + text.utf8.count)
    guard start < end else { return }
    let row = point.y * size.columns
    detach(from: row + start, to: row + end)
    var index = row + start
    for byte in text.utf8.dropFirst(start - point.x).prefix(end - start) {
      cells[index] = Cell(code: UInt32(byte), role: role, band: cells[index].band, width: 1)
      index += 1
    }
  }

  private mutating func writeClusters(_ text: DisplayText, at point: Point, role: Role) {
    let row = point.y * size.columns
    let start = max(0, point.x)
    let end = min(size.columns, point.x + text.width)
    guard start < end else { return }
    detach(from: row + start, to: row + end)
    var x = point.x
    text.forEachCluster { scalar, range, width in
      if x >= start, x + width <= end {
        cells[row + x] = Cell(
          code: scalar?.value ?? code(of: text.plain[range]),
          role: role,
          band: cells[row + x].band,
          width: UInt8(width)
        )
        for place in (row + x + 1)..<(row + x + max(1, width)) {
          cells[place] = Cell(code: 0x20, role: role, band: cells[place].band, width: 0)
        }
      } else if x < end {
        // The cluster crosses an edge: the part inside stays blank.
        for column in max(x, start)..<max(start, min(x + width, end)) {
          cells[row + column].blank(role)
        }
      }
      x += width
      return x < end
    }
  }

  private mutating func code(of cluster: Substring) -> UInt32 {
    clusters.append(String(cluster))
    return Self.clusterFlag | UInt32(clusters.count - 1)
  }

  /// Blanks the cells outside of `from..<to` whose cluster has a cell inside.
  private mutating func detach(from: Int, to: Int) {
    if cells[from].isContinuation {
      var index = from
      while cells[index].isContinuation {
        cells[index].blank()
        index -= 1
      }
      cells[index].blank()
    }
    var index = to
    while index < cells.count, cells[index].isContinuation {
      cells[index].blank()
      index += 1
    }
  }
}
