import CatalogApp
import OpenSwiftData
import Testing

/// Keys of the table in the details pane, and members and elements of JSON that are added and deleted there.
@Suite struct DetailsKeysTests {
  private static let notes = DetailsTests.notes

  private static func notes(_ fixture: ScreenFixture) throws -> String? {
    try fixture.script.session.context.fetchSnapshots(matching: Query("Film")).first?["notes"]?.text
  }

  /// Keys in the pane, and what the screen then contains.
  static let ofTable: [(keys: String, text: String)] = [
    (": 2 Enter", "row 2"), (": save Enter", "save: no unsaved changes"),
    ("f Soul Enter", "▽ filter Soul"), ("f Soul Enter !", "filter not"),
    ("C-p", "all commands"), ("H", "history"), ("C-g", "row 1 of 3"),
    ("Q", "recording; press Q to end it"), ("D", "differences: no unsaved changes"),
    (": \"bind X = 3\" Enter X", "row 3"),
    ("s", "s is not bound in the details; press ? for the keys, Esc for the table"),
  ]

  @Test(arguments: ofTable.indices) func keysOfTheTableWork(_ place: Int) throws {
    let (keys, text) = Self.ofTable[place]
    let fixture = try DetailsTests.films()
    try fixture.press("v " + keys)
    #expect(fixture.text.contains(text), "\(keys)\n\(fixture.text)")
    #expect(fixture.script.session.context.hasChanges == false)
  }

  /// The hints are what is possible now: the way back only after a link, and saving with unsaved changes.
  @Test func theHintsAreWhatIsPossible() throws {
    let fixture = try DetailsTests.films(size: Size(columns: 80, rows: 24))
    func hints() -> String { fixture.lines[fixture.lines.count - 2] }
    try fixture.press("j v v")
    #expect(hints().contains("Esc table") && !hints().contains("back"), "\(fixture.text)")
    #expect(!hints().contains("w save") && !hints().contains("u undo"), "\(fixture.text)")
    try fixture.press("j Enter")
    #expect(hints().contains("BSpace back") && hints().contains("Esc table"), "\(fixture.text)")
    try fixture.press("BSpace g e C-u Heaven Enter")
    #expect(hints().contains("w save") && hints().contains("u undo"), "\(fixture.text)")
    #expect(hints().contains("Esc table") && !hints().contains("back"), "\(fixture.text)")
  }

  /// The pane has the keys again after a command, and a command that opens the pane does not open it twice.
  @Test func thePaneKeepsTheKeys() throws {
    let fixture = try DetailsTests.films()
    try fixture.press("v : 2 Enter z")
    #expect(fixture.message.hasPrefix("z is not bound in the details"))
    try fixture.press("C-p details Enter Escape j")
    #expect(fixture.status.contains("row 3"), "\(fixture.text)")
  }

  /// Letters without a meaning in the pane change nothing, one after the other.
  @Test func unboundLettersDoNothing() throws {
    let fixture = try DetailsTests.films()
    for key in ["c", "s", "S", "b", "F", "t", "z", "C", "-", "(", "Y", ".", "*", "V", "I", "O"] {
      try fixture.press("v \(key)")
      #expect(fixture.message.hasPrefix("\(key) is not bound in the details"), "\(fixture.text)")
      try fixture.press("Escape")
    }
    #expect(fixture.script.session.context.hasChanges == false)
  }

