/// Reads `header=no delimiter=; missing=NA,-`.
struct ReadingOptionsParser {
  /// A word `KEY=VALUE`; a key may name a column behind a point.
  private struct Assignment {
    let key: String
    let column: String?
    let value: String
  }

  private var rest: Substring.UnicodeScalarView
  private var options = ReadingOptions()
  private var seen: Set<String> = []

  /// Reads a whole text.
  static func options(in text: String) throws(ReadingOptions.Fault) -> ReadingOptions {
    var parser = ReadingOptionsParser(rest: Substring(text).unicodeScalars)
    if text.split(separator: " ") == ["auto"] { return ReadingOptions() }
    while let assignment = try parser.next() { try parser.take(assignment) }
    return try parser.options.checked()
  }

  private init(rest: Substring.UnicodeScalarView) { self.rest = rest }

  // MARK: Words

  private mutating func next() throws(ReadingOptions.Fault) -> Assignment? {
    rest = rest.drop { $0 == " " || $0 == "\n" || $0 == "\t" }
    if rest.isEmpty { return nil }
    let key = try word(until: { $0 == "=" || $0 == "." || $0 == " " })
    var column: String?
    if rest.first == "." {
      rest.removeFirst()
      let name = try word(until: { $0 == "=" || $0 == " " })
      guard !name.isEmpty else { throw ReadingOptions.Fault("\(key).: missing name of a column") }
      column = name
    }
    guard rest.popFirst() == "=" else {
      if let name = ReadingOptions.name(ofKey: key) {
        throw ReadingOptions.Fault("\(name): a value is required, such as \(name)=…")
      }
      throw ReadingOptions.Fault(unknownKey: key)
    }
    return Assignment(key: key, column: column, value: try value(of: key))
  }

  /// A value; that of `quote` may be a quotation mark alone.
  private mutating func value(of key: String) throws(ReadingOptions.Fault) -> String {
    if rest.first == "\t" {
      rest.removeFirst()
      return "\t"
    }
    let behind = rest.dropFirst().first
    if key == "quote", rest.first == "\"", behind == nil || behind == " " {
      rest.removeFirst()
      return "\""
    }
    return try word(until: { $0 == " " || $0 == "\n" || $0 == "\t" })
  }

  /// Text up to a scalar for which `isEnd` holds, or in quotation marks.
  private mutating func word(
    until isEnd: (Unicode.Scalar) -> Bool
  ) throws(ReadingOptions.Fault) -> String {
    var text = String.UnicodeScalarView()
    guard rest.first == "\"" else {
      while let scalar = rest.first, !isEnd(scalar) {
        text.append(takeScalar(escaping: "t\\"))
      }
      return String(text)
    }
    rest.removeFirst()
    while let scalar = rest.first, scalar != "\"" { text.append(takeScalar(escaping: "t\\\"")) }
    guard rest.popFirst() != nil else {
      throw ReadingOptions.Fault("unclosed quote before \(Value.quoted(String(text)))")
    }
    return String(text)
  }

  /// The next scalar, or what a backslash and it stand for.
  private mutating func takeScalar(escaping letters: String) -> Unicode.Scalar {
    let scalar = rest.removeFirst()
    guard scalar == "\\", let next = rest.first, letters.unicodeScalars.contains(next) else {
      return scalar
    }
    rest.removeFirst()
    return next == "t" ? "\t" : next
  }

  // MARK: Meaning

  private mutating func take(_ assignment: Assignment) throws(ReadingOptions.Fault) {
    guard let key = ReadingOptions.name(ofKey: assignment.key) else {
      throw ReadingOptions.Fault(unknownKey: assignment.key)
    }
    let whole = assignment.column.map { "\(key).\($0)" } ?? key
    guard seen.insert(whole).inserted else { throw ReadingOptions.Fault("\(whole): duplicate") }
    if let column = assignment.column {
      guard key == "missing" else {
        throw ReadingOptions.Fault("\(whole): only missing can name a column")
      }
      options.missing.byColumn[column] = try Self.words(assignment.value)
    } else {
      try set(key, assignment.value)
    }
  }

