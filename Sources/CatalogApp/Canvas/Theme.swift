/// The styles of all roles.
///
/// No information depends on color alone: the cursor, marks and changed records have signs, and the sorted column has an
/// arrow. A style without a color of its own has that of the band below it, and in the end the terminal's; `grounded(on:)`
/// sets all colors where they would not be readable on the terminal's background, or where that is unknown.
package struct Theme: Hashable, Sendable {
  /// The name by which a user chooses the theme.
  package let name: String
  private var styles: [Style]
  /// The styles for terminals with fewer than 256 colors, by role, where they are not the nearest ones.
  private var fewStyles: [Role: Style]
  /// The colors of text and background where the terminal's cannot be used; nil for a theme that sets all, or none.
  private var ground: Style?

  private init(
    name: String,
    _ styles: [Role: Style],
    few fewStyles: [Role: Style] = [:],
    ground: Style? = nil
  ) {
    self.name = name
    self.styles = Role.allCases.map { styles[$0] ?? Style() }
    (self.fewStyles, self.ground) = (fewStyles, ground)
  }

  /// Creates a theme that starts with the styles of another one.
  package init(name: String, basedOn theme: Theme) {
    self.name = name
    (styles, fewStyles, ground) = (theme.styles, theme.fewStyles, theme.ground)
  }

  /// True if a style has a color that is not one of the 256 of xterm.
  package var usesTrueColor: Bool {
    styles.contains { style in
      [style.foreground, style.background].contains { if case .rgb = $0 { true } else { false } }
    }
  }

  /// The style of a role.
  package subscript(role: Role) -> Style {
    get { styles[Int(role.rawValue)] }
    set {
      styles[Int(role.rawValue)] = newValue
      fewStyles[role] = nil
    }
  }

  /// The style of a role over the band of another one, on a terminal with `count` colors.
  package func style(of role: Role, over band: Role = .normal, colors count: Int) -> Style {
    let style = [role, band, .normal].map { few($0, count) }.reduce(Style()) { $0.over($1) }
    // A terminal with fewer colors has none to set.
    let grounded = count < 8 ? style : ground.map { style.over($0.degraded(to: count)) } ?? style
    return grounded.readable(of: count, leastContrast: role.leastContrast)
  }

  private func few(_ role: Role, _ count: Int) -> Style {
    guard count < 256, let few = fewStyles[role] else { return self[role].degraded(to: count) }
    return few.degraded(to: count)
  }

  /// The theme on a terminal with this background, or with an unknown one.
  ///
  /// It leaves the background to the terminal only if all text is readable there.
  package func grounded(on background: Color?) -> Theme {
    guard let background, background.components != nil, isReadable(on: background) else {
      return self
    }
    var theme = self
    theme.ground = nil
    return theme
  }

  private func isReadable(on background: Color) -> Bool {
    guard let ground else { return true }
    return Role.allCases.allSatisfy { role in
      let style = self[role]
      guard style.background == .default else { return true }
      let text = style.foreground == .default ? ground.foreground : style.foreground
      return text.contrast(to: background) >= role.leastContrast
    }
  }

  /// The bundled themes, the default first.
  package static let bundled = [dark, light, highContrast, none]
  /// The names of the bundled themes, the default first.
  package static let names = bundled.map(\.name)

  /// Returns the bundled theme of that name, in any case.
  package static func named(_ name: String) -> Theme? {
    bundled.first { $0.name == name.lowercased() }
  }

  /// For light text on a dark terminal.
  package static let dark = Theme(
    name: "dark",
    darkStyles,
    few: darkFewStyles,
    ground: look(252, on: 233)
  )
  /// For dark text on a light terminal.
  package static let light = Theme(
    name: "light",
    lightStyles,
    few: lightFewStyles,
    ground: look(234, on: 231)
  )
  /// The theme for a terminal with this background.
  package static func suited(to background: Color) -> Theme {
    background.contrast(to: .rgb(0, 0, 0)) >= background.contrast(to: .rgb(255, 255, 255))
      ? light : dark
  }
  /// With a contrast of at least 7 everywhere, on any terminal: it sets all colors.
  package static let highContrast = Theme(name: "high-contrast", highContrastStyles)
  /// Without any color.
  package static let none = Theme(name: "none", colorlessStyles)
}

extension Role {
  /// The minimum contrast to the background by WCAG 2: less for lines, bars and words that can be skipped.
  package var leastContrast: Double {
    switch self {
    case .barRest: 1
    case .border, .bar, .markSign, .hintDisabled, .fieldDisabled: 3
    default: Style.leastContrast
    }
  }
}

