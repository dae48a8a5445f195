import OpenSwiftData

/// What can follow in a command whose arguments have fixed places, such as `field type` and `column format`.
struct ArgumentWords: Hashable, Sendable {
  /// True if the name of a field can follow.
  var fields = false
  /// True if the name of a column can follow.
  var columns = false
  /// True if the name of an entity can follow.
  var entities = false
  /// The other words, as they are typed.
  var words: [String] = []

  /// Finds what can follow the words of a line; nil for a command that has no fixed places.
  ///
  /// - Parameters:
  ///   - words: The complete words, without quotes.
  ///   - current: The word that is being typed.
  ///   - known: The names of the entities.
  init?(after words: [String], current: String, entities known: [String]) {
    let command = words.prefix(2).map { $0.lowercased() }
    var arguments = Array(words.dropFirst(2))
    switch (command.first, command.dropFirst().first) {
    case ("field", let second?):
      let namesEntity = arguments.first.map { known.contains($0) } ?? false
      if namesEntity { arguments.removeFirst() }
      guard addField(second, arguments, current, known) else { return nil }
      if arguments.isEmpty, !namesEntity { entities = true }
    case ("column", let second?):
      guard addColumn(second, arguments.count, arguments.last ?? "") else { return nil }
    case ("sort", _), ("group", _): fields = true
    default: return nil
    }
  }

  /// Adds what can follow in a command for a field; false for an unknown one.
  private mutating func addField(
    _ command: String,
    _ arguments: [String],
    _ current: String,
    _ known: [String]
  ) -> Bool {
    let types =
      ValueKind.allCases.compactMap { AttributeType("\($0)")?.description }
      + known.flatMap { ["link:\($0)", "links:\($0)"] }
    switch command {
    case "add":
      let name = current.prefix { $0 != ":" }
      if name.endIndex < current.endIndex { words = types.map { "\(name):\($0)" } }
    case "type" where arguments.count == 1: words = types
    case "type" where arguments.count > 1:
      switch arguments.last?.lowercased() {
      case "order": words = ["dmy", "mdy", "ymd"]
      case "decimal" where arguments.count > 2: words = ["comma", "point"]
      default: words = ["order", "decimal", "missing"]
      }
    case "type", "rename", "drop": fields = arguments.isEmpty
    default: return false
    }
    return true
  }

  /// Adds what can follow in a command for a column after some arguments; false for an unknown one.
  private mutating func addColumn(_ command: String, _ count: Int, _ last: String) -> Bool {
    columns = count == 0
    switch command {
    case "show", "hide", "expand", "collapse": break
    case "reset": columns = false
    case "move": setLast(["left", "right", "first", "last"], after: count, last)
    case "width": setLast(["fit", "auto"], after: count, last)
    case "freeze": setLast(["on", "off"], after: count, last)
    case "format":
      // Those with a value end where it begins.
      words = ColumnFormat.words.map { word in
        word.firstIndex(of: "=").map { String(word[...$0]) } ?? word
      }
    default: return false
    }
    return true
  }

  /// The words that end a command, with or without a column before them.
  private mutating func setLast(_ last: [String], after count: Int, _ former: String) {
    if count == 0 || count == 1 && !last.contains(former) { words = last }
  }
}