  private mutating func set(_ key: String, _ value: String) throws(ReadingOptions.Fault) {
    switch key {
    case "header": options.header = try Self.choice(key, value)
    case "delimiter": options.delimiter = try Self.delimiter(value)
    case "quote": options.quote = try Self.quote(value)
    case "escape": options.escape = try Self.escape(value)
    case "skip": options.skippedLines = try Self.skip(value)
    case "comment": options.comment = try Self.comment(value)
    case "lines": options.lineEnd = try Self.choice(key, value)
    case "encoding": options.encoding = try Self.encoding(value)
    case "missing": options.missing.everywhere = try Self.words(value)
    case "decimal":
      guard ["point", ".", "comma", ","].contains(value) else {
        throw ReadingOptions.Fault(key, value, ["point", "comma"])
      }
      options.hasDecimalComma = value == "comma" || value == ","
    case "thousands": options.thousands = try Self.choice(key, value == " " ? "space" : value)
    case "dates": options.dates = try Self.choice(key, value)
    default: options.blanks = try Self.choice(key, value)
    }
  }

  private static func choice<Choice: RawRepresentable & CaseIterable>(
    _ key: String,
    _ value: String
  ) throws(ReadingOptions.Fault) -> Choice where Choice.RawValue == String {
    guard let choice = Choice(rawValue: value) else {
      throw ReadingOptions.Fault(key, value, Choice.allCases.map(\.rawValue))
    }
    return choice
  }

  private static func delimiter(
    _ value: String
  ) throws(ReadingOptions.Fault) -> ReadingOptions.Delimiter {
    switch value {
    case "auto": return .automatic
    case "tab": return .byte(0x09)
    case "space": return .byte(0x20)
    case "blanks": return .blanks
    case "none": return .none
    default:
      guard value.utf8.count == 1, let byte = value.utf8.first, byte == 0x09 || byte >= 0x20,
        byte < 0x7F, byte != UInt8(ascii: "\"")
      else {
        throw ReadingOptions.Fault(
          "delimiter",
          value,
          ["auto", "tab", "space", "blanks", "none", "one ASCII character"]
        )
      }
      return .byte(byte)
    }
  }

  private static func quote(_ value: String) throws(ReadingOptions.Fault) -> ReadingOptions.Quote {
    switch value {
    case "auto": return .automatic
    case "none": return .none
    case "\"", "'": return .byte(value.utf8.first ?? UInt8(ascii: "\""))
    default: throw ReadingOptions.Fault("quote", value, ["auto", "\"", "'", "none"])
    }
  }

  private static func escape(
    _ value: String
  ) throws(ReadingOptions.Fault) -> ReadingOptions.Escape {
    switch value {
    case "auto": return .automatic
    case "none": return .none
    case "\\": return .backslash
    case "tsv": return .tsv
    default: throw ReadingOptions.Fault("escape", value, ["auto", "none", "\\", "tsv"])
    }
  }

  private static func skip(_ value: String) throws(ReadingOptions.Fault) -> Int? {
    if value == "auto" { return nil }
    guard let count = Int(value), count >= 0, count <= 1_000_000 else {
      throw ReadingOptions.Fault("skip", value, ["auto", "0", "a number of lines"])
    }
    return count
  }

  private static func comment(
    _ value: String
  ) throws(ReadingOptions.Fault) -> ReadingOptions.Comment {
    switch value {
    case "auto": return .automatic
    case "none": return .none
    case "": throw ReadingOptions.Fault("comment", value, ["auto", "none", "a prefix"])
    case _ where value.utf8.count > DelimitedSyntax.longestComment:
      throw ReadingOptions.Fault(
        "comment",
        value,
        ["auto", "none", "a prefix of at most \(DelimitedSyntax.longestComment) bytes"]
      )
    default: return .prefix(value)
    }
  }

  private static func encoding(
    _ value: String
  ) throws(ReadingOptions.Fault) -> ReadingOptions.Encoding {
    switch value.lowercased() {
    case "utf8": .utf8
    case "latin-1", "iso-8859-1", "windows-1252", "cp1252": .latin1
    case let name: try choice("encoding", name)
    }
  }

  private static func words(_ value: String) throws(ReadingOptions.Fault) -> [String] {
    if value == "none" { return [] }
    let words = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard !words.contains("") else {
      throw ReadingOptions.Fault("missing", value, ["none", "words with a comma between them"])
    }
    return words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
