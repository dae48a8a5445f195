import Expressions
import OpenSwiftData

/// An everyday change of the values of a column, as a command that stands for `set` with an expression.
struct Transform: Sendable {
  /// A field, and the expression that gives its new value.
  typealias Part = (field: Schema.Attribute, expression: String)

  let name: String
  /// What follows the name.
  let usage: String
  let summary: String
  /// What people call it.
  let words: String
  /// Reads what follows the name.
  let read: @Sendable (inout Arguments, Schema.Entity) throws -> [Part]

  /// All of them, in the order of the help.
  static let all = [
    ofText("trim", "remove white space at both ends", "strip spaces, whitespace"),
    ofText(
      "clean",
      "trim, join runs of white space, remove invisible characters",
      "squeeze spaces, collapse whitespace, normalize"
    ),
    ofText("upper", "write in capital letters", "uppercase, upper case, all caps"),
    ofText("lower", "write in small letters", "lowercase, lower case"),
    ofText(
      "capitalize",
      "begin each word with a capital letter",
      "title case, proper case",
      function: "title"
    ),
    Transform(
      name: "toggle",
      usage: "FIELD",
      summary: "turn true into false and false into true",
      words: "invert, flip, negate, switch"
    ) { arguments, entity in
      let field = try arguments.requireField(of: entity)
      let value = field.spelled
      return [(field, "if \(value) is null then null elif \(value) then false else true")]
    },
    Transform(
      name: "increment",
      usage: "FIELD [by NUMBER]",
      summary: "add a number, or 1",
      words: "add, increase, decrease, decrement, plus, minus, count up"
    ) { arguments, entity in
      let field = try arguments.requireField(of: entity)
      let step = arguments.take("by") ? try arguments.require("number after \"by\"") : nil
      return [(field, "\(field.spelled) + (\(step?.text ?? "1"))")]
    },
    Transform(
      name: "replace",
      usage: "FIELD /REGEX/TEXT/[i]",
      summary: "replace all matches of a regular expression; $1 is its first group",
      words: "find and replace, search and replace, substitute"
    ) { arguments, entity in
      let field = try arguments.requireField(of: entity)
      let (pattern, text) = try arguments.requireReplacement()
      let parts = [pattern, text].map { Filter.literal(.text($0)) }.joined(separator: ", ")
      return [(field, "sub(\(field.spelledText), \(parts))")]
    },
    Transform(
      name: "split",
      usage: "FIELD SEPARATOR into FIELD,…",
      summary: "put the parts between a separator into fields",
      words: "split into columns, text to columns, separate"
    ) { arguments, entity in
      let field = try arguments.requireField(of: entity)
      let separator = Filter.literal(.text(try arguments.require("separator").text))
      try arguments.require(keyword: "into")
      return try arguments.requireFields(of: entity).enumerated().map { place, part in
        (part, "text(split(\(field.spelledText), \(separator))[\(place)])")
      }
    },
    Transform(
      name: "combine",
      usage: "FIELD,… SEPARATOR into FIELD",
      summary: "join the values of fields with a separator, without the missing ones",
      words: "join columns, concatenate, merge columns, glue"
    ) { arguments, entity in
      let names = try arguments.requireFields(of: entity).map(\.spelled)
      let separator = Filter.literal(.text(try arguments.require("separator").text))
      try arguments.require(keyword: "into")
      let field = try arguments.requireField(of: entity)
      return [(field, combined(names, separator))]
    },
    Transform(
      name: "swap",
      usage: "FIELD FIELD",
      summary: "exchange the values of two fields",
      words: "exchange columns, switch columns"
    ) { arguments, entity in
      let first = try arguments.requireField(of: entity)
      let second = try arguments.requireField(of: entity)
      guard first.name != second.name else {
        throw CommandError("\(first.name): name two different fields")
      }
      return [(first, second.spelled), (second, first.spelled)]
    },
    Transform(
      name: "fill",
      usage: "FIELD",
      summary: "give records without a value that of the record above",
      words: "copy down, fill down, carry forward, blanks"
    ) { arguments, entity in
      let field = try arguments.requireField(of: entity)
      return [(field, "fill(\(field.spelled))")]
    },
    Transform(
      name: "enumerate",
      usage: "FIELD [from N] [by N]",
      summary: "number the records in their order",
      words: "number rows, sequence, renumber, rank"
    ) { arguments, entity in
      let field = try arguments.requireField(of: entity)
      let first = arguments.take("from") ? try arguments.requireInteger("from") : 1
      let step = arguments.take("by") ? try arguments.requireInteger("by") : 1
      return [(field, "(row() - 1) * (\(step)) + (\(first))")]
    },
  ]

