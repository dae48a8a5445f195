import OpenSwiftData

/// The line under the records that tells what the table shows: the entity, its view, the search, the groups, the sort
/// and the filter.
enum ChipLine {
  /// The parts, with the column of a match that is not on the screen.
  static func parts(_ host: ScreenHost) -> [String] {
    parts(host.table, matchIn: TableGeometry(host).unseenMatch(host.table))
  }

  /// The parts; none if the table shows everything as it is.
  static func parts(_ table: TableState, matchIn column: String? = nil) -> [String] {
    var parts: [String] = []
    // A star marks what differs from the view as it was saved.
    if let name = table.viewName { parts.append("view \(name)\(table.isViewChanged ? "*" : "")") }
    if !table.search.isEmpty { parts.append(searchText(table, in: column)) }
    if let group = table.group {
      let count = table.groups.counts.map { " (\($0.count))" } ?? ""
      parts.append("group \(group)\(count)" + (table.hasFoldedGroups ? ", folded" : ""))
    }
    if !table.sort.isEmpty {
      let keys = table.sort.map { ($0.isDescending ? "-" : "") + $0.attribute }
      parts.append("sort " + keys.joined(separator: ","))
    }
    if table.filter.isActive { parts.append(table.filter.statusText) }
    return parts
  }

  /// Draws the parts, and on the right that they do not include the latest edits, or else, if there is room, how to
  /// remove the next one.
  static func draw(on canvas: inout Canvas, _ area: Rect, y: Int, _ host: ScreenHost) {
    canvas.fill(Rect(x: area.minX, y: y, width: area.width, height: 1), role: .normal)
    let isNamed = host.status.entities.count < 2 || host.layout.tabLine != nil
    let entity = isNamed ? [] : [entityText(host)]
    let parts = (entity + Self.parts(host)).map { DisplayText($0) }
    let text = parts.dropFirst().reduce(sign + (parts.first ?? .empty)) { $0 + " · " + $1 }
    let more = text.width > area.width ? moreHint(host) : nil
    let outdated = (outdatedText(host) ?? more).map { DisplayText($0 + " ") }
    let room = outdated.map { max(area.width / 3, area.width - $0.width - 2) } ?? area.width
    let shown = outdated == nil ? text.shortened(to: room) : text.clipped(to: room)
    canvas.write(shown, at: Point(x: area.minX, y: y), role: .normal)
    // Chips begin and end with a blank.
    let width = min(area.width, shown.width + 1)
    canvas.setRole(.chip, Rect(x: area.minX, y: y, width: width, height: 1))
    var gap = Rect(x: area.minX, y: y, width: sign.width - 1, height: 1)
    for part in parts where gap.minX < area.minX + shown.width {
      canvas.setRole(.dim, gap)
      gap = Rect(x: gap.maxX + part.width + 2, y: y, width: 1, height: 1)
    }
    let hint = outdated ?? clearHint(host)
    if shown.width + 2 + hint.width <= area.width {
      let role: Role = outdatedText(host) == nil ? .dim : .warning
      canvas.write(hint, at: Point(x: area.maxX - hint.width, y: y), role: role)
    }
  }

  /// `^G shows all`; nil without a key for it.
  private static func moreHint(_ host: ScreenHost) -> String? {
    host.keys.keys(for: TableAction.position).first.map { "\($0) shows all" }
  }

  /// `edited since: ^L sorts again`; nil if the list includes all edits.
  static func outdatedText(_ host: ScreenHost) -> String? {
    host.table.outdatedText.map { "edited since: \(host.name(of: .redraw)) \($0)" }
  }

  /// The entity, with its place among several: `books 1/3`.
  static func entityText(_ host: ScreenHost) -> String {
    guard let entity = host.table.entity else { return "" }
    let entities = host.status.entities
    guard entities.count > 1, let place = entities.firstIndex(where: { $0.name == entity.name })
    else { return entity.name }
    return "\(entity.name) \(place + 1)/\(entities.count)"
  }

  /// `Esc clears filter`; empty if there is nothing to clear.
  private static func clearHint(_ host: ScreenHost) -> DisplayText {
    guard let next = host.table.nextToClear,
      let key = host.keys.keys(for: TableAction.clear).first
    else { return .empty }
    return DisplayText("\(key) clears \(next) ")
  }

  /// The beginning of the line.
  private static let sign: DisplayText = " ▽ "

  /// The text of the search, with the position of the cursor among the matches, and the column of its match.
  private static func searchText(_ table: TableState, in column: String?) -> String {
    let text = "search " + table.search
    let place = column.map { " in \($0)" } ?? ""
    guard let matches = table.matches, matches.text == table.search else { return text + place }
    let count = "\(matches.count)\(matches.isCapped ? "+" : "")"
    guard let number = matches.place, matches.row == table.row else {
      return "\(text) (\(count) \(matches.count == 1 ? "match" : "matches"))" + place
    }
    return "\(text) (\(number) of \(count))" + place
  }
}
