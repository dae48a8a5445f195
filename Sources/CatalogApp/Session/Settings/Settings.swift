import OpenSwiftData

/// The settings that can change while the screen is open.
package struct Settings: Hashable, Sendable {
  /// The name of the theme; nil if the theme follows the background of the terminal.
  package var theme: String?
  /// False if nothing is colored.
  package var usesColor = true
  /// False if the terminal should handle the mouse itself.
  package var usesMouse = true
  /// False if the lines typed into prompts are not kept after the end of the program.
  package var remembersLines = true
  /// False if the columns, filter and sort of tables are not kept after the end of the program.
  package var remembersViews = true

  /// The path of the configuration, whether it exists or not; nil if the environment names no folder for it.
  package var configurationPath: String?

  package init() {}

  /// The value of a setting as it is written.
  func text(of setting: Setting) -> String {
    if let place = setting.place { return self[keyPath: place] ? "on" : "off" }
    return theme ?? Self.automatic
  }

  /// Sets a value; the name of a theme is not checked.
  ///
  /// - Throws: `CommandError` with what was expected.
  package mutating func set(_ setting: Setting, to value: String) throws(CommandError) {
    guard let place = setting.place else {
      theme = value == Self.automatic ? nil : value
      return
    }
    guard value == "on" || value == "off" else {
      throw CommandError("\(setting.rawValue): expected on or off, found \(Value.quoted(value))")
    }
    self[keyPath: place] = value == "on"
  }

  /// The theme that follows the background of the terminal.
  static let automatic = "auto"
}

/// A setting of the screen, by its name in the configuration and after `set`.
package enum Setting: String, CaseIterable, Sendable {
  case theme, color, mouse
  case rememberLines = "remember-lines"
  case rememberViews = "remember-views"

  /// Its place if it is on or off; nil for any other.
  fileprivate var place: WritableKeyPath<Settings, Bool>? {
    switch self {
    case .theme: nil
    case .color: \.usesColor
    case .mouse: \.usesMouse
    case .rememberLines: \.remembersLines
    case .rememberViews: \.remembersViews
    }
  }

  /// True if it is on or off.
  var isSwitch: Bool { place != nil }

  /// What it does, in a few words.
  var summary: String {
    switch self {
    case .theme: "colors: auto, a bundled theme, or a file; see :help theme"
    case .color: "use colors"
    case .mouse: "handle the mouse; off leaves it to the terminal"
    case .rememberLines: "keep the lines typed into prompts for the next run"
    case .rememberViews: "keep columns, filter and sort for the next run"
    }
  }
}
