import OpenSwiftData

/// Determines what can follow at the end of a predicate that is being typed.
struct PredicateCompletion {
  /// The kind of word that is expected there.
  enum Wanted {
    case words([String])
    /// The values of a field that begin with a text.
    case values(Schema.Attribute, prefix: String)
  }

  /// The characters that a completion replaces.
  let range: Range<Int>
  let wanted: Wanted
  /// True if the words are names of fields.
  private(set) var namesFields = false

  /// Determines the expected word after the text before the cursor.
  init(before text: String, _ entity: Schema.Entity) {
    let end = text.count
    if Self.parameter(atEndOf: text) != nil {
      (range, wanted) = (end..<end, .words([]))
      return
    }
    var tokens = PredicateToken.split(text)
    // The token that touches the cursor is the one to complete.
    var typed: PredicateToken?
    if let last = tokens.last, last.range.upperBound == end, last.kind != .symbol,
      last.isWhole == (last.kind == .word || last.kind == .number)
    {
      typed = tokens.removeLast()
    }
    range = (typed?.range.lowerBound ?? end)..<end
    let prefix = typed?.text ?? ""
    switch Self.place(after: tokens, entity) {
    case .field:
      wanted = .words(Self.fields(of: entity, beginning: prefix).map(FilterParser.spelled))
      namesFields = true
    case .operation(let field):
      wanted = .words(Self.matching(prefix, Self.operations(for: field)))
    case .null: wanted = .words(Self.matching(prefix, ["null", "not null"]))
    case .list: wanted = .words(["("])
    case .value(let field): wanted = .values(field, prefix: prefix)
    case .connection: wanted = .words(Self.matching(prefix, ["and", "or"]))
    case .nothing: wanted = .words([])
    }
  }

  /// The parameter whose name is being typed; nil if the text does not end with one.
  static func parameter(atEndOf text: String) -> Substring? {
    guard let match = text.firstMatch(of: /(?:^|[\s=<>(,])(\$[A-Za-z0-9_]*)$/),
      text.count(where: { $0 == "\"" }).isMultiple(of: 2)
    else { return nil }
    return match.1
  }

  private enum Place {
    case field, operation(Schema.Attribute), null, list, value(Schema.Attribute), connection
    /// After a name that is not a field.
    case nothing
  }

  private static func place(after tokens: [PredicateToken], _ entity: Schema.Entity) -> Place {
    var place = Place.field
    var field: Schema.Attribute?
    var isList = false
    for token in tokens {
      let word = token.text.lowercased()
      switch place {
      case .field:
        guard !["not", "!", "("].contains(word) else { continue }
        field = token.field(of: entity)
        place = field.map { .operation($0) } ?? .nothing
      case .operation(let field):
        switch word {
        case "not": place = .operation(field)
        case "is": place = .null
        case "in": place = .list
        case "[", "]", "c", "d", "w", "cd", "dc": break
        default: place = .value(field)
        }
      case .list:
        isList = true
        place = field.map { .value($0) } ?? .connection
      case .value:
        // Options such as [c] come between an operator and its value.
        if token.kind != .symbol,
          !["c", "d", "w", "cd", "dc"].contains(word) || token.kind == .quoted
        {
          place = .connection
        }
      case .nothing:
        if token.isConnective { place = .field }
      case .null: if word != "not" { place = .connection }
      case .connection:
        if [",", "{"].contains(word), isList, let field {
          place = .value(field)
        } else if [")", "}"].contains(word) {
          isList = false
        } else if token.isConnective {
          place = .field
        }
      }
    }
    return place
  }

  private static func operations(for field: Schema.Attribute) -> [String] {
    let text = [
      "=", "!=", "contains", "beginswith", "endswith", "like", "matches", "in", "is null",
    ]
    let other = ["=", "!=", "<", "<=", ">", ">=", "between", "in", "is null"]
    return (field.type == .text || field.type == .json ? text : other) + ["is not null"]
  }

  /// The names that a typed text, which is none of them, is the beginning of.
  static func fields(of entity: Schema.Entity, beginning prefix: String) -> [String] {
    matching(prefix, entity.fields.map(\.name))
  }

  private static func matching(_ prefix: String, _ words: [String]) -> [String] {
    let prefix = prefix.lowercased()
    return words.filter {
      let word = $0.lowercased()
      return word.hasPrefix(prefix) && word != prefix
    }
  }
}

/// Words to choose among with the completion key, one after the other.
struct WordCycle: Sendable {
  /// The range of the current word.
  private(set) var range: Range<Int>
  let words: [String]
  /// What is shown after each word, such as how often it occurs; empty for nothing.
  let notes: [String]
  private(set) var index = -1

  /// Starts with the range to replace; nil if there are no words.
  init?(_ words: [String], notes: [String] = [], replacing range: Range<Int>) {
    guard !words.isEmpty else { return nil }
    self.words = words
    self.notes = notes
    self.range = range
  }

  /// Inserts the next word into the line; after the last word it starts again with the first.
  mutating func advance(_ editor: inout LineEditor) {
    index = (index + 1) % words.count
    let word = words[index]
    editor.replace(range, with: word)
    range = range.lowerBound..<(range.lowerBound + word.count)
  }

  /// Draws the words in a line, highlights the chosen one and keeps it visible.
  func draw(on canvas: inout Canvas, y: Int) {
    let columns = canvas.size.columns
    canvas.fill(Rect(x: 0, y: y, width: columns, height: 1), role: .normal)
    let shown = words.enumerated().map { place, word in
      DisplayText(word, clippedTo: max(8, columns / 3))
        + (notes.indices.contains(place) ? DisplayText(" (\(notes[place]))") : .empty)
    }
    var first = 0
    while first < index, shown[first...index].reduce(0, { $0 + $1.width + 2 }) > columns - 2 {
      first += 1
    }
    var x = 1
    for place in first..<shown.count where x < columns {
      let role: Role = place == index ? .cursorCell : .hint
      x = canvas.write(shown[place], at: Point(x: x, y: y), width: columns - x, role: role) + 2
    }
  }
}
