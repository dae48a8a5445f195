import OpenSwiftData

/// `column`: changes the columns of the table.
struct ArrangeColumns: Instruction {
  let request: ColumnRequest

  static var command: Command { goTo }

  func perform(in session: Session) throws -> Outcome { try session.show(.columns(request)) }

  /// The commands for columns, in the order of the help.
  static let commands = [
    goTo, ComputeColumn.command, ComputeColumn.rename, list, show, hide, move, width, freeze,
    format, expand, collapse, reset,
  ]

  private static let goTo = Command(
    "column",
    usage: "[NAME]",
    summary: "go to a column; without a name, list all columns",
    details: """
      A column is the name of a field, its beginning, or a path. Without a name, the commands below change the
      column under the cursor. The columns are kept for the next time the store is opened.
      """
  ) { arguments, session in
    if ComputeColumn.isNext(arguments) { return try ComputeColumn(reading: &arguments, session) }
    guard let name = try Self.only(arguments.takeWords(), session) else {
      return ArrangeColumns(request: .list)
    }
    return ArrangeColumns(request: .goTo(name))
  }

  private static let list = Command(
    "columns",
    summary: "list all columns, to show, hide and arrange them"
  ) { _, _ in ArrangeColumns(request: .list) }

  private static let show = Command(
    "column show",
    usage: "[NAME|PATH]",
    summary: "show a field, or a value inside it, as a column; without a name, all fields",
    details: """
      A path leads into JSON (user.login, tags[0]) or to a field of a linked record (author.name).
      """
  ) { arguments, session in
    guard let word = arguments.next() else { return ArrangeColumns(request: .showAll) }
    let text = try Self.only([word.text] + arguments.takeWords(), session) ?? word.text
    let entity = try session.entity()
    if text == entity.identifierKey { return ArrangeColumns(request: .showIdentifier) }
    let column = try arguments.locating(word) { try session.requireColumn(text, of: entity) }
    return ArrangeColumns(request: .show(column))
  }

  private static let hide = named("column hide", "hide a column", ColumnRequest.hide)

  private static let move = Command(
    "column move",
    usage: "[NAME] left|right|first|last|N",
    summary: "move a column; N is its new place among the columns"
  ) { arguments, session in
    var words = arguments.takeWords()
    let place = words.popLast() ?? ""
    let move: ColumnRequest.Move
    switch place {
    case "left": move = .by(-1)
    case "right": move = .by(1)
    case "first": move = .to(1)
    case "last": move = .to(.max)
    default:
      guard let number = Int(place), number > 0 else {
        throw CommandError(
          words.isEmpty && place.isEmpty
            ? "missing place; expected left, right, first, last or a number"
            : "expected left, right, first, last or a number, found \(Value.quoted(place))"
        )
      }
      move = .to(number)
    }
    return ArrangeColumns(request: .move(try Self.only(words, session), move))
  }

  private static let width = Command(
    "column width",
    usage: "[NAME] N|fit|auto",
    summary: "make a column N cells wide, or as wide as its values"
  ) { arguments, session in
    var words = arguments.takeWords()
    let text = words.popLast() ?? ""
    let width: ColumnRequest.Width
    switch text {
    case "fit": width = .fit
    case "auto": width = .automatic
    default:
      let range = TableColumn.widths
      guard let cells = Int(text), range.contains(cells) else {
        let expected =
          "expected fit, auto or a number from \(range.lowerBound) to \(range.upperBound)"
        throw CommandError(
          text.isEmpty ? "missing width; \(expected)" : "\(expected), found \(Value.quoted(text))"
        )
      }
      width = .cells(cells)
    }
    return ArrangeColumns(request: .width(try Self.only(words, session), width))
  }

  private static let freeze = Command(
    "column freeze",
    usage: "[NAME] [on|off]",
    summary: "keep a column at the left of the screen while the others scroll; off lets it scroll",
    details: """
      Frozen columns come first on the screen, except the one that names the records, which is frozen at its place.
      They can take half of the width; ¦ in the list of columns marks one that does not fit.
      """
  ) { arguments, session in
    var words = arguments.takeWords()
    let isFrozen = words.last != "off"
    if words.last == "on" || words.last == "off" { words.removeLast() }
    return ArrangeColumns(request: .freeze(try Self.only(words, session), isFrozen))
  }

  private static let format = Command(
    "column format",
    usage: "[NAME] plain|thousands|percent|bytes|money|yesno|DATE [decimals=N] [left|right|center]",
    summary: "choose how the values of a column are shown; the stored values stay as they are",
    details: """
      \(ColumnFormat.words.joined(separator: ", ")): several can be given. A DATE form is one of iso, long, dmy,
      mdy, month, year and relative. A column named like a form is written before it.
      """
  ) { arguments, session in
    var words = arguments.takeWords()
    var name: String?
    if let first = words.first {
      let fields = try session.entity().fields.map(\.name)
      // The reason does not matter: any other word may be a name.
      let isForm = (try? ColumnFormat(words: [first])) != nil
      if ColumnArrangement.name(typed: first, among: fields) != nil && !isForm
        || fields.contains(first) && words.count > 1 || first.contains(where: { ".[".contains($0) })
      {
        name = words.removeFirst()
      }
      if words.count > 1, name == nil || fields.contains(where: { $0.hasPrefix("\(first) ") }) {
        let all = [name].compactMap { $0 } + words
        let count = (2...all.count).last { fields.contains(all.prefix($0).joined(separator: " ")) }
        if let count {
          name = all.prefix(count).joined(separator: " ")
          words = Array(all.dropFirst(count))
        }
      }
    }
    guard !words.isEmpty else {
      throw CommandError("missing format; \(Suggestion.text(for: "", among: ColumnFormat.words))")
    }
    return ArrangeColumns(request: .format(name, try ColumnFormat(words: words)))
  }

  private static let expand = named(
    "column expand",
    "show the members of objects, or the fields of linked records, as columns",
    ColumnRequest.expand
  )
  private static let collapse = named(
    "column collapse",
    "remove the columns that were added for a field",
    ColumnRequest.collapse
  )

  private static let reset = Command(
    "column reset",
    summary: "show the columns as at first"
  ) { _, _ in ArrangeColumns(request: .reset) }

  /// A command whose only argument is a column.
  private static func named(
    _ name: String,
    _ summary: String,
    _ request: @escaping @Sendable (String?) -> ColumnRequest
  ) -> Command {
    Command(name, usage: "[NAME]", summary: summary) { arguments, session in
      ArrangeColumns(request: request(try only(arguments.takeWords(), session)))
    }
  }

  /// The name of a column, which may have spaces; nil if there is no word.
  private static func only(_ words: [String], _ session: Session) throws -> String? {
    guard words.count > 1 else { return words.first }
    let whole = words.joined(separator: " ")
    if let name = try named(by: words, session) { return name }
    throw CommandError(
      "unexpected \(Value.quoted(words[1])) after the column; "
        + "a name with spaces is written in quotes: \(CommandText.quoted(whole))"
    )
  }

  /// The field that several words name together; nil if they name none.
  private static func named(by words: [String], _ session: Session) throws -> String? {
    ColumnArrangement.name(
      typed: words.joined(separator: " "),
      among: try session.entity().fields.map(\.name)
    )
  }
}
