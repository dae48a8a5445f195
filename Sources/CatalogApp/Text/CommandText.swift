import OpenSwiftData

/// A command as text, split into words as in a shell.
///
/// `'single'` quotes keep every character, `"double"` quotes support the escapes of `TextEscape`,
/// `$'…'` has the escapes of bash, and `#` begins a comment where a word could begin. A name can be
/// written in `backticks`, in which a doubled backtick is one. Outside quotes a backslash makes a sign a part of the word;
/// before a letter it is one itself, as in `C:\new`. Every word records its position, so that
/// a predicate can be parsed from the line itself.
package struct CommandText: Hashable, Sendable {
  /// One word.
  package struct Word: Hashable, Sendable {
    /// The word without its quotes.
    package let text: String
    /// Its offset in the line, in bytes.
    package let start: Int
    /// True if a part of it was quoted.
    package let isQuoted: Bool
    /// The offset in bytes of the first unquoted `=` in `text`; nil if there is none.
    package let equals: Int?
    /// The offset in bytes of the first unquoted `:` in `text`; nil if there is none.
    package let colon: Int?
    /// The offset of its end in the line, in bytes.
    package let end: Int
    /// True if a part after the `=` was quoted, so that `title=""` is empty text, not null.
    package let isValueQuoted: Bool
    /// The offset in bytes of the text after the first `=` in the line, or of the word if there is
    /// none.
    package let valueStart: Int

    /// Creates a word that did not come from a line.
    package init(
      _ text: String,
      start: Int = 0,
      isQuoted: Bool = false,
      equals: Int? = nil,
      isValueQuoted: Bool = false,
      valueStart: Int? = nil,
      colon: Int? = nil,
      end: Int? = nil
    ) {
      self.colon = colon
      self.end = end ?? start + text.utf8.count
      self.text = text
      self.start = start
      self.isQuoted = isQuoted
      self.equals = equals
      self.isValueQuoted = isValueQuoted
      self.valueStart = valueStart ?? start
    }

    /// A hint for writing `FIELD=VALUE` without quotes around the whole word; nil for any other word.
    var quotingHint: String? {
      guard isQuoted, equals == nil, let sign = text.firstIndex(of: "="), sign > text.startIndex
      else { return nil }
      let value = String(text[text.index(after: sign)...])
      return "quote the value only: " + CommandText.assignment(String(text[..<sign]), value)
    }

    /// True when it is this keyword, in any case and without quotes.
    package func isKeyword(_ keyword: String) -> Bool {
      !isQuoted && text.utf8.count == keyword.utf8.count && text.lowercased() == keyword
    }

    /// The text before and after the `=`; nil if there is none.
    package var assignment: (name: String, value: String)? {
      assignedName.flatMap { name in assignedValue.map { (name, $0) } }
    }

    /// The text before the `=`; nil if there is none.
    var assignedName: String? {
      equals.map { String(decoding: text.utf8.prefix($0), as: UTF8.self) }
    }

    /// The text after the `=`; nil if there is none.
    var assignedValue: String? {
      equals.map { String(decoding: text.utf8.dropFirst($0 + 1), as: UTF8.self) }
    }
  }

  /// The original line.
  package let text: String
  /// Its words; empty for an empty line or a comment.
  package let words: [Word]
  /// The text after the name of a command that takes text instead of words; nil for all others.
  let unsplit: String?

  /// Splits a line.
  ///
  /// - Throws: `CommandError` when a quote is not closed or an escape is unknown.
  package init(_ text: String) throws(CommandError) {
    self.text = text
    var splitter = WordSplitter(text)
    var words: [Word] = []
    words.reserveCapacity(4)
    while let word = try splitter.next() { words.append(word) }
    self.words = words
    unsplit = nil
  }

  /// Creates a command from the text after its name, which is not split.
  init(unsplit rest: String, of line: String) {
    text = line
    words = []
    unsplit = rest
  }

  /// A part of the line as it was typed, given by its offsets in bytes.
  func typed(_ range: some RangeExpression<Int>) -> String {
    String(decoding: Array(text.utf8)[range], as: UTF8.self)
  }

  /// The column of an offset in the line, in characters from 1.
  ///
  /// - Complexity: O(n), for messages only.
  package func column(of offset: Int) -> Int { Self.column(of: offset, in: text) }

  /// True if the byte before an offset is this one, as it was typed.
  func hasByte(_ byte: UInt8, before offset: Int) -> Bool { text.utf8.prefix(offset).last == byte }

  fileprivate static func column(of offset: Int, in text: String) -> Int {
    String(decoding: text.utf8.prefix(offset), as: UTF8.self).count + 1
  }

  /// Writes `FIELD=VALUE` so that it parses as the same assignment; nil sets the field to null.
  static func assignment(_ attribute: String, _ text: String?) -> String {
    var name = ""
    for scalar in attribute.unicodeScalars {
      if scalar.utf8.allSatisfy(Self.needsEscape) { name += "\\" }
      name.unicodeScalars.append(scalar)
    }
    return name + "=" + (text.map { needsQuotes($0) ? inQuotes($0) : quoted($0) } ?? "")
  }

  /// True for a byte that may have a meaning of its own in a line, so that a backslash before it takes that away.
  fileprivate static func needsEscape(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, 0x80...: false
    default: !"_-.".utf8.contains(byte)
    }
  }

  /// True for a value that means something else in an assignment unless it is quoted: `null`, arithmetic such as
  /// `qty*price`, and text before a comma.
  private static func needsQuotes(_ value: String) -> Bool {
    value.last == "," || value.lowercased() == "null"
      || value.utf8.contains { "+-/".utf8.contains($0) } && value.contains(where: \.isLetter)
  }

  /// Quotes a word so that splitting restores it.
  package static func quoted(_ word: String) -> String {
    let plain = word.utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
        || "_-.:/,+%@".utf8.contains($0) || $0 >= 0x80
    }
    if plain, !word.isEmpty, !word.unicodeScalars.contains(where: JSONText.mustEscape) {
      return word
    }
    return inQuotes(word)
  }

  /// A text in double quotes.
  private static func inQuotes(_ word: String) -> String {
    var result = "\""
    for scalar in word.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      default:
        if JSONText.mustEscape(scalar) {
          result += "\\u{" + String(scalar.value, radix: 16) + "}"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }
}

