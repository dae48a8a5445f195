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
/// bind X = "set status=done"
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
  /// True if the file changes key bindings.
  package var changesKeys: Bool { !bindings.isEmpty || !unbound.isEmpty }
  /// The place of the theme; nil if the file does not set it.
  package var themePlace: TextPlace?

  /// A key and its use.
  package struct Binding: Hashable, Sendable {
    package let key: Key
    /// An action of the table by its name, as the help shows it, or command lines.
    package let use: KeyUse
    /// The place of the key.
    let keyPlace: TextPlace
    /// The place of the use.
    let usePlace: TextPlace
  }

  package init() {}

  /// Parses the text of a file.
  ///
  /// - Throws: `PlacedError` with the line, the column, the problem and a hint.
  package init(parsing text: String) throws(PlacedError) {
    // A Windows line end is one character in Swift.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      var column = 1
      do {
        let line = try CommandText(String(line))
        column = line.words.first.map { line.column(of: $0.start) } ?? 1
        try apply(line, number: index + 1)
      } catch {
        throw PlacedError(error, line: index + 1, column: column)
      }
    }
  }

  private static let words =
    Setting.allCases.map(\.rawValue) + ["remember-history", "history", "bind", "unbind"]

  private mutating func apply(_ line: CommandText, number: Int) throws(CommandError) {
    guard let first = line.words.first else { return }
    let name = first.text
    let values = line.words.dropFirst().map(\.text)
    /// The column of the first value that is not expected, or of the end of the line.
    func column(after count: Int = 0) -> Int {
      let word = line.words.dropFirst(count + 1).first
      return line.column(of: word?.start ?? line.words.last?.end ?? 0)
    }
    func located(_ body: () throws(CommandError) -> Void) throws(CommandError) {
      do { try body() } catch { throw CommandError(error.message, column: column()) }
    }
    if let setting = Setting(rawValue: name) {
      guard values.count == 1 else {
        throw CommandError(
          "\(name): expected \(setting.isSwitch ? "on or off" : "a name")",
          column: column(after: min(1, values.count))
        )
      }
      if setting == .theme { themePlace = TextPlace(line: number, column: column()) }
      return try located { () throws(CommandError) in try settings.set(setting, to: values[0]) }
    }
    switch name {
    case "history":
      guard values.count == 1, let retention = HistoryRetention(values[0]) else {
        throw CommandError("history: expected all, none or a number of saves", column: column())
      }
      history = retention
    case "remember-history":
      guard values == ["on"] || values == ["off"] else {
        throw CommandError("remember-history: expected on or off", column: column())
      }
      remembersHistory = values == ["on"]
    case "bind", "bind!": try bind(line, number: number)
    case "unbind":
      guard values.count == 1 else {
        throw CommandError("unbind: expected a key", column: column(after: min(1, values.count)))
      }
      unbound.append(try Key(named: values[0], in: line, line.words[1]))
    default:
      throw CommandError(
        Suggestion.message("unknown setting", name, among: Self.words),
        column: line.column(of: first.start)
      )
    }
  }

  private mutating func bind(_ line: CommandText, number: Int) throws(CommandError) {
    let text = try BindingText(line, replacesAction: line.words[0].text == "bind!")
    guard let use = text.use, let word = text.useWord else {
      throw CommandError(
        "bind \(text.key): expected = \"COMMAND\" or an action, found nothing",
        column: line.column(of: text.keyWord.end)
      )
    }
    bindings.append(
      Binding(
        key: text.key,
        use: use,
        keyPlace: TextPlace(line: number, column: line.column(of: text.keyWord.start)),
        usePlace: TextPlace(line: number, column: line.column(of: word.start))
      )
    )
  }
}