  /// A change of the text of one field by a function of one value.
  private static func ofText(
    _ name: String,
    _ summary: String,
    _ words: String,
    function: String? = nil
  ) -> Transform {
    Transform(name: name, usage: "FIELD", summary: summary, words: words) { arguments, entity in
      let field = try arguments.requireField(of: entity)
      return [(field, "\(function ?? name)(\(field.spelledText))")]
    }
  }

  /// The values with a separator before each but the first one; null if all are missing.
  private static func combined(_ names: [String], _ separator: String) -> String {
    let parts = names.enumerated().map { place, name in
      guard place > 0 else { return name }
      let earlier = names[..<place].map { "\($0) is null" }.joined(separator: " and ")
      return "if \(earlier) or \(name) is null then \"\" else \(separator), \(name)"
    }
    let isMissing = names.map { "\($0) is null" }.joined(separator: " and ")
    return "if \(isMissing) then null else concat(\(parts.joined(separator: ", ")))"
  }

  /// The command in the list of commands.
  var command: Command {
    Command(
      name,
      usage: usage + " [where P [sort K]] [missing|skip]",
      summary: summary,
      details: """
        It is "set" with an expression. Without "where", it changes the marked records, or all that are shown, in
        the order of the screen, and shows what would change first; a script names the records, and "where true"
        means all. What can follow is that of "set".
        """.replacing("\n", with: " "),
      searchWords: words,
      changesData: true,
      isEdit: true
    ) { arguments, session in
      let entity = try session.entity()
      let parts = try read(&arguments, entity)
      let selection = try takeRecords(&arguments, of: entity, in: session)
      let scope = session.expressionScope(of: entity)
      let assignments = try parts.map { try Self.assignment(of: $0, in: scope) }
      return try SetValues(selection, assignments, &arguments)
    }
  }

  /// The records of `where P`, or else those that the screen shows.
  private func takeRecords(
    _ arguments: inout Arguments,
    of entity: Schema.Entity,
    in session: Session
  ) throws -> SetSelection {
    if arguments.peek?.isKeyword("where") == true {
      return try SetSelection.take(&arguments, session).selection
    }
    guard let shown = try session.origin.takeShown(of: entity, in: session.context) else {
      throw CommandError("which records? write \"\(name) … where P\"; \"where true\" means all")
    }
    guard !shown.isEmpty else { throw CommandError("no records to change") }
    return SetSelection(target: .records(shown))
  }

  /// Sets a field to the value of an expression that was not typed, if necessary as its type.
  ///
  /// - Throws: `CommandError` if the field does not take it.
  private static func assignment(
    of part: Part,
    in scope: ExpressionScope
  ) throws -> Assignment {
    let field = part.field
    if let reason = field.readOnlyReason { throw CommandError(reason, code: .readOnly) }
    func type(of text: String) throws(SyntaxProblem) -> ExpressionType {
      let parsed = try ExpressionParser.parse(text, in: scope)
      return try CompiledExpression.checkInOrder(parsed, text: text, in: scope)
    }
    do {
      var text = part.expression
      if try type(of: text).misfit(in: field.type) != nil {
        let converted = "\(field.type.description)(\(text))"
        // If no function gives the type, the error is that of the expression.
        if (try? type(of: converted)) != nil { text = converted }
      }
      try type(of: text).require(of: field)
      return Assignment(field.name, content: .computed(text))
    } catch let error as SyntaxProblem {
      throw CommandError("\(field.name): \(error.message)", code: FailureCode(error))
    }
  }
}

