import OpenSwiftData

/// `settings`, and `set` with the name of a setting: shows or changes settings of the screen.
struct ChangeSettings: Instruction {
  /// The new values; empty to list all settings.
  let changes: [SettingChange]

  static let command = Command(
    "settings",
    usage: "[NAME=VALUE|NAME|noNAME …]",
    summary: "change settings of the screen; without a name, list them",
    details: """
      "set NAME=VALUE" does the same where no field has that name, and "set" alone lists the settings:
      \(Setting.allCases.map(\.rawValue).joined(separator: ", ")). NAME switches a setting on, noNAME off. The changes
      last until the program ends; the configuration file, whose path the list shows, makes them permanent.
      """,
    places: .screen,
    needsScreen: "they are settings of the screen"
  ) { arguments, _ in
    var changes: [SettingChange] = []
    while let word = arguments.next() {
      changes.append(try arguments.locating(word) { try SettingChange(word.text) })
    }
    return ChangeSettings(changes: changes)
  }

  func perform(in session: Session) throws -> Outcome {
    .screen(.settings(changes, themes: try themes(in: session)))
  }

  /// Reads the themes that the changes name.
  private func themes(in session: Session) throws -> [String: Theme] {
    var themes: [String: Theme] = [:]
    for change in changes where change.setting == .theme && change.value != Settings.automatic {
      if let name = change.value { themes[name] = try session.services.theme(name) }
    }
    return themes
  }
}

/// `theme`: changes the colors of the screen.
struct ChooseTheme: Instruction {
  /// The name; nil to list the themes.
  let name: String?

  static let command = Command(
    "theme",
    usage: "[NAME]",
    summary: "use other colors; without a name, list the themes",
    details: """
      A theme is \(Theme.names.joined(separator: ", ")), auto (which follows the background of the terminal), or a file
      $XDG_CONFIG_HOME/catalog/themes/NAME.theme. A line of the file is a role, its colors and attributes:
      "header #88c0d0 on 236 bold". "base NAME" in the first line names the bundled theme to start from. Colors are
      default, names such as red and bright-red, 0 to 255, and #rrggbb; a terminal with fewer colors shows the nearest.
      Roles: \(Role.allCases.map(ThemeFile.name).joined(separator: ", ")).
      """,
    places: .screen,
    needsScreen: "only the screen has colors"
  ) { arguments, _ in ChooseTheme(name: arguments.next()?.text) }

  func perform(in session: Session) throws -> Outcome {
    guard let name else {
      let own = session.services.themeNames.filter { !Theme.names.contains($0) }
      return .lines([Settings.automatic] + Theme.names + own)
    }
    return try ChangeSettings(changes: [SettingChange(.theme, name)]).perform(in: session)
  }
}

extension ChangeSettings {
  /// True if a line of the screen that begins with `set` changes settings, not values: it has no
  /// arguments, or the first one begins with the name of a setting that is not a field or a record.
  static func isMeant(by line: CommandText, in session: Session) -> Bool {
    guard line.words.first?.isKeyword("set") == true else { return false }
    guard line.words.count > 1 else { return true }
    let word = line.words[1]
    let name = word.text.prefix { $0 != "=" }
    guard !word.isQuoted, Setting(rawValue: String(name)) ?? .switchedOff(by: word.text) != nil
    else { return false }
    if name.count < word.text.count {
      let entity = session.origin.screen.flatMap {
        session.context.schema.entitiesByName[$0.entityName]
      }
      return entity?.fieldsByName[String(name)] == nil
    }
    // A word that is not the identifier of a record is the name of the setting.
    return line.words.count == 2 || (try? session.liveIdentifier(word.text)) == nil
  }
}