/// Writes a style in a line of a table.
private func look(
  _ foreground: UInt8? = nil,
  on background: UInt8? = nil,
  _ attributes: Attributes = []
) -> Style {
  Style(
    foreground: foreground.map(Color.indexed) ?? .default,
    background: background.map(Color.indexed) ?? .default,
    attributes: attributes
  )
}

private let darkStyles: [Role: Style] = [
  .title: look(255, .bold),
  .header: look(248, .underline), .headerSorted: look(255, [.bold, .underline]),
  .headerCurrent: look(117, [.bold, .underline]),
  .cursorCell: look(16, on: 117, .bold), .cursorRow: look(255, on: 237),
  .cursorBlur: look(nil, [.bold, .underline]),
  .marked: look(255, on: 17), .markSign: look(183, .bold),
  .inserted: look(114), .changed: look(215), .deleted: look(210), .foreign: look(80),
  .null: look(248), .empty: look(248), .match: look(16, on: 221),
  .chip: look(255, on: 24),
  .status: look(253, on: 237), .statusWarning: look(215),
  .hint: look(248), .hintKey: look(255, .bold), .hintDisabled: look(243),
  .error: look(210, .bold), .warning: look(215), .success: look(114),
  .prompt: look(255, .bold),
  .field: look(255, on: 237), .fieldLabel: look(248), .fieldFocused: look(255, on: 239, .underline),
  .fieldInvalid: look(210, on: 237, .underline), .fieldDisabled: look(243),
  .selection: look(nil, .reverse),
  .border: look(243), .dim: look(248), .bar: look(74), .barRest: look(239),
  .tab: look(248), .tabSelected: look(255, on: 24, .bold),
]

/// The colors of the terminal's own palette on black.
private let darkFewStyles: [Role: Style] = [
  .title: look(15, .bold),
  .header: look(7, .underline), .headerSorted: look(15, [.bold, .underline]),
  .headerCurrent: look(14, [.bold, .underline]),
  .cursorCell: look(0, on: 6, .bold), .cursorRow: look(15, on: 0, .bold),
  .cursorBlur: look(nil, [.bold, .underline]),
  .marked: look(15, on: 4), .markSign: look(13, .bold),
  .inserted: look(10), .changed: look(11), .deleted: look(9), .foreign: look(6),
  .null: look(7), .empty: look(7), .match: look(0, on: 11),
  .chip: look(15, on: 4),
  .status: look(0, on: 7), .statusWarning: look(0, on: 7, .bold),
  .hint: look(7), .hintKey: look(15, .bold), .hintDisabled: look(8),
  .error: look(9, .bold), .warning: look(11), .success: look(10),
  .prompt: look(15, .bold),
  .field: look(0, on: 7), .fieldLabel: look(7), .fieldFocused: look(0, on: 7, .underline),
  .fieldInvalid: look(1, on: 7, .underline), .fieldDisabled: look(8),
  .border: look(8), .dim: look(7), .bar: look(12), .barRest: look(8),
  .tab: look(7), .tabSelected: look(15, on: 4, .bold),
]

private let lightStyles: [Role: Style] = [
  .title: look(16, .bold),
  .header: look(240, .underline), .headerSorted: look(16, [.bold, .underline]),
  .headerCurrent: look(25, [.bold, .underline]),
  .cursorCell: look(231, on: 25, .bold), .cursorRow: look(16, on: 254),
  .cursorBlur: look(nil, [.bold, .underline]),
  .marked: look(16, on: 189), .markSign: look(90, .bold),
  .inserted: look(22), .changed: look(58), .deleted: look(124), .foreign: look(24),
  .null: look(240), .empty: look(240), .match: look(16, on: 221),
  .chip: look(16, on: 153),
  .status: look(16, on: 254), .statusWarning: look(58, .bold),
  .hint: look(240), .hintKey: look(16, .bold), .hintDisabled: look(243),
  .error: look(124, .bold), .warning: look(58), .success: look(22),
  .prompt: look(16, .bold),
  .field: look(16, on: 253), .fieldLabel: look(240), .fieldFocused: look(16, on: 252, .underline),
  .fieldInvalid: look(124, on: 253, .underline), .fieldDisabled: look(243),
  .selection: look(nil, .reverse),
  .border: look(243), .dim: look(240), .bar: look(31), .barRest: look(251),
  .tab: look(240), .tabSelected: look(16, on: 153, .bold),
]