extension Schema.Attribute {
  /// The name as an expression has it.
  fileprivate var spelled: String { FilterParser.spelled(name) }

  /// The text of its value in an expression, which numbers and dates have, too.
  fileprivate var spelledText: String {
    switch type {
    case .text, .json, .uuid, .link, .links: spelled
    default: "text(\(spelled))"
    }
  }
}

extension Arguments {
  /// Reads the name of a field.
  fileprivate mutating func requireField(of entity: Schema.Entity) throws -> Schema.Attribute {
    let word = try require("field name")
    return try locating(word) { try entity.attribute(named: word.text) }
  }

  /// Reads the names of fields with commas between them.
  fileprivate mutating func requireFields(of entity: Schema.Entity) throws -> [Schema.Attribute] {
    try requireFields("field names", of: entity).map { try entity.attribute(named: $0.name) }
  }

  /// Reads a whole number after a keyword.
  fileprivate mutating func requireInteger(_ keyword: String) throws -> Int64 {
    let word = try require("number after \"\(keyword)\"")
    guard let number = Int64(word.text) else {
      throw CommandError(
        "\(keyword): \(Value.quoted(word.text)) is not a whole number",
        column: line.column(of: word.start)
      )
    }
    return number
  }

  /// Reads a keyword that has to come next.
  fileprivate mutating func require(keyword: String) throws {
    let word = try require("\"\(keyword)\"")
    guard word.isKeyword(keyword) else {
      throw CommandError(
        "expected \"\(keyword)\", found \(Value.quoted(word.text))",
        column: line.column(of: word.start)
      )
    }
  }

  /// Reads `/REGEX/TEXT/`, with any sign in place of the slash and `\/` for one inside; `i` at the end ignores case.
  fileprivate mutating func requireReplacement() throws -> (pattern: String, text: String) {
    let word = try require("/REGEX/TEXT/")
    // In quotes, the whole replacement is one word; without them it is read as it was typed, with its spaces.
    let start = word.isQuoted ? 0 : word.start
    let bytes = Array((word.isQuoted ? word.text : line.text).utf8)
    func failure(_ message: String, at place: Int) -> CommandError {
      CommandError(message, column: line.column(of: word.isQuoted ? word.start : place))
    }
    guard let sign = bytes.dropFirst(start).first, sign < 128,
      !(Character(Unicode.Scalar(sign)).isLetter || sign == UInt8(ascii: "\\"))
    else { throw failure("expected /REGEX/TEXT/, found \(Value.quoted(word.text))", at: start) }
    var parts: [[UInt8]] = [[]]
    var place = start + 1
    while place < bytes.count, parts.count < 3 {
      let isEscaped = bytes[place] == UInt8(ascii: "\\") && place + 1 < bytes.count
      if isEscaped {
        if bytes[place + 1] != sign { parts[parts.count - 1].append(bytes[place]) }
        place += 1
      }
      if bytes[place] == sign, !isEscaped {
        parts.append([])
      } else {
        parts[parts.count - 1].append(bytes[place])
      }
      place += 1
    }
    guard parts.count == 3 else {
      let shown = String(decoding: [sign], as: UTF8.self)
      throw failure(
        "missing \(Value.quoted(shown)) at the end of \(shown)REGEX\(shown)TEXT\(shown)",
        at: bytes.count
      )
    }
    let ignoresCase = place < bytes.count && bytes[place] == UInt8(ascii: "i")
    if ignoresCase { place += 1 }
    guard place == bytes.count || bytes[place] == UInt8(ascii: " ") else {
      throw failure(
        "unexpected text after the replacement; only i can follow, which ignores case",
        at: place
      )
    }
    if !word.isQuoted { while let next = peek, next.start < place { _ = self.next() } }
    let texts = parts.map { String(decoding: $0, as: UTF8.self) }
    return ((ignoresCase ? "(?i)" : "") + texts[0], texts[1])
  }
}
