import OpenSwiftData

/// A line of a file of rules, read from left to right.
struct RuleLine {
  /// The bounds of a range: their places in the line.
  struct Bounds {
    /// Nil if there is none.
    let low, high: Range<Int>?
    /// The type of values that they can be compared with, if that of the field does not tell.
    let type: AttributeType
  }

  var scanner: SyntaxScanner
  /// Where the rule begins, behind its field.
  var ruleStart = 0
  /// Where the field before the rule begins.
  private(set) var fieldStart = 0

  init(_ text: String) { scanner = SyntaxScanner(text, from: 0) }

  /// A part of the line, without white space around it.
  func text(_ range: Range<Int>) -> String {
    var range = range
    while !range.isEmpty, scanner.isSpace(at: range.upperBound - 1) {
      range = range.lowerBound..<range.upperBound - 1
    }
    return scanner.text(range)
  }

  /// The place of what comes next.
  var start: Int {
    var ahead = scanner
    ahead.skipSpace()
    return ahead.position
  }

  /// The byte that comes next; nil at the end.
  var byte: UInt8? { scanner.byte(at: scanner.position) }

  /// The word that comes next; empty if something else does.
  var word: String {
    let start = start
    let letters = scanner.bytes[start...].prefix(while: SyntaxScanner.isWordByte)
    return String(decoding: letters, as: UTF8.self)
  }

  /// An error at a place, in bytes, and some characters further.
  func error(
    at offset: Int,
    further count: Int = 0,
    _ message: String,
    _ code: FailureCode = .invalidFile
  ) -> CommandError {
    CommandError(message, column: scanner.text(0..<offset).count + 1 + count, code: code)
  }

  /// The error of a word that is not a rule.
  func unknownRule(_ word: String) -> CommandError {
    let rules = "required, unique, a type, /regex/, in (…) or LOW..HIGH"
    guard !word.isEmpty else { return error(at: start, "expected a rule: \(rules)") }
    let names = ["required", "unique"] + AttributeType.spellings.filter { !$0.contains(":") }
    let near = Suggestion.nearest(to: word, among: names).map { "did you mean \"\($0)\"?" }
    return error(
      at: start,
      "unknown rule \(Value.quoted(word)); \(near ?? "available: \(rules)")"
    )
  }

  /// What comes next, without taking it.
  ///
  /// - Throws: `FilterSyntaxError`.
  func token() throws -> SyntaxToken {
    var ahead = scanner
    return try ahead.filterToken()
  }

  /// Takes a name.
  ///
  /// - Throws: `FilterSyntaxError`.
  mutating func next() throws -> SyntaxToken {
    let token = try scanner.filterToken()
    fieldStart = token.start
    return token
  }

  /// Takes this word, if it comes next.
  mutating func take(_ expected: String) -> Bool {
    guard word.lowercased() == expected else { return false }
    scanner.position = start + expected.utf8.count
    return true
  }

  /// Takes a comma, if it comes next.
  mutating func takeComma() -> Bool {
    guard scanner.byte(at: start) == UInt8(ascii: ",") else { return false }
    scanner.position = start + 1
    return true
  }

  /// Reads the sentence to the end of the line; nil without one.
  ///
  /// - Throws: `CommandError` for anything else.
  mutating func sentence() throws -> String? {
    guard scanner.skipSpace() else { return nil }
    guard byte == UInt8(ascii: ":") else {
      let rest = text(scanner.position..<scanner.bytes.count)
      throw error(
        at: scanner.position,
        "unexpected \(Value.quoted(rest)); expected the end of the line, or \":\" and a sentence"
      )
    }
    scanner.position += 1
    let sentence = text(start..<scanner.bytes.count)
    guard !sentence.isEmpty else {
      throw error(at: scanner.position, "missing sentence after \":\"")
    }
    return sentence
  }

  /// Reads a regular expression between slashes, in which `\/` is a slash.
  ///
  /// - Throws: `CommandError`.
  mutating func pattern() throws -> String {
    let start = scanner.position
    var content: [UInt8] = []
    var place = start + 1
    while let byte = scanner.byte(at: place), byte != UInt8(ascii: "/") {
      if byte == UInt8(ascii: "\\"), let escaped = scanner.byte(at: place + 1) {
        content += escaped == UInt8(ascii: "/") ? [escaped] : [byte, escaped]
        place += 2
      } else {
        content.append(byte)
        place += 1
      }
    }
    guard place < scanner.bytes.count else { throw error(at: start, "missing closing /") }
    guard !content.isEmpty else { throw error(at: start, "missing regular expression") }
    scanner.position = place + 1
    return String(decoding: content, as: UTF8.self)
  }