/// On white, most colors of the terminal's own palette are too pale for text.
private let lightFewStyles: [Role: Style] = [
  .title: look(0, .bold),
  .header: look(0, .underline), .headerSorted: look(4, .underline),
  .headerCurrent: look(4, [.bold, .underline]),
  .cursorCell: look(15, on: 4, .bold), .cursorRow: look(4, .bold),
  .cursorBlur: look(nil, [.bold, .underline]),
  .marked: look(0, on: 6), .markSign: look(5, .bold),
  .inserted: look(4), .changed: look(5), .deleted: look(1), .foreign: look(4),
  .null: look(0), .empty: look(0), .match: look(0, on: 11),
  .chip: look(0, on: 6),
  .status: look(15, on: 0), .statusWarning: look(11, on: 0, .bold),
  .hint: look(0), .hintKey: look(0, .bold), .hintDisabled: look(8),
  .error: look(1, .bold), .warning: look(5), .success: look(4),
  .prompt: look(0, .bold),
  .field: look(0, on: 7), .fieldLabel: look(0), .fieldFocused: look(0, on: 7, .underline),
  .fieldInvalid: look(1, on: 7, .underline), .fieldDisabled: look(8),
  .border: look(8), .dim: look(0), .bar: look(4), .barRest: look(7),
  .tab: look(0), .tabSelected: look(0, on: 6, .bold),
]

private let highContrastStyles: [Role: Style] = [
  .normal: look(231, on: 16), .message: look(231, on: 16),
  .title: look(231, on: 16, .bold),
  .header: look(16, on: 231, .bold), .headerSorted: look(16, on: 231, [.bold, .underline]),
  .headerCurrent: look(231, on: 16, [.bold, .underline]), .foreign: look(51, .bold),
  .cursorRow: look(231, on: 17, .bold), .cursorCell: look(226, on: 16, [.reverse, .bold]),
  .cursorBlur: look(nil, [.bold, .underline]),
  .marked: look(231, on: 18, .bold), .markSign: look(226, .bold),
  .inserted: look(120), .changed: look(226), .deleted: look(217, .italic),
  .null: look(252, .italic), .empty: look(252, .italic), .number: look(),
  .match: look(16, on: 226, .underline),
  .chip: look(16, on: 51),
  .status: look(16, on: 231), .statusWarning: look(16, on: 226, .bold),
  .hint: look(), .hintKey: look(226, .bold), .hintDisabled: look(250),
  .error: look(231, on: 52, .bold), .warning: look(16, on: 226, .bold), .success: look(16, on: 120),
  .prompt: look(nil, .bold),
  .field: look(231, on: 234), .fieldFocused: look(16, on: 231, .underline),
  .fieldInvalid: look(231, on: 52, .underline), .fieldDisabled: look(250),
  .selection: look(231, on: 16, .reverse),
  .dim: look(252), .bar: look(51), .barRest: look(250),
  .tabSelected: look(226, on: 16, [.bold, .underline]),
]

private let colorlessStyles: [Role: Style] = [
  .title: look(nil, .bold),
  .header: look(nil, .underline), .headerSorted: look(nil, [.bold, .underline]),
  .headerCurrent: look(nil, [.bold, .underline]), .foreign: look(nil, [.bold, .underline]),
  .cursorRow: look(nil, .bold), .cursorCell: look(nil, [.reverse, .bold]),
  .cursorBlur: look(nil, [.bold, .underline]),
  .markSign: look(nil, .bold),
  .changed: look(nil, .bold), .deleted: look(nil, .italic),
  .null: look(nil, .dim), .empty: look(nil, .dim),
  .match: look(nil, [.underline, .reverse]), .chip: look(nil, .reverse),
  .status: look(nil, .reverse), .statusWarning: look(nil, [.reverse, .bold]),
  .hintKey: look(nil, .bold), .hintDisabled: look(nil, .dim),
  .error: look(nil, .bold), .warning: look(nil, .bold), .prompt: look(nil, .bold),
  .field: look(nil, .underline), .fieldFocused: look(nil, [.underline, .bold]),
  .fieldInvalid: look(nil, [.underline, .reverse]), .fieldDisabled: look(nil, .dim),
  .selection: look(nil, .reverse),
  .border: look(nil, .dim), .dim: look(nil, .dim),
  .tab: look(nil, .dim), .tabSelected: look(nil, [.bold, .underline]),
]
