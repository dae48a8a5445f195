import Foundation
import OpenSwiftData

/// The lines of a list: those that its filter shows, the selected one, and the position for the title.
///
/// Invariants:
/// 1. `shown` has indices of lines, each once, in order unless the lines are sorted.
/// 2. `place` is that of a shown line, or 0 without any.
struct ListFrame<Line: Identifiable & Sendable>: Sendable where Line.ID: Sendable {
  /// All lines.
  private(set) var lines: [Line] = []
  /// The texts by which they are filtered.
  private var texts: [String] = []
  /// The indices of all lines in their order.
  private var sorted: [Int] = []
  private var shown: [Int] = []
  /// The marked lines, of which the filter may hide some.
  private(set) var marks: Set<Line.ID> = []
  /// How the lines are sorted; nil for the order in which they are.
  private(set) var order: ListOrder?
  /// The values by which they are sorted; empty without an order.
  private var keys: [Value] = []
  /// The position of the selected line among the shown ones.
  private(set) var place = 0
  private(set) var filter = LineFilter()

  /// The selected line; nil if none is shown.
  var selected: Line? { shown.indices.contains(place) ? self[place] : nil }

  /// The number of lines that are shown.
  var shownCount: Int { shown.count }

  /// The marked lines in their order; without marks all that are shown.
  var markedOrShown: [Line] { marks.isEmpty ? shown.map { lines[$0] } : marked }

  /// The marked lines in their order; without marks the selected one.
  var markedOrSelected: [Line] { marks.isEmpty ? selected.map { [$0] } ?? [] : marked }

  private var marked: [Line] { sorted.map { lines[$0] }.filter { marks.contains($0.id) } }

  /// Replaces the lines, and selects the wanted one, or else the one that was selected, or the one in its place.
  mutating func setLines(
    _ lines: [Line],
    text: (Line) -> String = { _ in "" },
    values: (Line) -> [Value] = { _ in [] },
    selecting wanted: Line.ID? = nil
  ) {
    let former = shown.indices.contains(place) ? shown[place] : nil
    let wanted = wanted ?? selected?.id
    self.lines = lines
    texts = lines.map(text)
    if !marks.isEmpty { marks.formIntersection(lines.map(\.id)) }
    takeKeys(values)
    arrange(selecting: lines.firstIndex { $0.id == wanted } ?? former)
  }

  /// Sorts the lines, or shows them as they are; the same one stays selected.
  mutating func sort(by order: ListOrder?, _ values: (Line) -> [Value]) {
    self.order = order
    takeKeys(values)
    arrange(selecting: shown.indices.contains(place) ? shown[place] : nil)
  }

  private mutating func takeKeys(_ values: (Line) -> [Value]) {
    keys = order.map { order in lines.map { values($0)[order.column] } } ?? []
  }

  private mutating func arrange(selecting line: Int?) {
    sortLines()
    showMatching(selecting: line)
  }

  private mutating func sortLines() {
    sorted = Array(texts.indices)
    if let order {
      let wanted: ComparisonResult = order.isDescending ? .orderedDescending : .orderedAscending
      // Equal ones stay as they are.
      sorted.sort { left, right in
        let result = keys[left].compare(keys[right])
        return result == .orderedSame ? left < right : result == wanted
      }
    }
  }

  private mutating func showMatching(selecting line: Int?) {
    shown = sorted.filter { filter.matches(texts[$0]) }
    select(line.flatMap { shown.firstIndex(of: $0) } ?? place)
    assert(place <= shown.count && (order != nil || shown == shown.sorted()), "Invariants 1 and 2")
  }

  private mutating func select(_ place: Int) { self.place = max(0, min(place, shown.count - 1)) }

  /// The positions, among the shown lines, of those that fit into the given number of rows, with the selected one.
  func visible(_ rows: Int) -> Range<Int> {
    let start = max(0, min(place - rows / 2, shown.count - rows))
    return start..<min(shown.count, start + max(0, rows))
  }

  /// The shown line at a position.
  subscript(position: Int) -> Line { lines[shown[position]] }

  /// `37/103`, with the number of lines that match the filter, and of those that are marked; empty without lines.
  var position: String {
    guard !lines.isEmpty else { return "" }
    return positionOfSelected + (shown.count < lines.count ? " of \(lines.count)" : "")
      + (marks.isEmpty ? "" : " · \(marks.count) marked")
  }

  /// `37/103`, or `0/0`.
  var positionOfSelected: String { "\(shown.isEmpty ? 0 : place + 1)/\(shown.count)" }

  /// Moves the selection, marks lines or begins the filter; false for an action that needs more than the lines.
  mutating func move(_ action: ListAction, page: Int = 1) -> Bool {
    switch action {
    case .down: select(place + 1)
    case .up: select(place - 1)
    case .pageDown: select(place + max(1, page))
    case .pageUp: select(place - max(1, page))
    case .first: select(0)
    case .last: select(shown.count - 1)
    case .filter: filter.begin()
    case .mark:
      guard let line = selected else { return true }
      if marks.remove(line.id) == nil { marks.insert(line.id) }
      select(place + 1)
    case .markAll:
      let all = shown.map { lines[$0].id }
      if marks.isSuperset(of: all) { marks.subtract(all) } else { marks.formUnion(all) }
    case .accept, .leave, .sort, .turn, .show, .copy, .copyAll, .export, .help: return false
    }
    return true
  }

  /// Handles the mouse: the wheel moves, a press selects the line under it.
  mutating func handle(_ mouse: MouseEvent, in area: Rect) {
    switch mouse.kind {
    case .scrollDown: select(place + 1)
    case .scrollUp: select(place - 1)
    case .press, .double:
      let lines = visible(area.height)
      let line = lines.lowerBound + mouse.point.y - area.minY
      if area.contains(mouse.point), lines.contains(line) { select(line) }
    case .release, .menu, .drag: break
    }
  }

  /// Handles typing in the filter; false if the filter is not being typed.
  mutating func typeFilter(_ event: InputEvent) -> Bool {
    guard filter.isTyped else { return false }
    let selected = shown.indices.contains(place) ? shown[place] : nil
    filter.handle(event)
    showMatching(selecting: selected)
    return true
  }
}

/// How the lines of a list are sorted.
struct ListOrder: Hashable, Sendable {
  /// The number of a value of a line.
  let column: Int
  var isDescending = false
}
