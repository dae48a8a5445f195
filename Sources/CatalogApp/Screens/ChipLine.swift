import OpenSwiftData

/// The line under the header that tells what the table shows: its view, the search, the sort and the filter.
enum ChipLine {
  /// The parts; none if the table shows everything as it is.
  static func parts(_ table: TableState) -> [String] {
    var parts: [String] = []
    if let name = table.viewName { parts.append("view \(name)") }
    if !table.search.isEmpty { parts.append(searchText(table)) }
    if !table.sort.isEmpty {
      let keys = table.sort.map { ($0.isDescending ? "-" : "") + $0.attribute }
      parts.append("sort " + keys.joined(separator: ","))
    }
    if table.filter.isActive { parts.append(table.filter.statusText) }
    return parts
  }

  /// Draws the parts, and after them how to remove the next one.
  static func draw(on canvas: inout Canvas, _ area: Rect, y: Int, _ table: TableState) {
    canvas.fill(Rect(x: area.minX, y: y, width: area.width, height: 1), role: .status)
    let text = DisplayText(sign + parts(table).joined(separator: " · "), clippedTo: area.width)
    canvas.write(text, at: Point(x: area.minX, y: y), width: area.width, role: .status)
  }

  /// The beginning of the line.
  private static let sign = " ▽ "

  /// The text of the search, with the position of the cursor among the matches.
  private static func searchText(_ table: TableState) -> String {
    let text = "search " + table.search
    guard let matches = table.matches, matches.text == table.search else { return text }
    let count = "\(matches.count)\(matches.isCapped ? "+" : "")"
    guard let place = matches.place, matches.row == table.row else {
      return "\(text) (\(count) \(matches.count == 1 ? "match" : "matches"))"
    }
    return "\(text) (\(place) of \(count))"
  }
}
