import OpenSwiftData

/// A step of the tour: what to do, and how the state of the program says that it was done.
package struct TourStep: Sendable {
  /// What to do; `{name}` stands for the key of an action of the table, and what to type is between backticks.
  package let text: String
  /// Keys that do it, as in a key file.
  package let keys: String
  /// True if it was done, judged by what the program shows now and what it showed when the step began.
  let isDone: @Sendable (_ now: Tour.Moment, _ start: Tour.Moment) -> Bool

  init(
    _ text: String,
    keys: String,
    isDone: @escaping @Sendable (_ now: Tour.Moment, _ start: Tour.Moment) -> Bool
  ) {
    (self.text, self.keys, self.isDone) = (text, keys, isDone)
  }

  /// The text with the names of the keys, which `word` can mark, and what to type.
  package func text(_ keys: KeyMap, marking word: (String) -> String) -> String {
    text.replacing(#/\{([^}]*)\}/#) { match in
      let action = TableAction(rawValue: String(match.1))
      return word(action.flatMap { keys.keys(for: $0).first?.description } ?? ":\(match.1)")
    }
    .replacing(#/`([^`]*)`/#) { word(String($0.1)) }
  }

  /// The text without any marks.
  func plainText(_ keys: KeyMap) -> String { text(keys) { $0 } }

  /// All steps in order, for the sample films; the last one is never done.
  package static let all: [TourStep] = [
    TourStep(
      "These are 31 films, one per line. The arrows move the cursor, and so do j, k, l and h. Go down to "
        + "another film.",
      keys: "j"
    ) { $0.table.row != $1.table.row },
    TourStep(
      "{last} goes to the last film, {first} to the first, and after the number 12 to the twelfth. Go to the last one.",
      keys: "G"
    ) { now, _ in now.table.row > 0 && now.table.row == now.table.extent.count - 1 },
    TourStep(
      "Press {search} and type `nemo`: the search shows the first match as you type. Enter keeps it; {next match} then "
        + "goes to the next.",
      keys: "/ nemo Enter"
    ) { now, _ in now.isInTable && !now.table.search.isEmpty },
    TourStep(
      "Go to the column boxOfficeMillions: move right, or press {go to column}, type `box` and press Enter.",
      keys: "' box Enter"
    ) { now, _ in now.isInTable && now.table.currentColumn?.name == "boxOfficeMillions" },
    TourStep(
      "{sort} sorts by this column; the same key once more reverses it. Bring the highest box office to the top.",
      keys: "s s"
    ) { now, _ in now.table.sort.first?.isDescending == true },
    TourStep(
      "Press {filter}, type `year:2010- docter` and press Enter. The films of Pete Docter since 2010 stay; the line "
        + "below them says why.",
      keys: #"f "year:2010- docter" Enter"#
    ) { now, _ in now.isInTable && now.table.filter.isActive },
    TourStep(
      "{clear} clears one thing after the other: the search, then the filter, then the sort. Bring all films back.",
      keys: "Escape Escape"
    ) { now, _ in now.isInTable && !now.table.filter.isActive },
    TourStep(
      "{change} types a new value into the cell. Type `abc` first, and see why it is refused; then type `1000` and "
        + "press Enter.",
      keys: "c 1000 Enter"
    ) { $0.isInTable && $0.host.status.unsaved > $1.host.status.unsaved },
    TourStep(
      "The film has a ~ now: it is changed and not saved. {undo} undoes the last change, and says which one it was.",
      keys: "u"
    ) { $0.host.status.unsaved < $1.host.status.unsaved },
    TourStep("{open} shows the whole film in a form. Open it.", keys: "Enter") { now, _ in
      now.place == FormAction.place
    },
    TourStep(
      "Tab goes to the next field, and ^T offers what fits there, such as a calendar. Esc leaves the film as it was.",
      keys: "Tab Escape"
    ) { now, _ in now.isInTable },
    TourStep(
      "{mark} marks a film; keys that change something then mean all marked ones. Mark three films.",
      keys: "Space j Space j Space"
    ) { now, _ in now.table.marks.count >= 3 },
    TourStep(
      "Press {change}, type `100` and press Enter: the three films change together.",
      keys: "c 100 Enter"
    ) { $0.isInTable && $0.host.status.unsaved >= $1.host.status.unsaved + 3 },
    TourStep(
      "{differences} shows what a save would write, the old and the new value of each change. Look at it.",
      keys: "D"
    ) { now, _ in now.place == ChangesAction.place },
    TourStep(
      "Esc closes the list, and {save} saves: everything or nothing. In this tour, it is saved to memory only.",
      keys: "Escape w"
    ) { now, _ in now.isInTable && now.host.status.unsaved == 0 },
    TourStep(
      "{undo} undoes a saved change, too; in your files, even one of an earlier run. Undo the change of the three "
        + "films.",
      keys: "u"
    ) { now, _ in now.host.status.unsaved > 0 },
    TourStep(
      "Go to the column director ({go to column} `dir` Enter) and press {group}: each director becomes a heading with "
        + "a count.",
      keys: "' dir Enter b"
    ) { now, _ in now.table.group != nil },
    TourStep(
      "{fold all groups} folds the groups to their headings, and {fold group} opens one. Fold all of them.",
      keys: "Z"
    ) { now, _ in now.table.hasFoldedGroups },
    TourStep("{group} again ends the groups.", keys: "b") { now, _ in now.table.group == nil },
    TourStep("{counts} counts the values of the column. Try it.", keys: "F") { now, _ in
      now.place == CountsAction.place
    },
    TourStep(
      "Go to a director and press Enter: only the films of this director stay in the table.",
      keys: "j Enter"
    ) { now, _ in now.isInTable && now.table.filter.isActive },
    TourStep(
      "{details} shows all values of the film next to the table or below it; once more moves into them, and Esc "
        + "leaves them. Press {details}.",
      keys: "v"
    ) {
      $0.place == DetailsAction.place
        || $1.host.layout.details == nil && $0.host.layout.details != nil
    },
    TourStep(
      "{hide column} hides a column, and {columns} lists all of them, to show it again. Hide this one.",
      keys: "Escape -"
    ) { $0.table.columns.count < $1.table.columns.count },
    TourStep(
      "Whatever keys do, commands do as well. Press {command}, type `stats boxOfficeMillions` and press Enter; Tab "
        + "completes names.",
      keys: #": "stats boxOfficeMillions" Enter"#
    ) { now, _ in now.place == TextAction.place },
    TourStep(
      "Scripts have the same commands: catalog films.json -e 'count where releaseYear > 2000'. Esc closes the text.",
      keys: "Escape"
    ) { now, _ in now.isInTable },
    TourStep(
      "{help} lists the keys of the place where you are; type / there to find one by a word. Open the help.",
      keys: "?"
    ) { now, _ in now.place == TextAction.place },
    TourStep(
      "That was the tour. Esc closes the help, and {quit} leaves. catalog FILE opens your own file: JSON, CSV, SQLite "
        + "or a log.",
      keys: "Escape"
    ) { _, _ in false },
  ]
}
