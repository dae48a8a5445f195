package import OpenSwiftData

/// What a table shows of an entity: its columns, filter, order and groups.
package struct TableView: Hashable, Sendable {
  package var columns = ColumnArrangement()
  /// The filter as it was typed; empty without one.
  package var filter = ""
  package var sort: [SortKey] = []
  /// The column by which the records are grouped; empty without groups.
  package var group = ""

  package init(
    columns: ColumnArrangement = ColumnArrangement(),
    filter: String = "",
    sort: [SortKey] = [],
    group: String = ""
  ) {
    (self.columns, self.filter, self.sort, self.group) = (columns, filter, sort, group)
  }
}

/// The name of the view after which a table is named.
package struct ViewName: Hashable, Sendable {
  package var text: String
  /// True if the table shows something else now.
  package var isChanged: Bool

  package init(_ text: String, isChanged: Bool) { (self.text, self.isChanged) = (text, isChanged) }
}

/// The views of the entities of a store: how their tables were left, and those with a name.
package struct ViewBook: Hashable, Sendable {
  /// The table of each entity as it was left, if it differs from the first one.
  package var current: [String: TableView] = [:]
  /// The views after which these tables are named.
  package var currentNames: [String: ViewName] = [:]
  /// The views with a name, by entity and name.
  package var named: [String: [String: TableView]] = [:]

  package init() {}

  /// The views with no filter of a table as it was left.
  package var withoutCurrentFilters: ViewBook {
    var book = self
    for (name, view) in current where !view.filter.isEmpty {
      book.current[name]?.filter = ""
      book.currentNames[name]?.isChanged = true
    }
    return book
  }

  package var isEmpty: Bool { current.isEmpty && named.isEmpty }

  // MARK: Text

  /// The first line of a file.
  private static let header = "catalog views"
  private static let version = 1

  /// The views as the text of a file, which `init(parsing:)` reads.
  package var text: String {
    var lines = ["\(Self.header) \(Self.version)"]
    for (entity, view) in current.sorted(by: { $0.key < $1.key }) {
      lines.append("entity \(CommandText.quoted(entity))")
      lines += view.lines
      if let name = currentNames[entity] {
        lines.append(
          "  named \(CommandText.quoted(name.text))" + (name.isChanged ? " changed" : "")
        )
      }
    }
    for (entity, views) in named.sorted(by: { $0.key < $1.key }) {
      for (name, view) in views.sorted(by: { $0.key < $1.key }) {
        lines.append("view \(CommandText.quoted(entity)) \(CommandText.quoted(name))")
        lines += view.lines
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Reads the text of a file.
  ///
  /// - Throws: `CommandError` with the line and what was expected there.
  package init(parsing text: String) throws(CommandError) {
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    guard lines.first == "\(Self.header) \(Self.version)" else {
      throw CommandError("line 1: expected \"\(Self.header) \(Self.version)\"")
    }
    var place: (entity: String, name: String?)?
    var view = TableView()
    for (number, line) in lines.enumerated().dropFirst() {
      do throws(CommandError) {
        let words = try CommandText(String(line)).words.map(\.text)
        guard let first = words.first else { continue }
        if let new = try Self.place(first, words) {
          put(view, at: place)
          (place, view) = (new, TableView())
        } else if place == nil {
          throw CommandError("expected \"entity NAME\"")
        } else if let entity = place?.entity, place?.name == nil, first == "named" {
          currentNames[entity] = try Self.viewName(words)
        } else {
          try view.take(words)
        }
      } catch {
        throw CommandError("line \(number + 1): \(error.message)")
      }
    }
    put(view, at: place)
  }

  private static func place(_ first: String, _ words: [String]) throws(CommandError)
    -> (entity: String, name: String?)?
  {
    switch (first, words.count) {
    case ("entity", 2): return (words[1], nil)
    case ("view", 3): return (words[1], words[2])
    case ("entity", _), ("view", _):
      throw CommandError("expected one name after \(Value.quoted(first))")
    default: return nil
    }
  }

  private static func viewName(_ words: [String]) throws(CommandError) -> ViewName {
    guard words.count == 2 || words.count == 3 && words[2] == "changed" else {
      throw CommandError("expected \"named NAME\" or \"named NAME changed\"")
    }
    return ViewName(words[1], isChanged: words.count == 3)
  }

  private mutating func put(_ view: TableView, at place: (entity: String, name: String?)?) {
    guard let place else { return }
    if let name = place.name {
      named[place.entity, default: [:]][name] = view
    } else {
      current[place.entity] = view
    }
  }
}

extension TableView {
  /// The view as a text, which `init(parsing:)` reads.
  package var text: String { lines.map { $0.dropFirst(2) + "\n" }.joined() }

  /// Reads the text of a view.
  ///
  /// - Throws: `CommandError` with the line and what was expected there.
  package init(parsing text: String) throws(CommandError) {
    self.init()
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      do throws(CommandError) {
        let words = try CommandText(String(line)).words.map(\.text)
        if !words.isEmpty { try take(words) }
      } catch {
        throw CommandError("line \(number + 1): \(error.message)")
      }
    }
  }

  /// The lines that describe it in a file.
  fileprivate var lines: [String] {
    var lines = columns.showsIdentifier.map { ["  identifier \($0 ? "shown" : "hidden")"] } ?? []
    lines += columns.columns.map { column in
      var words = ["  column", CommandText.quoted(column.name)]
      if let path = column.path {
        words.append(CommandText.quoted("path=\(path.field):\(path.type)"))
      }
      if let expression = column.expression {
        words.append(CommandText.quoted("computed=\(expression.type):\(expression.text)"))
      }
      if column.isHidden { words.append("hidden") }
      if column.isFrozen { words.append("frozen") }
      if let width = column.width { words.append("width=\(width)") }
      if !column.format.isPlain { words.append(CommandText.quoted("format=\(column.format.text)")) }
      return words.joined(separator: " ")
    }
    lines += sort.map {
      "  sort \(CommandText.quoted($0.attribute))" + ($0.isDescending ? " descending" : "")
    }
    if !group.isEmpty { lines.append("  group \(CommandText.quoted(group))") }
    if !filter.isEmpty { lines.append("  filter \(CommandText.quoted(filter))") }
    return lines
  }

  /// Takes a line of a file.
  fileprivate mutating func take(_ words: [String]) throws(CommandError) {
    switch (words[0], words.count) {
    case ("identifier", 2) where ["shown", "hidden"].contains(words[1]):
      columns.showsIdentifier = words[1] == "shown"
    case ("filter", 2): filter = words[1]
    case ("group", 2): group = words[1]
    case ("sort", 2): sort.append(SortKey(words[1]))
    case ("sort", 3) where words[2] == "descending":
      sort.append(SortKey(words[1], isDescending: true))
    case ("column", 2...):
      var column = TableColumn(words[1])
      for word in words.dropFirst(2) { try column.take(word) }
      columns.show([column], after: nil)
    default:
      throw CommandError(
        "expected a column, a sort key, a group or a filter, found \(Value.quoted(words[0]))"
      )
    }
  }
}

extension TableColumn {
  /// Takes a word of the line of a column.
  fileprivate mutating func take(_ word: String) throws(CommandError) {
    let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
    switch (parts[0], parts.count) {
    case ("hidden", 1): isHidden = true
    case ("frozen", 1): isFrozen = true
    case ("width", 2):
      guard let cells = Int(parts[1]), Self.widths.contains(cells) else {
        throw CommandError("width: \(Value.quoted(parts[1])) is not a width")
      }
      width = cells
    case ("format", 2):
      format = try ColumnFormat(words: parts[1].split(separator: " ").map(String.init))
    case ("computed", 2):
      let typed = parts[1].split(separator: ":", maxSplits: 1).map(String.init)
      guard typed.count == 2, let type = AttributeType(typed[0]) else {
        throw CommandError("computed: expected TYPE:EXPRESSION, found \(Value.quoted(parts[1]))")
      }
      expression = ColumnExpression(unread: typed[1], type: type)
    case ("path", 2):
      guard let colon = parts[1].lastIndex(of: ":").map({ Self.typeColon(parts[1], $0) }),
        let type = AttributeType(String(parts[1][colon...].dropFirst()))
      else { throw CommandError("path: expected FIELD:TYPE, found \(Value.quoted(parts[1]))") }
      path = Path(field: String(parts[1][..<colon]), type: type)
    default: throw CommandError("column: unexpected \(Value.quoted(word))")
    }
  }

  /// The colon before the type, which may itself contain one: `link:Author`.
  private static func typeColon(_ text: String, _ last: String.Index) -> String.Index {
    for word in [":link:", ":links:"] {
      if let range = text.firstRange(of: word) { return range.lowerBound }
    }
    return last
  }
}

/// What to do with the views of the table.
package enum ViewRequest: Hashable, Sendable {
  /// List the views with a name.
  case list
  case show(String)
  case save(String)
  /// Write what the table shows into the store.
  case write(String)
  case delete(String)
  /// Return to all columns, without filter, order and groups.
  case reset
}
