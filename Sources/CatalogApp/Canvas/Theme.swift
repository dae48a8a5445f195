/// The looks of all roles.
///
/// No meaning hangs on colour alone: the cursor, marks and the sorted column differ by attributes in
/// every theme, and changed records carry a sign. Plain text has the terminal's own colours.
package struct Theme: Hashable, Sendable {
  /// The name by which a user chooses the theme.
  package let name: String
  private var styles: [Style]

  private init(name: String, _ styles: [Role: Style]) {
    self.name = name
    self.styles = Role.allCases.map { styles[$0] ?? Style() }
  }

  /// The style of a role.
  package subscript(role: Role) -> Style {
    get { styles[Int(role.rawValue)] }
    set { styles[Int(role.rawValue)] = newValue }
  }

  /// The names of all themes, the default first.
  package static let names = [dark.name, light.name, none.name]

  /// Returns the theme of that name, in any case.
  package static func named(_ name: String) -> Theme? {
    [dark, light, none].first { $0.name == name.lowercased() }
  }

  /// For light text on a dark terminal.
  package static let dark = Theme(name: "dark", darkStyles)
  /// For dark text on a light terminal.
  package static let light = Theme(name: "light", lightStyles)
  /// Without any colour.
  package static let none = Theme(name: "none", plainStyles)
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
  .header: look(117, .bold), .headerSorted: look(222, [.bold, .underline]), .gutter: look(244),
  .cursorRow: look(nil, on: 236, .bold), .cursorCell: look(nil, [.reverse, .bold]),
  .marked: look(228, [.bold, .underline]), .cursorMarked: look(228, on: 236, [.bold, .underline]),
  .inserted: look(114), .changed: look(221), .deleted: look(210, .dim),
  .null: look(244, .italic), .empty: look(244, .italic), .number: look(),
  .match: look(16, on: 221, .underline),
  .status: look(253, on: 238), .statusWarning: look(16, on: 214, .bold),
  .hint: look(246), .hintKey: look(254, .bold), .hintDisabled: look(243),
  .error: look(210, .bold), .warning: look(215, .bold), .success: look(114),
  .prompt: look(nil, .bold),
  .field: look(nil, on: 235), .fieldLabel: look(117), .fieldFocused: look(nil, on: 238, .underline),
  .fieldInvalid: look(217, on: 52, .underline), .fieldDisabled: look(244),
  .selection: look(nil, .reverse),
  .border: look(241), .dim: look(244), .bar: look(75, .reverse), .barRest: look(241),
  .popup: look(253, on: 235), .popupTitle: look(117, on: 235, .bold),
  .popupBorder: look(245, on: 235), .popupSelected: look(253, on: 235, [.reverse, .bold]),
  .popupHint: look(247, on: 235),
  .tab: look(246), .tabSelected: look(nil, [.bold, .underline]),
]

private let lightStyles: [Role: Style] = [
  .title: look(nil, .bold),
  .header: look(25, .bold), .headerSorted: look(130, [.bold, .underline]), .gutter: look(242),
  .cursorRow: look(nil, on: 254, .bold), .cursorCell: look(nil, [.reverse, .bold]),
  .marked: look(90, [.bold, .underline]), .cursorMarked: look(90, on: 254, [.bold, .underline]),
  .inserted: look(22), .changed: look(94), .deleted: look(124, .dim),
  .null: look(242, .italic), .empty: look(242, .italic), .number: look(),
  .match: look(16, on: 221, .underline),
  .status: look(16, on: 252), .statusWarning: look(16, on: 214, .bold),
  .hint: look(240), .hintKey: look(16, .bold), .hintDisabled: look(243),
  .error: look(124, .bold), .warning: look(94, .bold), .success: look(22),
  .prompt: look(nil, .bold),
  .field: look(nil, on: 255), .fieldLabel: look(25), .fieldFocused: look(nil, on: 253, .underline),
  .fieldInvalid: look(88, on: 224, .underline), .fieldDisabled: look(242),
  .selection: look(nil, .reverse),
  .border: look(245), .dim: look(242), .bar: look(25, .reverse), .barRest: look(245),
  .popup: look(16, on: 254), .popupTitle: look(25, on: 254, .bold),
  .popupBorder: look(240, on: 254), .popupSelected: look(16, on: 254, [.reverse, .bold]),
  .popupHint: look(239, on: 254),
  .tab: look(240), .tabSelected: look(nil, [.bold, .underline]),
]

private let plainStyles: [Role: Style] = [
  .title: look(nil, .bold),
  .header: look(nil, .bold), .headerSorted: look(nil, [.bold, .underline]),
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
  .border: look(nil, .dim), .dim: look(nil, .dim), .bar: look(nil, .reverse),
  .popupTitle: look(nil, .bold), .popupSelected: look(nil, .reverse), .popupHint: look(nil, .dim),
  .tab: look(nil, .dim), .tabSelected: look(nil, [.bold, .underline]),
]
