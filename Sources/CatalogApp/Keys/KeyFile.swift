/// An error in a key file.
package struct KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  package let line: Int
  /// The token as written in the file, safe to show.
  package let token: DisplayText
  /// The problem and a hint.
  package let message: String

  /// A one-line message for the author of the file.
  package var description: String { "line \(line): \(token): \(message)" }
}

/// Parses the keys to press from a text.
///
/// White space separates tokens. A token that names a key is that key, `C-x` with control, and any
/// other token is typed letter by letter. Text in double quotes is always typed, with the escapes `\"`,
/// `\\`, `\n` for Enter and `\t` for Tab. `#` at the beginning of a token begins a comment.
package enum KeyFile {
  /// Returns the events in the order of the text.
  ///
  /// - Throws: The first error, with its line and a hint.
  /// - Complexity: O(n) in the characters.
  package static func parse(_ text: String) throws(KeyFileError) -> [InputEvent] {
    var events: [InputEvent] = []
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      try parse(line: line, number: number, into: &events)
    }
    return events
  }

  private static func parse(
    line: Substring,
    number: Int,
    into events: inout [InputEvent]
  ) throws(KeyFileError) {
    var rest = line.drop(while: \.isWhitespace)
    while let first = rest.first, first != "#" {
      if first == "\"" {
        rest = try quoted(rest, line: number, into: &events)
      } else {
        let token = rest.prefix { !$0.isWhitespace }
        try press(token, line: number, into: &events)
        rest = rest[token.endIndex...]
      }
      rest = rest.drop(while: \.isWhitespace)
    }
  }

  private static func press(
    _ token: Substring,
    line: Int,
    into events: inout [InputEvent]
  ) throws(KeyFileError) {
    if let key = key(named: String(token)) {
      events.append(event(key))
      return
    }
    for character in token { try type(character, of: token, line: line, into: &events) }
  }

  /// Reads a text that begins with a quote; returns the rest after its end.
  private static func quoted(
    _ text: Substring,
    line: Int,
    into events: inout [InputEvent]
  ) throws(KeyFileError) -> Substring {
    var rest = text.dropFirst()
    while let character = rest.popFirst() {
      switch character {
      case "\"":
        guard rest.first.map(\.isWhitespace) ?? true else {
          throw error(line, text, "expected white space after the closing quote")
        }
        return rest
      case "\\":
        switch rest.popFirst() {
        case "\"": events.append(.key(.character("\"")))
        case "\\": events.append(.key(.character("\\")))
        case "n": events.append(.key(.enter))
        case "t": events.append(.key(.tab))
        default: throw error(line, text, #"invalid escape; use \", \\, \n or \t"#)
        }
      default: try type(character, of: text, line: line, into: &events)
      }
    }
    throw error(line, text, "unclosed quote; close it on the same line")
  }

  private static func type(
    _ character: Character,
    of token: Substring,
    line: Int,
    into events: inout [InputEvent]
  ) throws(KeyFileError) {
    guard character == "\t" || character.asciiValue.map({ $0 >= 0x20 && $0 != 0x7F }) ?? true
    else {
      throw error(line, token, "contains a control character; use the key's name, such as Escape")
    }
    events.append(.key(.character(character)))
  }

  /// Returns the key that a bare token names; it accepts only names that are unlikely as typed text.
  private static func key(named token: String) -> Key? {
    if let code = Key.code(named: token), isSpelledAsListed(token) { return Key(code) }
    let parts = token.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let first = parts.first, let last = parts.last else { return nil }
    if first == "C", last.count == 1 { return Key(name: token) }
    guard ["C", "S", "M"].contains(first), isSpelledAsListed(String(last)) else { return nil }
    return Key(name: token)
  }

  private static func isSpelledAsListed(_ name: String) -> Bool {
    listed.contains(name) || (name.first == "F" && Key.code(named: name) != nil)
  }

  private static let listed: Set<String> = [
    "Enter", "Tab", "Escape", "Space", "Up", "Down", "Left", "Right", "PgUp", "PgDn", "Home", "End",
    "BSpace", "Delete",
  ]

  private static func event(_ key: Key) -> InputEvent {
    key == .control("c") ? .interrupt : .key(key)
  }

  private static func error(_ line: Int, _ token: Substring, _ message: String) -> KeyFileError {
    KeyFileError(
      line: line,
      token: DisplayText(String(token), clippedTo: 40),
      message: message
    )
  }
}
