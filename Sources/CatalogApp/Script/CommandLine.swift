import OpenSwiftData

/// One line of a script, split into words as in a shell.
///
/// `'single'` quotes keep everything, `"double"` quotes know `\n \t \r \0 \" \\ \u{1F600}`, `#` begins
/// a comment where a word could begin. A name may stand in `backticks`, in which two of them are one.
/// Every word remembers where it stands, so that a predicate can
/// be read from the line itself.
package struct CommandLine: Hashable, Sendable {
  /// One word.
  package struct Word: Hashable, Sendable {
    /// The word without its quotes.
    package let text: String
    /// Where it begins in the line, in bytes.
    package let start: Int
    /// True when a part of it stood in quotes.
    package let isQuoted: Bool
    /// Where the first `=` outside of quotes stands in `text`, in bytes; nil when there is none.
    package let equals: Int?
    /// Where the first `:` outside of quotes stands in `text`, in bytes; nil when there is none.
    package let colon: Int?
    /// Where the word ends in the line, in bytes.
    package let end: Int
    /// True when a part behind the `=` stood in quotes, so that `title=""` is empty text, not null.
    package let isValueQuoted: Bool

    /// Creates a word that did not come from a line.
    package init(
      _ text: String,
      start: Int = 0,
      isQuoted: Bool = false,
      equals: Int? = nil,
      isValueQuoted: Bool = false,
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
    }

    /// True when it is this keyword, in any case and without quotes.
    package func isKeyword(_ keyword: String) -> Bool {
      !isQuoted && text.lowercased() == keyword
    }

    /// The text before the `=` and the text behind it; nil when there is none.
    package var assignment: (name: String, value: String)? {
      guard let equals else { return nil }
      return (
        String(decoding: text.utf8.prefix(equals), as: UTF8.self),
        String(decoding: text.utf8.dropFirst(equals + 1), as: UTF8.self)
      )
    }
  }

  /// The line as it was written.
  package let text: String
  /// Its words; none for an empty line or a comment.
  package let words: [Word]

  /// Splits a line.
  ///
  /// - Throws: `CommandError` when a quote is not closed or an escape is unknown.
  package init(_ text: String) throws(CommandError) {
    self.text = text
    var splitter = WordSplitter(text)
    var words: [Word] = []
    while let word = try splitter.next() { words.append(word) }
    self.words = words
  }

  /// Writes a word so that splitting gives it back.
  package static func quoted(_ word: String) -> String {
    let plain = word.utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
        || "_-.:/,+%@".utf8.contains($0) || $0 >= 0x80
    }
    if plain, !word.isEmpty, !word.unicodeScalars.contains(where: JSONText.mustEscape) {
      return word
    }
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

/// What a command says when it cannot do what it was told: one line for people.
package struct CommandError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what to do.
  package let description: String

  /// Creates an error from its line.
  package init(_ description: String) {
    self.description = description
  }
}

/// Takes words off a line.
private struct WordSplitter {
  private var bytes: ArraySlice<UInt8>
  /// True behind the word `where`: fields stand in predicates then, and backticks anywhere in a word.
  private var isInPredicate = false

  init(_ text: String) {
    bytes = Array(text.utf8)[...]
  }

  mutating func next() throws(CommandError) -> CommandLine.Word? {
    while let byte = bytes.first, byte == 0x20 || byte == 0x09 || byte == 0x0D {
      bytes.removeFirst()
    }
    guard let first = bytes.first, first != UInt8(ascii: "#") else { return nil }
    let start = bytes.startIndex
    var text: [UInt8] = []
    var isQuoted = false
    var isValueQuoted = false
    var equals: Int?
    var colon: Int?
    while let byte = bytes.first, byte != 0x20, byte != 0x09, byte != 0x0D {
      bytes.removeFirst()
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        isQuoted = true
        if equals != nil { isValueQuoted = true }
        text += try quoted(by: byte)
      case UInt8(ascii: "\\"):
        guard let next = bytes.popFirst() else {
          throw CommandError("a \\ at the end of the line stands for nothing")
        }
        text.append(next)
      case UInt8(ascii: "`") where equals == nil && Self.mayBeginName(after: text):
        isQuoted = true
        text += try backticked()
      case UInt8(ascii: "`") where isInPredicate:
        text += [byte] + takeThroughBacktick()
      default:
        if byte == UInt8(ascii: "="), equals == nil { equals = text.count }
        if byte == UInt8(ascii: ":"), colon == nil { colon = text.count }
        text.append(byte)
      }
    }
    let word = CommandLine.Word(
      String(decoding: text, as: UTF8.self),
      start: start,
      isQuoted: isQuoted,
      equals: equals,
      isValueQuoted: isValueQuoted,
      colon: colon,
      end: bytes.startIndex
    )
    if word.isKeyword("where") { isInPredicate = true }
    return word
  }

  /// True where the name of a field may begin: in front of a word, behind a comma or a sign.
  private static func mayBeginName(after text: [UInt8]) -> Bool {
    text.last.map { ",-+".utf8.contains($0) } ?? true
  }

  /// What stands between backticks; two of them are one.
  private mutating func backticked() throws(CommandError) -> [UInt8] {
    let column = bytes.startIndex
    var content: [UInt8] = []
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "`") {
        guard bytes.first == byte else { return content }
        bytes.removeFirst()
      }
      content.append(byte)
    }
    throw CommandError("the quote ` at byte \(column) is not closed")
  }

  /// The bytes up to the next backtick, which is one of them; none when there is no other.
  private mutating func takeThroughBacktick() -> [UInt8] {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "`")) else { return [] }
    defer { bytes = bytes[(end + 1)...] }
    return Array(bytes[...end])
  }

  private mutating func quoted(by quote: UInt8) throws(CommandError) -> [UInt8] {
    let column = bytes.startIndex
    var content: [UInt8] = []
    while let byte = bytes.popFirst() {
      if byte == quote { return content }
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        guard let escaped = TextEscape.take(from: &bytes) else {
          throw CommandError(
            "after \\ in double quotes only n, t, r, 0, \", ', \\ and u{…} can stand"
          )
        }
        content += escaped
      } else {
        content.append(byte)
      }
    }
    throw CommandError(
      "the quote \(Character(Unicode.Scalar(quote))) at byte \(column) is not closed"
    )
  }
}
