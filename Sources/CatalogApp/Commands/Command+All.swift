import OpenSwiftData

extension Command {
  /// Every command under its heading in the manual, in the order of the help.
  ///
  /// This is the only list of commands: help, completion, the palette, the manual page and the shell
  /// completions are generated from it.
  static let groups: [(heading: String, commands: [Command])] = [
    (
      "Reading",
      [
        ListRecords.command, CountRecords.command, ShowRecord.command, ListReferrers.command,
        PivotRecords.command, UnpivotRecords.command, PrintStatistics.command,
        CountValues.command, ListEntities.command, PrintSchema.command, CheckSchema.command,
        ExportSchema.command, PrintHistory.command, CompareStores.command,
        PrintStatus.command, ReadFile.command, ListChanges.command, Expect.command, Explain.command,
        Check.command, FindProblems.command,
        Help.command,
      ]
    ),
    (
      "Changing",
      [
        InsertRecord.command, UpsertRecord.command, SetValues.command, DuplicateRecords.command,
        DeleteRecords.command, MergeRecords.command,
        Undo.command, Redo.command, Rollback.command, Revert.command, ListConflicts.command,
        ResolveConflicts.command, Recover.command, ImportFile.command, RunEach.command,
        PreviewChange.command,
      ]
    ),
    ("Changing a column", Transform.all.map(\.command)),
    (
      "Changing the schema",
      [
        CreateEntity.command, AddField.command, RenameField.command, ConvertField.command,
        DropField.command,
        ApplySchema.command,
      ]
    ),
    (
      "Saving",
      [
        Save.command, SaveAs.command, ExportRecords.command, Compact.command, Quit.command,
      ]
    ),
    (
      "Choosing what the table shows",
      [FilterTable.command, SortTable.command, GroupTable.command, ShowEntity.command]
        + ArrangeColumns.commands
        + ChooseView.commands
    ),
    (
      "On the screen only",
      [
        GoToRow.command, OpenStore.command, SaveAndQuit.command, ChangeSettings.command,
        ChooseTheme.command, TakeTour.command,
      ]
    ),
    ("Keys with commands", [BindKey.command, UnbindKey.command, PressKey.command]),
  ]

  /// Every command in the order of the help.
  package static let all: [Command] = groups.flatMap(\.commands)

  /// The commands that are available in certain places, in the order of the help.
  package static func all(in places: Places) -> [Command] {
    all.filter { !$0.places.isDisjoint(with: places) }
  }

  /// Finds the command that a text begins with, by its first word or its first two; further words have no meaning.
  ///
  /// - Returns: The command and the number of words of its name; nil for an empty text or a comment.
  /// - Throws: `CommandError` that names the nearest command.
  static func find(_ words: [String], in places: Places) throws -> (command: Command, words: Int)? {
    guard let first = words.first else { return nil }
    let name = first.lowercased()
    if words.count > 1, firstOfTwo.contains(name),
      let command = named("\(name) \(words[1].lowercased())", in: places)
    {
      return (command, 2)
    }
    if let command = named(name, in: places) { return (command, 1) }
    if words.count == 1, Int(first).map({ $0 >= 0 }) == true {
      guard places.contains(.screen) else { throw GoToRow.command.refusal(of: first) }
      return (GoToRow.command, 1)
    }
    throw unknown(first, among: all(in: places), in: places)
  }

  private static let byName = Dictionary(
    all.flatMap { command in command.names.map { ($0, [command]) } },
    uniquingKeysWith: +
  )

  /// The first words of the names that have two.
  private static let firstOfTwo = Set(
    byName.keys.compactMap { name in name.firstIndex(of: " ").map { String(name[..<$0]) } }
  )

  /// The command with a name in small letters.
  static func named(_ name: String, in places: Places) -> Command? {
    byName[name]?.first { !$0.places.isDisjoint(with: places) }
  }

  /// The error for a command that needs a screen.
  private func refusal(of word: String) -> CommandError {
    let reason = needsScreen.map { ": " + $0 } ?? ""
    return CommandError("\(Value.quoted(word)) works only on the screen\(reason)")
  }

  /// What other programs call the commands.
  private static let namesElsewhere = [
    "cat": "list", "compare": "diff", "describe": "stats", "drop": "delete", "find": "filter",
    "histogram": "freq", "new": "insert", "remove": "delete", "rename": "field rename",
    "replace": "set", "search": "filter", "select": "list", "summary": "stats", "update": "set",
  ]

  private static func unknown(_ word: String, among known: [Command], in places: Places)
    -> CommandError
  {
    let names = Set(known.flatMap(\.names))
    let following = names.filter { $0.hasPrefix(word.lowercased() + " ") }.sorted()
    if !following.isEmpty {
      let seconds = following.map { $0.dropFirst(word.count + 1) }.joined(separator: " or ")
      return CommandError("\(word): expected \(seconds)")
    }
    if let command = all.first(where: { $0.names.contains(word.lowercased()) }) {
      return command.refusal(of: word)
    }
    let meant = namesElsewhere[word.lowercased()]
    let near = meant ?? Suggestion.nearest(to: word, among: names.sorted())
    let hint =
      HelpText.isFunction(word.lowercased())
      ? "it is a function; \"help \(word.lowercased())\" explains it"
      : near.map { "did you mean \"\($0)\"?" }
    return CommandError(
      "unknown command \(Value.quoted(word)); \(hint ?? "run \"help\" for a list")",
      code: .unknownCommand
    )
  }
}