  /// Keys in the pane on the notes of the first film, the notes afterward, and the message or a part of the screen.
  static let changes: [(keys: String, notes: String, text: String)] = [
    ("/ mood Enter d", #"{"tags":["a","b"],"deep":{"er":{"x":1}}}"#, "removed notes.mood of"),
    ("/ tags Enter x", #"{"mood":"sad","deep":{"er":{"x":1}}}"#, "removed notes.tags"),
    ("/ deep Enter Delete", #"{"mood":"sad","tags":["a","b"]}"#, "removed notes.deep"),
    ("/ tags Enter j d", #"{"mood":"sad","tags":["b"],"deep":{"er":{"x":1}}}"#, "[…] 1"),
    ("/ tags Enter j d d", #"{"mood":"sad","tags":[],"deep":{"er":{"x":1}}}"#, "tags: []"),
    ("/ deep Enter j d", #"{"mood":"sad","tags":["a","b"],"deep":{}}"#, "deep: {}"),
    ("/ mood Enter d u", notes, "undone: remove notes.mood"),
    ("/ mood Enter k d", notes, "delete: this is the whole value; press E to edit it"),
    ("g d", notes, "delete: no part of JSON here; press Esc for the records of the table"),
    (
      "/ mood Enter a \"size: 12.50\" Enter",
      #"{"mood":"sad","size":12.50,"tags":["a","b"],"deep":{"er":{"x":1}}}"#,
      "│>             size: 12.50"
    ),
    (
      "/ tags Enter a \"a, b\" Enter",
      #"{"mood":"sad","tags":["a","b","a, b"],"deep":{"er":{"x":1}}}"#, "[2]: a, b"
    ),
    (
      "/ tags Enter j o null Enter", #"{"mood":"sad","tags":["a",null,"b"],"deep":{"er":{"x":1}}}"#,
      "[1]: ∅"
    ),
    (
      "/ er: Enter a \"\\\"p: q\\\": [1, 2]\" Enter",
      #"{"mood":"sad","tags":["a","b"],"deep":{"er":{"x":1,"p: q":[1,2]}}}"#, "p: q: […] 2"
    ),
    (
      "/ deep Enter j d a x:1 Enter", #"{"mood":"sad","tags":["a","b"],"deep":{"x":1}}"#, "x: 1"
    ),
    ("/ mood Enter a mood: Enter", notes, "\"mood\" already exists; edit its value"),
    ("/ mood Enter a mood Enter", notes, "expected NAME: VALUE, such as color: red"),
    ("/ mood Enter a \"arr: [1,2\" Enter", notes, "invalid JSON: [1,2"),
    ("/ mood Enter a \"new{\\\"x\\\": 1}\" Enter", notes, "expected NAME: VALUE"),
    ("/ tags Enter a {x:1} Enter", notes, "invalid JSON: {x:1}"),
    ("/ mood Enter a x:1 Escape", notes, "mood: sad"),
    ("/ tags Enter a C-u Enter", notes, "mood: sad"),
    ("/ mood Enter a x:1 Enter u", notes, "undone: set notes"),
    ("g a", notes, "add: no part of JSON here"),
  ]

  @Test(arguments: changes.indices) func membersAndElementsAreAddedAndDeleted(_ place: Int) throws {
    let change = Self.changes[place]
    let fixture = try DetailsTests.films()
    try fixture.press("v " + change.keys)
    #expect(try Self.notes(fixture) == change.notes, "\(change.keys)\n\(fixture.text)")
    #expect(fixture.text.contains(change.text), "\(change.keys)\n\(fixture.text)")
  }

  @Test func whatWillBeStoredIsShown() throws {
    let fixture = try DetailsTests.films()
    try fixture.press("v / mood Enter a")
    #expect(fixture.message.contains("add to notes: ") && fixture.message.contains("NAME: VALUE"))
    try fixture.press("\"color: red\"")
    #expect(fixture.message.hasSuffix("stores \"color\":\"red\""))
    #expect(fixture.lines[fixture.lines.count - 2].contains("Enter accept  Esc cancel"))
  }

  /// Folds stay on their parts when others before them are added or removed.
  @Test func foldsStayOnTheirParts() throws {
    let fixture = try DetailsTests.films()
    try fixture.press("v / er: Enter Space / C-u mood Enter d")
    #expect(fixture.text.contains("▾ er: {…} 1"), "\(fixture.text)")
    try fixture.press("a z:[1,[2,3]] Enter")
    #expect(fixture.text.contains("▾ er: {…} 1"), "\(fixture.text)")
  }

  @Test func hintsNameTheKeysOfTheLine() throws {
    let fixture = try DetailsTests.films()
    try fixture.press("v")
    #expect(
      fixture.lines[fixture.lines.count - 2].contains("Enter open  e edit  / search  : command")
    )
    try fixture.press("/ tags Enter")
    #expect(
      fixture.lines[fixture.lines.count - 2]
        .contains("E edit outside  a add  d delete  Space fold  / search  : command")
    )
  }

  @Test func readOnlyPartsStay() throws {
    let fixture = try DetailsTests.films()
    try fixture.press("x v / mood Enter d")
    #expect(fixture.message == "deleted record; press u to undo", "\(fixture.text)")
  }

  @Test func helpListsTheKeysOfTheTable() {
    let place = KeyCommand.allPlaces[1]
    let lines = HelpText.keys(.standard, at: place)
    #expect(lines.contains { $0.hasPrefix("  :  ") && $0.contains("type a command") })
    #expect(lines.contains { $0.hasPrefix("  a o") && $0.contains("add a member") })
  }
}
