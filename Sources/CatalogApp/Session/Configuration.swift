package import OpenSwiftData

/// The settings in the user's configuration file.
///
/// A line has the name of a setting and its value, split like a script line; `#` begins a comment:
///
/// ```
/// theme light
/// color off
/// mouse off
/// history 100
/// remember-lines off
/// remember-views off
/// remember-history off
/// bind C-x delete
/// unbind x
/// ```
package struct Configuration: Hashable, Sendable {
  /// The settings that can change while the screen is open.
  package var settings = Settings()
  /// How much history a log keeps; nil if the file does not set it.
  package var history: HistoryRetention?
  /// False if the history of stores that do not keep it themselves is not kept after the end of the program.
  package var remembersHistory = true
  /// The key bindings, in the order of the file.
  package var bindings: [Binding] = []
  /// The keys without a binding.
  package var unbound: [Key] = []

  /// A key and its action.
  package struct Binding: Hashable, Sendable {
    /// The key.
    package let key: Key
    /// The name of a command of the table, as the help shows it.
    package let command: String

    /// Creates a binding.
    package init(key: Key, command: String) {
      self.key = key
      self.command = command
    }
  }

  /// The usual settings.
  package init() {}

  /// Parses the text of a file.
  ///
  /// - Throws: `CommandError` with the line number, the problem and a hint.
  package init(parsing text: String) throws(CommandError) {
    // A Windows line end is one character in Swift.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      do {
        try apply(CommandText(String(line)))
      } catch {
        throw CommandError("line \(index + 1): \(error)")
      }
    }
  }

  private static let words =
    Setting.allCases.map(\.rawValue) + ["remember-history", "history", "bind", "unbind"]

  private mutating func apply(_ line: CommandText) throws(CommandError) {
    let words = line.words.map(\.text)
    guard let name = words.first else { return }
    let values = Array(words.dropFirst())
    if let setting = Setting(rawValue: name) {
      guard values.count == 1 else {
        throw CommandError("\(name): expected \(setting.isSwitch ? "on or off" : "a name")")
      }
      return try settings.set(setting, to: values[0])
    }
    switch name {
    case "history":
      guard values.count == 1, let retention = HistoryRetention(values[0]) else {
        throw CommandError("history: expected all, none or a number of saves")
      }
      history = retention
    case "remember-history":
      guard values == ["on"] || values == ["off"] else {
        throw CommandError("remember-history: expected on or off")
      }
      remembersHistory = values == ["on"]
    case "bind":
      guard values.count == 2 else { throw CommandError("bind: expected a key and a command") }
      bindings.append(Binding(key: try Self.key(values[0]), command: values[1]))
    case "unbind":
      guard values.count == 1 else { throw CommandError("unbind: expected a key") }
      unbound.append(try Self.key(values[0]))
    default:
      throw CommandError(
        "unknown setting \(Value.quoted(name)); "
          + Suggestion.text(for: name, among: Self.words)
      )
    }
  }

  private static func key(_ name: String) throws(CommandError) -> Key {
    guard let key = Key(name: name) else {
      throw CommandError("unknown key \(Value.quoted(name)); examples: s, C-s, F2, S-Tab")
    }
    return key
  }
}
