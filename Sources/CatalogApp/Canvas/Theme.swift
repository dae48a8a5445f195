/// The styles of all roles.
///
/// No information depends on color alone: the cursor, marks and the sorted column differ by attributes
/// in every theme, and changed records have a sign. Plain text has the terminal's own colors. A style
/// that sets a foreground also sets the background, so that every theme is readable on every terminal.
package struct Theme: Hashable, Sendable {
  /// The name by which a user chooses the theme.
  package let name: String
  private var styles: [Style]

  private init(name: String, _ styles: [Role: Style]) {
    self.name = name
    self.styles = Role.allCases.map { styles[$0] ?? Style() }
  }

  /// Creates a theme that starts with the styles of another one.
  package init(name: String, basedOn theme: Theme) {
    self.name = name
    styles = theme.styles
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
    set { styles[Int(role.rawValue)] = newValue }
  }

  /// Returns the style of a role on a terminal with `count` colors.
  package func style(of role: Role, colors count: Int) -> Style {
    let full = self[role]
    var style = full.degraded(to: count)
    // Of eight colors, the one nearest to dark gray is black, which gives no visible band. The row of
    // the cursor has its sign, but must look different from the cell of the cursor.
    let isRow = role == .cursorRow || role == .cursorMarked
    let isGray = full.background.components.map { $0 != (0, 0, 0) } ?? true
    guard count < 16, style.background == .indexed(0), isGray, !isRow else { return style }
    (style.foreground, style.background) = (.indexed(0), .indexed(7))
    style.attributes.remove(.bold)
    return style
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
  package static let dark = Theme(name: "dark", darkStyles)
  /// For dark text on a light terminal.
  package static let light = Theme(name: "light", lightStyles)
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
  .title: look(nil, .bold),
  .header: look(117, on: 236, .bold), .headerSorted: look(222, on: 236, [.bold, .underline]),
  .headerCurrent: look(16, on: 117, .bold), .foreign: look(16, on: 116),
  .gutter: look(nil, .dim),
  .cursorRow: look(255, on: 238, .bold), .cursorCell: look(nil, [.reverse, .bold]),
  .marked: look(228, on: 58, [.bold, .underline]),
  .cursorMarked: look(228, on: 238, [.bold, .underline]),
  .inserted: look(157, on: 22), .changed: look(229, on: 58), .deleted: look(217, on: 52, .italic),
  .null: look(nil, [.dim, .italic]), .empty: look(nil, [.dim, .italic]), .number: look(),
  .match: look(16, on: 221, .underline),
  .status: look(253, on: 238), .statusWarning: look(16, on: 214, .bold),
  .hint: look(), .hintKey: look(nil, .bold), .hintDisabled: look(nil, .dim),
  .error: look(217, on: 52, .bold), .warning: look(222, on: 236, .bold),
  .success: look(157, on: 22),
  .prompt: look(nil, .bold),
  .field: look(253, on: 235), .fieldLabel: look(), .fieldFocused: look(255, on: 238, .underline),
  .fieldInvalid: look(217, on: 52, .underline), .fieldDisabled: look(nil, .dim),
  .selection: look(nil, .reverse),
  .border: look(nil, .dim), .dim: look(nil, .dim), .bar: look(75, on: 235),
  .barRest: look(nil, .dim),
  .popup: look(253, on: 235), .popupTitle: look(117, on: 235, .bold),
  .popupBorder: look(247, on: 235), .popupSelected: look(253, on: 235, [.reverse, .bold]),
  .popupHint: look(248, on: 235),
  .tab: look(nil, .dim), .tabSelected: look(nil, [.bold, .underline]),
]

private let lightStyles: [Role: Style] = [
  .title: look(nil, .bold),
  .header: look(18, on: 254, .bold), .headerSorted: look(88, on: 254, [.bold, .underline]),
  .headerCurrent: look(231, on: 25, .bold), .foreign: look(16, on: 153),
  .gutter: look(nil, .dim),
  .cursorRow: look(16, on: 252, .bold), .cursorCell: look(nil, [.reverse, .bold]),
  .marked: look(53, on: 225, [.bold, .underline]),
  .cursorMarked: look(53, on: 252, [.bold, .underline]),
  .inserted: look(22, on: 194), .changed: look(58, on: 230), .deleted: look(88, on: 224, .italic),
  .null: look(nil, [.dim, .italic]), .empty: look(nil, [.dim, .italic]), .number: look(),
  .match: look(16, on: 221, .underline),
  .status: look(16, on: 252), .statusWarning: look(16, on: 214, .bold),
  .hint: look(), .hintKey: look(nil, .bold), .hintDisabled: look(nil, .dim),
  .error: look(88, on: 224, .bold), .warning: look(58, on: 230, .bold),
  .success: look(22, on: 194),
  .prompt: look(nil, .bold),
  .field: look(16, on: 255), .fieldLabel: look(), .fieldFocused: look(16, on: 253, .underline),
  .fieldInvalid: look(88, on: 224, .underline), .fieldDisabled: look(nil, .dim),
  .selection: look(nil, .reverse),
  .border: look(nil, .dim), .dim: look(nil, .dim), .bar: look(25, on: 254),
  .barRest: look(nil, .dim),
  .popup: look(16, on: 254), .popupTitle: look(25, on: 254, .bold),
  .popupBorder: look(240, on: 254), .popupSelected: look(16, on: 254, [.reverse, .bold]),
  .popupHint: look(239, on: 254),
  .tab: look(nil, .dim), .tabSelected: look(nil, [.bold, .underline]),
]

private let highContrastStyles: [Role: Style] = [
  .normal: look(231, on: 16), .message: look(231, on: 16),
  .title: look(231, on: 16, .bold),
  .header: look(16, on: 231, .bold), .headerSorted: look(16, on: 231, [.bold, .underline]),
  .headerCurrent: look(231, on: 16, [.bold, .underline]), .foreign: look(16, on: 51, .bold),
  .gutter: look(231, on: 16),
  .cursorRow: look(231, on: 17, .bold), .cursorCell: look(226, on: 16, [.reverse, .bold]),
  .marked: look(226, on: 16, [.bold, .underline]),
  .cursorMarked: look(226, on: 17, [.bold, .underline]),
  .inserted: look(120, on: 16), .changed: look(226, on: 16), .deleted: look(217, on: 16, .italic),
  .null: look(250, on: 16, .italic), .empty: look(250, on: 16, .italic), .number: look(231, on: 16),
  .match: look(16, on: 226, .underline),
  .status: look(16, on: 231), .statusWarning: look(16, on: 226, .bold),
  .hint: look(231, on: 16), .hintKey: look(226, on: 16, .bold), .hintDisabled: look(250, on: 16),
  .error: look(231, on: 52, .bold), .warning: look(16, on: 226, .bold), .success: look(16, on: 120),
  .prompt: look(231, on: 16, .bold),
  .field: look(231, on: 234), .fieldLabel: look(231, on: 16),
  .fieldFocused: look(16, on: 231, .underline),
  .fieldInvalid: look(231, on: 52, .underline), .fieldDisabled: look(250, on: 16),
  .selection: look(231, on: 16, .reverse),
  .border: look(231, on: 16), .dim: look(250, on: 16), .bar: look(51, on: 16),
  .barRest: look(250, on: 16),
  .popup: look(231, on: 16), .popupTitle: look(51, on: 16, .bold),
  .popupBorder: look(231, on: 16), .popupSelected: look(231, on: 16, [.reverse, .bold]),
  .popupHint: look(250, on: 16),
  .tab: look(231, on: 16), .tabSelected: look(226, on: 16, [.bold, .underline]),
]

private let colorlessStyles: [Role: Style] = [
  .title: look(nil, .bold),
  .header: look(nil, .bold), .headerSorted: look(nil, [.bold, .underline]),
  .headerCurrent: look(nil, [.bold, .reverse]), .foreign: look(nil, [.bold, .underline]),
  .gutter: look(nil, .dim),
  .cursorRow: look(nil, .bold), .cursorCell: look(nil, [.reverse, .bold]),
  .marked: look(nil, .underline), .cursorMarked: look(nil, [.bold, .underline]),
  .inserted: look(nil, .bold), .changed: look(nil, .bold), .deleted: look(nil, .dim),
  .null: look(nil, [.dim, .italic]), .empty: look(nil, [.dim, .italic]),
  .match: look(nil, [.underline, .reverse]),
  .status: look(nil, .reverse), .statusWarning: look(nil, [.reverse, .bold]),
  .hintKey: look(nil, .bold), .hintDisabled: look(nil, .dim),
  .error: look(nil, .bold), .warning: look(nil, .bold), .prompt: look(nil, .bold),
  .field: look(nil, .underline), .fieldLabel: look(),
  .fieldFocused: look(nil, [.underline, .bold]),
  .fieldInvalid: look(nil, [.underline, .reverse]), .fieldDisabled: look(nil, .dim),
  .selection: look(nil, .reverse),
  .border: look(nil, .dim), .dim: look(nil, .dim), .bar: look(),
  .popupTitle: look(nil, .bold), .popupSelected: look(nil, .reverse), .popupHint: look(nil, .dim),
  .tab: look(nil, .dim), .tabSelected: look(nil, [.bold, .underline]),
]