  // MARK: Parts that end outside of quotes

  /// The end of a list in parentheses, or of the file and column that stand in its place.
  ///
  /// - Throws: `CommandError`.
  func endOfList() throws -> Int {
    let start = start
    guard scanner.byte(at: start) == UInt8(ascii: "(") else {
      guard start < scanner.bytes.count else { throw error(at: start, "expected (…) after \"in\"") }
      return firstPlace(from: start) { scanner.isSpace(at: $0) } ?? scanner.bytes.count
    }
    guard let end = firstPlace(from: start, where: { scanner.byte(at: $0) == UInt8(ascii: ")") })
    else { throw error(at: start, "missing closing )") }
    return end + 1
  }

  /// The place of words in any case, outside of quotes; nil without them.
  func place(ofWords words: String) -> Range<Int>? {
    let wanted = Array(words.utf8)
    let start = firstPlace(from: scanner.position) { place in
      scanner.bytes[place...].prefix(wanted.count).map { byte in
        (65...90).contains(byte) ? byte | 0x20 : byte
      } == wanted && scanner.isSpace(at: place - 1)
        && scanner.byte(at: place + wanted.count).map(SyntaxScanner.isWordByte) != true
    }
    guard let start, start < end else { return nil }
    return start..<start + wanted.count
  }

  /// Where a comment begins, or the line ends.
  var end: Int { firstPlace(from: scanner.position, where: isComment) ?? scanner.bytes.count }

  /// Takes `LOW..HIGH`, where either bound can be omitted; nil if there is no range.
  ///
  /// - Throws: `CommandError` for a range without bounds, `FilterSyntaxError` for a bound that is not a value.
  mutating func bounds() throws -> Bounds? {
    let dot = UInt8(ascii: ".")
    let end = firstPlace(from: ruleStart) { endsRange(at: $0) } ?? scanner.bytes.count
    guard
      let dots = firstPlace(
        from: ruleStart,
        where: { scanner.byte(at: $0) == dot && scanner.byte(at: $0 + 1) == dot }
      ), dots <= end
    else { return nil }
    var behind = self
    behind.scanner.position = dots + 2
    let highStart = behind.start
    let highEnd =
      endsRange(at: highStart)
      ? highStart
      : firstPlace(from: highStart) { scanner.isSpace(at: $0) || endsRange(at: $0) }
        ?? scanner.bytes.count
    let low = trimmed(ruleStart..<dots)
    let high = highStart < highEnd ? highStart..<highEnd : nil
    guard let known = low ?? high else { throw error(at: ruleStart, "expected LOW..HIGH") }
    scanner.position = high == nil ? dots + 2 : highEnd
    return Bounds(low: low, high: high, type: try type(of: known))
  }

  /// The place without white space at its end; nil if nothing is left.
  private func trimmed(_ range: Range<Int>) -> Range<Int>? {
    let count = text(range).utf8.count
    return count == 0 ? nil : range.lowerBound..<range.lowerBound + count
  }

  /// True at a comment, and at a colon beside white space, which begins a sentence.
  private func endsRange(at place: Int) -> Bool {
    switch scanner.byte(at: place) {
    case nil: true
    case UInt8(ascii: ":"): scanner.isSpace(at: place + 1) || scanner.isSpace(at: place - 1)
    default: isComment(at: place)
    }
  }

  /// True at the `#` of a comment.
  private func isComment(at place: Int) -> Bool {
    scanner.byte(at: place) == UInt8(ascii: "#") && scanner.isSpace(at: place - 1)
  }

  /// The type of a value that is written like this.
  private func type(of bound: Range<Int>) throws -> AttributeType {
    var reader = SyntaxScanner(text(bound), from: 0)
    return switch try reader.filterToken().kind {
    case .number: .decimal
    case .date(let text): text.contains(":") ? .datetime : .date
    default: .text
    }
  }

  /// The first place from an offset on that meets a condition, outside of quotes; nil without one.
  private func firstPlace(from offset: Int, where isMet: (Int) -> Bool) -> Int? {
    var quote: UInt8?
    var place = offset
    while let byte = scanner.byte(at: place) {
      if let open = quote {
        if byte == open { quote = nil }
        if byte == UInt8(ascii: "\\"), open == UInt8(ascii: "\"") { place += 1 }
      } else if isMet(place) {
        return place
      } else if "\"'`".utf8.contains(byte) {
        quote = byte
      }
      place += 1
    }
    return nil
  }
}
