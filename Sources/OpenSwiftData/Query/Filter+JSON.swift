/// Conditions on JSON fields as people write them: a text stands for that JSON and for the string of these characters.
///
/// So `license = "MIT"` finds the string `"MIT"`, and `size = 1` the number and the string. A text that begins like a
/// string, an object or an array in JSON stands for that alone.
extension Filter {
  /// The comparison of a JSON field with a text.
  package static func json(_ name: String, _ comparison: Comparison, _ text: String) -> Filter {
    let spellings = jsonSpellings(of: text)
    switch comparison {
    case .equal where spellings.count > 1: return .isIn(name, spellings.map { .json($0) })
    case .notEqual where spellings.count > 1: return .not(.isIn(name, spellings.map { .json($0) }))
    default: return .compare(name, comparison, ordered(.json(text)))
    }
  }

  /// The end of a range: of JSON the string, because only strings are in a useful order.
  static func ordered(_ value: Value) -> Value {
    guard case .json(let text) = value else { return value }
    return .json(jsonSpellings(of: text).last ?? text)
  }

  /// The test of a JSON field by a pattern.
  package static func json(_ name: String, _ match: TextMatch) -> Filter {
    var match = match
    // The text of a string occurs in its JSON as it is, unless it has escapes there.
    let isFoundAnyhow =
      match.operation == .contains && match.pattern.utf8.allSatisfy { $0 < 0x80 && $0 != 0x2F }
      && JSONText.quoted(match.pattern).utf8.count == match.pattern.utf8.count + 2
    if !isFoundAnyhow { match.options.insert(.jsonStrings) }
    return .text(name, match)
  }

  /// The JSON that a text stands for, strings last: as it is, and as a string in the spellings of common programs.
  package static func jsonSpellings(of text: String) -> [String] {
    var spellings: [String] = []
    if let compact = try? JSONText.compact(text) {
      spellings = compact == text ? [text] : [text, compact]
    }
    if let first = text.first, "\"[{".contains(first), !spellings.isEmpty { return spellings }
    let quoted = JSONText.quoted(text)
    // Python escapes everything beyond ASCII, and PHP slashes, too.
    let ascii = quoted.unicodeScalars.map(asciiSpelling).joined()
    for spelling in [ascii.replacing("/", with: "\\/"), ascii, quoted]
    where !spellings.contains(spelling) { spellings.append(spelling) }
    return spellings
  }

  private static func asciiSpelling(_ scalar: Unicode.Scalar) -> String {
    guard !scalar.isASCII else { return String(scalar) }
    return UTF16.encode(scalar).map { units in
      units.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    } ?? ""
  }
}

extension TextMatch {
  /// The characters of JSON that is a string; nil for other JSON.
  package static func characters(ofJSON text: UnsafeBufferPointer<UInt8>) -> String? {
    let quote = UInt8(ascii: "\"")
    guard text.count >= 2, text.first == quote, text.last == quote else { return nil }
    var reader = JSONReader(Array(text))
    // Text that is not a JSON string has no other characters.
    guard case .text(let characters)? = try? reader.next() else { return nil }
    return characters
  }
}
