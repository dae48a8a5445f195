import Testing

/// Keys pressed without a terminal, and the resulting screen.
@Suite struct ScreenKeysTests {
  static let films = #"""
    [{"title":"Up","year":2009,"director":"Pete Docter"},
    {"title":"Brave","year":2012,"director":null},
    {"title":"Cars","year":2006,"director":"John Lasseter"},
    {"title":"千と千尋","year":2001,"director":""}]
    """#

  @Test(arguments: [(80, 24), (200, 60)])
  func theFirstScreenShowsRecordsStatusAndKeys(columns: Int, rows: Int) throws {
    let screen = try press("", columns: columns, rows: rows)
    #expect(screen.status == 0, "\(screen.errors)")
    #expect(screen.lines.count == rows)
    // A wide screen has the details next to the table.
    let table = screen.lines.map { line in
      let part = line.prefix { $0 != "│" }
      return String(part.prefix(part.count - part.reversed().prefix { $0 == " " }.count))
    }
    #expect(
      table.prefix(5) == [
        "    title     year  director",
        ">   Up        2009  Pete Docter",
        "    Brave     2012  ∅",
        "    Cars      2006  John Lasseter",
        "    千と千尋  2001  \"\"",
      ]
    )
    #expect(table[5..<(rows - 3)].allSatisfy { $0.isEmpty })
    let status = screen.lines[rows - 3]
    #expect(
      status.hasPrefix(" films.json · 4 of 4 · row 1 ") && status.hasSuffix(" title 1/3")
    )
    #expect(
      screen.lines[rows - 2].hasPrefix(" ? help  / search  f filter  e edit  : command  q quit")
    )
    #expect(screen.lines[rows - 1] == "")
    #expect(screen.lines.allSatisfy { !$0.hasSuffix(" ") })
  }

  /// Keys, then a line that must be on the screen.
  ///
  /// The status is 3 if changes are unsaved, 1 if a command failed.
  static let presses: [(keys: String, line: String, status: Int32)] = [
    ("j j", ">   Cars      2006  John Lasseter", 0),
    ("Down Down Up", ">   Brave     2012  ∅", 0),
    ("G", ">   千と千尋  2001  \"\"", 0),
    ("End Home", ">   Up        2009  Pete Docter", 0),
    ("3G", ">   Cars      2006  John Lasseter", 0),
    ("99G", ">   千と千尋  2001  \"\"", 0),
    ("G gg", ">   Up        2009  Pete Docter", 0),
    ("C-d", ">   千と千尋  2001  \"\"", 0),
    ("PgDn PgUp", ">   Up        2009  Pete Docter", 0),
    (":3 Enter", ">   Cars      2006  John Lasseter", 0),
    ("/ CARS Enter", ">   Cars      2006  John Lasseter", 0),
    ("/ 2 Enter n n", ">   Cars      2006  John Lasseter", 0),
    ("/ nowhere Enter", "no match for \"nowhere\"", 0),
    (#"f "year > 2007" Enter"#, " ▽ filter year > 2007", 0),
    ("f docter Enter", " ▽ filter docter (words, any case)", 0),
    // A deleted record is found by the values that are shown.
    (
      #": "set where year = 2012 title=New" Enter : "delete where year = 2012" Enter f "title = 'New'" Enter"#,
      "> - New       2012  ∅", 3
    ),
    (#"f "year >" Enter"#, "expected a field or a value, found the end", 0),
    ("f zzz Enter", "   no record matches the filter; press Esc to clear it", 0),
    ("f zzz Enter Escape", " films.json · 4 of 4 · row 1", 0),
    ("l s", "sort year", 0),
    ("l s s", "sort -year", 0),
    ("s l S", "sort title,year", 0),
    ("e ! Enter", "> ~ Up!       2009  Pete Docter", 3),
    ("c New Enter", "> ~ New       2009  Pete Docter", 3),
    ("F2 X Escape", ">   Up        2009  Pete Docter", 0),
    ("l c abc Enter", "\"abc\" is not a whole number", 0),
    ("d", "deleted 1 (Up)", 3),
    ("d u", ">   Up        2009  Pete Docter", 0),
    ("d u C-r", "> - Up        2009  Pete Docter", 3),
    ("Space Space d", "delete 2 marked records?", 0),
    ("* d y", "deleted 4 records", 3),
    ("V j j V d y", "deleted 3 records", 3),
    ("Y", "> +t1  Up        2009  Pete Docter", 3),
    ("a New Tab 1999 Enter", "> +t1  New       1999  ∅", 3),
    ("Enter Tab 7 Enter", "> ~ Up        20097  Pete Docter", 3),
    ("Enter X Escape", ">   Up        2009  Pete Docter", 0),
    ("c New Enter j .", "> ~ New       2012  ∅", 3),
    ("v", " director  Pete Docter", 0),
    ("l F", "2001", 0),
    ("?", "   /               search in all fields as you type", 0),
    ("F1", "   /               search in all fields as you type", 0),
    ("C-p", "all commands", 0),
    ("y", "copied \"Up\"", 0),
    ("E", "no editor with --keys; value unchanged", 1),
    ("q", "", 0),
    ("d q", "1 record changed but not saved: 1 deleted", 3),
    ("d q c", "> - Up        2009  Pete Docter", 3),
    ("d q s", "saved: 0 inserted, 0 updated, 1 deleted", 0),
    ("d :q Enter", "1 record changed but not saved: 1 deleted", 3),
    ("d :q! Enter", "", 0),
    ("d :wq Enter", "saved: 0 inserted, 0 updated, 1 deleted", 0),
    ("d w", "saved: 0 inserted, 0 updated, 1 deleted", 0),
    ("d C-s", "saved: 0 inserted, 0 updated, 1 deleted", 0),
    (#"":set year=1" Enter"#, "set year of 1 (Up)", 3),
    (#"":set 3 title=Planes" Enter"#, "set title of 3 (Cars)", 3),
    (#"":delete where year < 2007" Enter"#, "deleted 2 records", 3),
    (":count Enter", "4", 0),
    (":frob Enter", "unknown command \"frob\"", 1),
    (":e Enter", "missing location: e LOCATION", 1),
    (#"":e films.json" Enter"#, "opened films.json", 0),
    (#"":e nowhere.catlog/x" Enter"#, "no such folder: nowhere.catlog", 1),
    (#"":import none.csv" Enter"#, "cannot inspect", 1),
    (#"":export out.csv" Enter"#, "exported 4 records to out.csv", 0),
    (#"":saveas out.catlog" Enter"#, "saved 4 records to out.catlog", 0),
    (
      #"":filter year > 2007" Enter"#, " ▽ filter year > 2007",
      0
    ),
    (#"":sort -year" Enter"#, ">   Brave", 0),
    (#"j ":sort -year" Enter"#, ">   Brave", 0),
    (#"3j ":sort year" Enter"#, ">   千と千尋", 0),
    (":li Tab Enter", "list", 0),
  ]

  @Test(arguments: presses, [(columns: 80, rows: 24), (columns: 200, rows: 60)])
  func keysDoWhatTheContractSays(
    press: (keys: String, line: String, status: Int32),
    size: (columns: Int, rows: Int)
  ) throws {
    let (keys, line, status) = press
    let screen = try self.press(keys, columns: size.columns, rows: size.rows)
    #expect(screen.lines.count == size.rows)
    #expect(
      screen.lines.contains { $0.contains(line) },
      "\(line)\n\(screen.lines.joined(separator: "\n"))"
    )
    #expect(screen.status == status, "\(screen.errors)")
  }

  @Test func historyOnTheScreenTellsLocalTimesAndRestoresAField() throws {
    let folder = try TemporaryFolder()
    let script = "entity create Book title:text\ninsert title=Emma\nsave\nset t1 title=X\nsave\n"
    #expect(try folder.run(["a.catlog"], input: script, environment: ["USER": "ann"]).status == 0)
    let history = try folder.run(["a.catlog", "--keys", "-"], input: "H").output
    #expect(history.contains(/\d  \d{4}-\d\d-\d\d \d\d:\d\d by ann\n/), "\(history)")
    #expect(history.contains("title: Emma → X"), "\(history)")
    let reverted = try folder.run(["a.catlog", "--keys", "-"], input: "H j Enter")
    #expect(reverted.output.contains("Emma"), "\(reverted.output)")
    #expect(reverted.status == 3)
    let restored = try folder.run(
      ["a.catlog", "--keys", "-", "--size", "120x24"],
      input: "H Enter"
    )
    #expect(restored.output.contains("nothing differs"), "\(restored.output)")
    let none = try folder.run(["--keys", "-"], input: "H").output
    #expect(none.contains("> not saved yet") && none.contains("added with title: "), "\(none)")
  }

  @Test func keysMayBeGivenOtherMeaningsAndTheHelpShowsThem() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.films, to: "films.json")
    try folder.write("bind D delete\nunbind d # too near to f\n", to: "config")
    for (keys, line) in [
      ("D", "deleted 1 (Up)"), ("d", "d is not bound here; press ? for the keys"),
      ("?", "   D x Delete      delete the record"),
    ] {
      let run = try folder.run(
        ["films.json", "--config", "config", "--keys", "-", "--size", "80x60"],
        input: keys
      )
      #expect(run.output.contains(line), "\(run.output)")
    }
  }

  @Test func aFormRefusesAValueAndSaysWhy() throws {
    let screen = try press("Enter Tab BSpace x Enter")
    #expect(screen.lines.contains { $0.contains("── films 1 · 2/3 ─") })
    #expect(screen.lines.last?.contains("\"200x\" is not a whole number") == true)
    #expect(screen.status == 0)
  }

  @Test func longMessagesAreWrapped() throws {
    let screen = try press(#"":entity create Other name:text" Enter"#, columns: 60)
    let text = screen.lines.suffix(2).joined(separator: " ")
    #expect(text.contains("films.json: this format holds one entity"), "\(text)")
    #expect(text.contains("saveas"), "\(text)")
    #expect(!text.contains("…"), "\(text)")
  }

  // Covers H01.
  @Test func hostileValuesShowHarmlessly() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      #"[{"t":"\u001b[31m\u001b]0;x\u0007","n":"a\nb"},{"t":"\u202eabc","n":"e\u0301\u200b"}]"#,
      to: "a.json"
    )
    for keys in ["", "v", "Enter", ":list Enter", "d", "F", "e"] {
      let run = try folder.run(["a.json", "--keys", "-"], input: keys)
      let harmful = run.output.unicodeScalars.filter {
        ($0.value < 0x20 && $0 != "\n") || $0 == "\u{202E}" || $0 == "\u{200B}" || $0 == "\u{7F}"
      }
      #expect(harmful.isEmpty, "\(keys)")
      #expect(run.output.contains("^[[31m"), "\(keys)")
      #expect(run.output.split(separator: "\n", omittingEmptySubsequences: false).count == 25)
    }
  }

  static let empty: [(file: String, keys: String, says: String)] = [
    ("new.catlog", "", "no entities; use :entity create NAME FIELD:TYPE or :import FILE into NAME"),
    (
      "new.catlog", "a",
      "add: no entities; use :entity create NAME FIELD:TYPE or :import FILE into NAME"
    ),
    ("new.catlog", ":w Enter", "no unsaved changes"),
    (
      "new.catlog", #"":entity create Book title:text" Enter"#,
      "no records; press a to add one, or :import FILE"
    ),
    ("new.catlog", #"":entity create Book title:text" Enter a Emma Enter w"#, "saved: 1 inserted"),
    ("none.json", "", "none has no fields yet; use :insert NAME=VALUE … or"),
    ("none.json", "a", "none has no fields yet; use :insert NAME=VALUE … or"),
    ("none.json", #"":field add none title:text" Enter a Emma Enter"#, "> +t1  Emma"),
  ]

  @Test(arguments: empty)
  func anEmptyStoreSaysWhatToDoNext(file: String, keys: String, says: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("[]", to: "none.json")
    let run = try folder.run([file, "--keys", "-"], input: keys)
    #expect(run.output.contains(says), "\(run.output)")
    #expect(run.status == 0 || run.status == 3)
  }

  @Test func aNewcomerIsToldThatTheSampleIsNotWritten() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(["--keys", "-"])
    #expect(run.output.contains("sample records, not saved yet; press w to"), "\(run.output)")
    #expect(run.output.contains("/catalog.json"))
    #expect(run.output.contains("31 of 31"))
    #expect(run.status == 3)
  }

  @Test(
    arguments: [
      ("f Nemo Entr", nil), ("\"open", "unclosed quote"), ("F13", nil),
    ] as [(String, String?)]
  )
  func wrongKeysAreWrongUsage(keys: String, says: String?) throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(["--store", "memory", "--sample", "--keys", "-"], input: keys)
    if let says {
      #expect(run.status == 2)
      #expect(run.errors.contains(says), "\(run.errors)")
    } else {
      #expect(run.status == 0, "\(run.errors)")
    }
  }

  @Test(arguments: [(39, 24), (80, 5), (1, 1)])
  func aScreenThatIsTooSmallSaysSo(columns: Int, rows: Int) throws {
    let screen = try press("j d", columns: columns, rows: rows)
    #expect(screen.lines.count == rows)
    if columns > 30 { #expect(screen.lines[0] == "terminal too small") }
  }

  private struct Pressed {
    let lines: [String]
    let status: Int32
    let errors: String
  }

  private func press(_ keys: String, columns: Int = 80, rows: Int = 24) throws -> Pressed {
    let folder = try TemporaryFolder()
    try folder.write(Self.films, to: "films.json")
    let run = try folder.run(
      ["films.json", "--keys", "-", "--size", "\(columns)x\(rows)"],
      input: keys
    )
    var lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines.popLast() == "")
    return Pressed(lines: lines, status: run.status, errors: run.errors)
  }
}