/// An error in a command: a one-line message for users.
package struct CommandError: CodedError, Hashable, Sendable, CustomStringConvertible {
  /// The problem and a hint.
  package let message: String
  /// The column of the error, in characters from 1; nil if it concerns the whole line.
  package let column: Int?
  /// The kind of the failure.
  package let code: FailureCode

  /// The message, preceded by its column.
  package var description: String { (column.map { "column \($0): " } ?? "") + message }

  package init(_ message: String, column: Int? = nil, code: FailureCode = .invalidCommand) {
    self.message = message
    self.column = column
    self.code = code
  }
}

/// Splits words off a line.
private struct WordSplitter {
  private let line: String
  private var bytes: ArraySlice<UInt8>
  /// True after the word `where`: predicates contain fields, so backticks may occur anywhere in a word.
  private var isInPredicate = false

  init(_ text: String) {
    line = text
    bytes = Array(text.utf8)[...]
  }

  mutating func next() throws(CommandError) -> CommandText.Word? {
    while let byte = bytes.first, Self.isSpace(byte) { bytes.removeFirst() }
    guard let first = bytes.first, first != UInt8(ascii: "#") else { return nil }
    let start = bytes.startIndex
    var isQuoted = false
    var isValueQuoted = false
    var equals: Int?
    var colon: Int?
    var valueStart: Int?
    let plain = takePlainStart(&equals, &colon)
    if let equals { valueStart = start + equals + 1 }
    var text = Array(plain)
    while let byte = bytes.first, !Self.isSpace(byte) {
      bytes.removeFirst()
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        isQuoted = true
        if equals != nil { isValueQuoted = true }
        try takeQuoted(by: byte, from: bytes.startIndex - 1, into: &text)
      case UInt8(ascii: "$") where bytes.first == UInt8(ascii: "'"):
        isQuoted = true
        if equals != nil { isValueQuoted = true }
        bytes.removeFirst()
        text += try quotedAsByShells(from: bytes.startIndex - 2)
      case UInt8(ascii: "$")
      where bytes.first == UInt8(ascii: "{") && (equals != nil || Self.mayBeginValue(after: text)):
        text += [byte] + takeThrough(UInt8(ascii: "}"))
      case UInt8(ascii: "\\"):
        guard let next = bytes.first else {
          throw error(
            "unexpected \\ at the end of the line; a command is one line",
            bytes.startIndex - 1
          )
        }
        text.append(CommandText.needsEscape(next) ? bytes.removeFirst() : byte)
      case UInt8(ascii: "`") where equals == nil && Self.mayBeginName(after: text):
        isQuoted = true
        text += try backticked()
      case UInt8(ascii: "`") where isInPredicate:
        text += [byte] + takeThrough(byte)
      default:
        if byte == UInt8(ascii: "="), equals == nil {
          equals = text.count
          valueStart = bytes.startIndex
        }
        if byte == UInt8(ascii: ":"), colon == nil { colon = text.count }
        text.append(byte)
      }
    }
    let word = CommandText.Word(
      String(decoding: text, as: UTF8.self),
      start: start,
      isQuoted: isQuoted,
      equals: equals,
      isValueQuoted: isValueQuoted,
      valueStart: valueStart,
      colon: colon,
      end: bytes.startIndex
    )
    if word.isKeyword("where") { isInPredicate = true }
    return word
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D
  }

  /// Takes the characters at the beginning of a word that mean themselves, which is the whole of most words, and finds
  /// the first `=` and the first `:` among them.
  private mutating func takePlainStart(_ equals: inout Int?, _ colon: inout Int?)
    -> ArraySlice<UInt8>
  {
    let count = bytes.withUnsafeBufferPointer { bytes in
      var place = 0
      while place < bytes.count {
        switch bytes[place] {
        case 0x20, 0x09, 0x0D, UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "$"),
          UInt8(ascii: "\\"), UInt8(ascii: "`"):
          return place
        case UInt8(ascii: "="): equals = equals ?? place
        case UInt8(ascii: ":"): colon = colon ?? place
        default: break
        }
        place += 1
      }
      return place
    }
    let plain = bytes.prefix(count)
    bytes = bytes.dropFirst(count)
    return plain
  }

  /// True where a name may begin: at the start of a word, or after a comma, a sign or the colon of a
  /// link.
  private static func mayBeginName(after text: [UInt8]) -> Bool {
    text.last.map { ",-+:".utf8.contains($0) } ?? true
  }

  /// True where the name of a parameter in braces may begin: at the start of a word, or after a sign before a value.
  private static func mayBeginValue(after text: [UInt8]) -> Bool {
    text.last.map { "=:/,(<>!".utf8.contains($0) } ?? true
  }

  /// The text between backticks, in which a doubled backtick is one.
  private mutating func backticked() throws(CommandError) -> [UInt8] {
    let start = bytes.startIndex - 1
    var content: [UInt8] = []
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "`") {
        guard bytes.first == byte else { return content }
        bytes.removeFirst()
      }
      content.append(byte)
    }
    throw unclosed("`", start)
  }

  /// The bytes through the next one of a kind; empty if there is none.
  private mutating func takeThrough(_ last: UInt8) -> [UInt8] {
    guard let end = bytes.firstIndex(of: last) else { return [] }
    defer { bytes = bytes[(end + 1)...] }
    return Array(bytes[...end])
  }

  /// A quote that is open at the end of the line: the next line may belong to the same value.
  private func unclosed(_ quote: String, _ start: Int) -> CommandError {
    let column = CommandText.column(of: start, in: line)
    let advice = quote == "'" ? "; quote a text with an apostrophe like \"O'Neil\"" : ""
    return CommandError("unclosed \(quote)\(advice)", column: column, code: .unclosedQuote)
  }

  private func error(_ message: String, _ offset: Int) -> CommandError {
    CommandError(message, column: CommandText.column(of: offset, in: line))
  }

  private mutating func takeQuoted(
    by quote: UInt8,
    from start: Int,
    into text: inout [UInt8]
  ) throws(CommandError) {
    let escape = quote == UInt8(ascii: "\"") ? UInt8(ascii: "\\") : quote
    while let end = bytes.firstIndex(where: { $0 == quote || $0 == escape }) {
      text += bytes[..<end]
      let isEnd = bytes[end] == quote
      bytes = bytes[(end + 1)...]
      if isEnd { return }
      guard let escaped = TextEscape.take(from: &bytes) else { throw error(TextEscape.hint, end) }
      text += escaped
    }
    throw unclosed("\(Character(Unicode.Scalar(quote)))", start)
  }

  /// The text after `$'`, as bash reads it and `${name@Q}` writes it.
  private mutating func quotedAsByShells(from start: Int) throws(CommandError) -> [UInt8] {
    var content: [UInt8] = []
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "'") {
        guard String(validating: content, as: UTF8.self) != nil else {
          throw error("invalid UTF-8 in $'…'", start)
        }
        return content
      }
      guard byte == UInt8(ascii: "\\") else {
        content.append(byte)
        continue
      }
      let place = bytes.startIndex - 1
      guard let escaped = ShellEscape.take(from: &bytes) else {
        throw error(
          "invalid escape in $'…'; use \\ with a, b, e, f, n, r, t, v, \\, ', \", ?, c and a letter, up to "
            + "three octal digits, or x, u or U and hexadecimal digits",
          place
        )
      }
      content += escaped
    }
    throw unclosed("$'", start)
  }
}
