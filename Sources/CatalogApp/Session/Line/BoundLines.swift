import OpenSwiftData

/// The command lines that a user has bound to keys.
package struct BoundLines: Hashable, Sendable {
  private var lines: [Key: [String]] = [:]

  package init() {}

  /// True if no key has lines.
  var isEmpty: Bool { lines.isEmpty }

  /// The lines of a key, performed one after the other; nil if it has none.
  package subscript(key: Key) -> [String]? {
    get { lines[key] }
    set { lines[key] = newValue }
  }

  /// The keys that have lines, in the order of their names.
  package var keys: [Key] { lines.keys.sorted { $0.description < $1.description } }

  /// A line of the configuration for each key: `bind X = "set status=done"`.
  package var texts: [String] {
    keys.map { key in
      let quoted = (lines[key] ?? []).map(Self.quoted).joined(separator: " ")
      return "bind \(CommandText.quoted(key.description)) = \(quoted)"
    }
  }

  /// A line in quotes that keep it readable.
  private static func quoted(_ line: String) -> String {
    let needsEscapes = line.contains { "'\\".contains($0) || $0.isNewline }
    return line.contains("\"") && !needsEscapes ? "'\(line)'" : CommandText.quoted(line)
  }
}

/// The use of a key.
package enum KeyUse: Hashable, Sendable {
  /// An action of the table, by its name.
  case action(String)
  /// Command lines; they replace an action of the key only if that is said.
  case lines([String], replacesAction: Bool)
}

/// A change of the keys of the table.
package enum BindingRequest: Hashable, Sendable {
  /// List the lines of all keys.
  case list
  /// Tell what a key does.
  case tell(Key)
  /// Give a key another use.
  case bind(Key, KeyUse)
  /// Take its use from a key.
  case unbind(Key)
}

/// What is written after `bind`: a key, and its use.
struct BindingText {
  let key: Key
  let keyWord: CommandText.Word
  /// The use; nil if only a key is named.
  let use: KeyUse?
  /// The first word of the use.
  let useWord: CommandText.Word?

  /// Reads `KEY`, `KEY ACTION` or `KEY = LINE …`.
  ///
  /// - Throws: `CommandError` with the column and what was expected.
  init(_ text: CommandText, replacesAction: Bool) throws(CommandError) {
    var words = text.words.dropFirst()
    guard let first = words.popFirst() else {
      throw CommandError("bind: expected \(Self.usage), found nothing")
    }
    keyWord = first
    var lines: [CommandText.Word] = []
    if let name = Self.name(before: first) {
      key = try Key(named: name.key, in: text, first)
      let line = name.line.map {
        CommandText.Word($0, start: first.valueStart, isQuoted: first.isValueQuoted)
      }
      lines = (line.map { [$0] } ?? []) + words
    } else {
      key = try Key(named: first.text, in: text, first)
      guard let next = words.popFirst() else {
        (use, useWord) = (nil, nil)
        return
      }
      guard next.text == "=" else {
        guard words.isEmpty else {
          throw Self.error("bind: expected \(Self.usage)", text, words.first)
        }
        (use, useWord) = (.action(next.text), next)
        return
      }
      lines = Array(words)
    }
    guard let line = lines.first else {
      throw CommandError(
        "bind \(key): expected a command in quotes after \"=\", found nothing",
        column: text.column(of: text.words.last?.end ?? 0)
      )
    }
    for word in lines where word.text.allSatisfy(\.isWhitespace) {
      throw Self.error("bind \(key): empty command", text, word)
    }
    use = .lines(lines.map(\.text), replacesAction: replacesAction)
    useWord = line
  }

  private static let usage = "KEY = \"COMMAND\" … or KEY ACTION"

  /// The parts of `KEY=LINE` or `KEY=`; nil for a word without a key before the sign.
  private static func name(before word: CommandText.Word) -> (key: String, line: String?)? {
    guard let (key, line) = word.assignment, !key.isEmpty else { return nil }
    return (key, line.isEmpty && !word.isValueQuoted ? nil : line)
  }

  private static func error(_ message: String, _ text: CommandText, _ word: CommandText.Word?)
    -> CommandError
  {
    CommandError(message, column: word.map { text.column(of: $0.start) })
  }
}

extension Key {
  /// The key with a name in a line.
  ///
  /// - Throws: `CommandError` for an unknown name, with its column.
  init(named name: String, in text: CommandText, _ word: CommandText.Word) throws(CommandError) {
    guard let key = Key(name: name) else {
      throw CommandError(
        "unknown key \(Value.quoted(name)); examples: s, C-s, F2, S-Tab",
        column: text.column(of: word.start)
      )
    }
    self = key
  }
}
