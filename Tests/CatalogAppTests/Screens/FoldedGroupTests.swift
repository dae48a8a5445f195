import CatalogApp
import OpenSwiftData
import Testing

/// Groups that are folded into their headings.
@Suite struct FoldedGroupTests {
  /// Twelve films in groups: one by Andrew Stanton, three by Brad Bird, five by Pete Docter, three without a director.
  private static func screen(rows: Int = 24) throws -> ScreenFixture {
    let script = try ScriptFixture.withFilms()
    let names = ["\"Pete Docter\"", "\"Brad Bird\"", ""]
    let lines = (1...9).map {
      "insert title=\"Film \($0)\" releaseYear=\(1990 + $0) director=\(names[$0 % 3])"
    }
    try script.run(lines.joined(separator: "\n") + "\nsave")
    let screen = ScreenFixture(script, size: Size(columns: 80, rows: rows))
    try screen.press(": \"group director\" Enter g")
    return screen
  }

  private static let all = [
    " ▸ Andrew Stanton (1)", " ▸ Brad Bird (3)",
    " ▸ Pete Docter (5)", " ▸ ∅ (3)",
  ]

  /// The lines of the groups, with the cursor on one of them.
  private static func folded(cursor: Int) -> [String] {
    all.enumerated().map { $0 == cursor ? ">" + $1.dropFirst() : $1 }
  }

  @Test func aGroupIsFoldedAndUnfolded() throws {
    let screen = try Self.screen()
    try screen.press("j j z")
    #expect(screen.lines[1] == " ▾ Andrew Stanton (1)", "\(screen.text)")
    #expect(screen.lines[3] == ">▸ Brad Bird (3)")
    #expect(screen.lines[4] == " ▾ Pete Docter (5)")
    #expect(screen.lines[screen.lines.count - 2].contains("z unfold"), "\(screen.text)")
    for key in ["z", "Enter", "Space"] {
      try screen.press(key)
      #expect(screen.lines[3] == " ▾ Brad Bird (3)", "\(key)\n\(screen.text)")
      #expect(screen.lines[5].hasPrefix(">"), "the record on which the cursor was")
      try screen.press("z")
      #expect(screen.lines[3] == ">▸ Brad Bird (3)", "\(key)\n\(screen.text)")
    }
  }

  @Test func allGroupsAreFoldedAndUnfolded() throws {
    let screen = try Self.screen()
    try screen.press("5j Z")
    #expect(Array(screen.lines[1...4]) == Self.folded(cursor: 2), "\(screen.text)")
    try screen.press("k")
    #expect(Array(screen.lines[1...4]) == Self.folded(cursor: 1), "\(screen.text)")
    try screen.press("G Enter")
    #expect(screen.lines[4] == " ▾ ∅ (3)", "\(screen.text)")
    #expect(screen.lines[5].hasPrefix(">") && !screen.lines[8].contains("▸"))
    try screen.press("Z g")
    #expect(Array(screen.lines[1...4]) == Self.folded(cursor: 0), "\(screen.text)")
    try screen.press("Z")
    #expect(!screen.text.contains("▸"), "\(screen.text)")
  }

  @Test func theStatusTellsThatGroupsAreFolded() throws {
    let screen = try Self.screen()
    #expect(screen.lines[screen.lines.count - 2].contains("z fold group"), "\(screen.text)")
    try screen.press("Z")
    #expect(screen.chips == "group director (4), folded", "\(screen.text)")
    try screen.press("Z")
    #expect(screen.chips == "group director (4)", "\(screen.text)")
  }

  @Test func groupsThatAreUnfoldedOneByOneAreNotFolded() throws {
    let screen = try Self.screen()
    try screen.press("Z")
    #expect(screen.text.contains("12 of 12"), "\(screen.text)")
    try screen.press("G z g z j z j j j z")
    #expect(!screen.text.contains("▸"), "\(screen.text)")
    #expect(screen.chips == "group director (4)", "\(screen.text)")
    try screen.press("Z")
    #expect(screen.chips == "group director (4), folded", "\(screen.text)")
  }

  /// Groups that were folded one by one are unfolded together.
  @Test func allFoldedGroupsAreUnfolded() throws {
    let screen = try Self.screen()
    try screen.press("z j z j z j z")
    #expect(Array(screen.lines[1...4]) == Self.folded(cursor: 3), "\(screen.text)")
    try screen.press("Z")
    #expect(!screen.text.contains("▸"), "\(screen.text)")
  }

  /// A group that goes on over several pages of records is one.
  @Test func longGroupsAreFolded() throws {
    let screen = try ScreenFixture.numbered(1500)
    try screen.press(": \"set where number > 700 name=x\" Enter y w : \"group name\" Enter Z G")
    #expect(screen.text.contains("1500 of 1500"), "\(screen.text)")
    #expect(screen.text.contains(">▸ x (800)"), "\(screen.text)")
    try screen.press("z")
    #expect(screen.text.contains("1500 of 1500"), "\(screen.text)")
    #expect(screen.lines.contains { $0.hasPrefix(">") && $0.hasSuffix("701  x") }, "\(screen.text)")
  }

  /// What needs a record says that there is none, and changes nothing.
  @Test(arguments: ["e", "d", "Y", "H", "R", "c"])
  func aFoldedGroupIsNoRecord(key: String) throws {
    let screen = try Self.screen()
    try screen.press("j j z \(key)")
    #expect(screen.message.hasSuffix("the group is folded; press z to unfold it"), "\(screen.text)")
    #expect(screen.script.session.context.hasChanges == false)
  }

  /// Commands for all shown records include those of folded groups.
  @Test func allRecordsAreMarkedAndCounted() throws {
    let screen = try Self.screen()
    try screen.press("Z *")
    #expect(screen.text.contains("12 marked"), "\(screen.text)")
    try screen.press("Escape : \"count\" Enter")
    #expect(screen.message.contains("12"), "\(screen.text)")
  }

  /// Keys after all records were marked while their groups are folded, and what is unsaved then.
  @Test(arguments: [
    (": \"set releaseYear=1\" Enter y", "12 changed"), ("d y", "12 deleted"), ("d y C-l u", nil),
    ("C-l d y", "12 deleted"), ("z Z d y C-l", "12 deleted"),
  ])
  func markedRecordsOfFoldedGroupsAreChanged(keys: String, unsaved: String?) throws {
    let screen = try Self.screen()
    try screen.press("Z * " + keys)
    #expect(screen.status.contains("12 of 12"), "\(screen.text)")
    if let unsaved { #expect(screen.status.contains("unsaved: \(unsaved)"), "\(screen.text)") }
    let isDeleted = unsaved?.hasSuffix("deleted") == true
    #expect(screen.text.contains("12 marked") != isDeleted, "\(screen.text)")
    #expect(!screen.text.contains("not shown"), "\(screen.text)")
  }

  @Test func aRecordThatIsLookedForIsUnfolded() throws {
    let screen = try DetailsTests.films()
    try screen.press(": \"group studio\" Enter g Z")
    #expect(screen.text.contains("▸ Pixar (2)"), "\(screen.text)")
    try screen.press("Tab v G Enter")
    #expect(screen.status.contains("Film 2/2") && !screen.text.contains("▸ studio"))
    #expect(screen.lines.contains { $0.hasPrefix(">") && $0.contains("Soul") }, "\(screen.text)")
  }

  /// Keys after all groups were folded with the cursor on the first one, the record on which the cursor is then, the
  /// groups that are still folded, and what the line says about the search.
  static let searches: [(keys: String, cursor: String, folded: Int, chip: String)] = [
    ("/ \"Film 4\" Enter", "Film 4", 3, "search Film 4 (1 of 1)"),
    ("/ Film Enter", "Film 1", 3, "search Film (1 of 9)"),
    ("/ Film Enter n n n", "Film 3", 2, "search Film (4 of 9)"),
    ("/ Film Enter N", "Film 8", 2, "search Film (9 of 9)"),
    ("/ Film Enter z n", "Film 1", 3, "search Film (1 of 9)"),
    ("/ Film Enter z j N", "Film 7", 3, "search Film (3 of 9)"),
    ("z / Film Enter", "Film 1", 2, "search Film (1 of 9)"),
    (": \"sort title\" Enter g / Film Enter", "Film 1", 3, "search Film (1 of 9)"),
  ]

  /// A search once passed over folded groups, and the lines of the groups matched by their first records.
  @Test(arguments: searches)
  func aSearchUnfoldsTheGroupOfItsMatch(
    keys: String,
    cursor: String,
    folded: Int,
    chip: String
  ) throws {
    let screen = try Self.screen()
    try screen.press("Z \(keys)")
    let line = try #require(screen.lines.first { $0.hasPrefix(">") }, "\(screen.text)")
    #expect(line.contains("\(cursor) "), "\(screen.text)")
    #expect(screen.lines.count { $0.contains("▸") } == folded, "\(screen.text)")
    #expect(screen.chips.contains(chip), "\(screen.text)")
  }

  /// While the search is typed, nothing is unfolded, and Esc goes back.
  @Test func aSearchThatIsTypedUnfoldsNothing() throws {
    let screen = try Self.screen()
    try screen.press("Z / \"Film 3\"")
    #expect(Array(screen.lines[1...4]) == Self.folded(cursor: 2), "\(screen.text)")
    #expect(screen.message.contains("in this folded group"), "\(screen.text)")
    try screen.press("Escape")
    #expect(Array(screen.lines[1...4]) == Self.folded(cursor: 0), "\(screen.text)")
    try screen.press("/ nowhere Enter")
    #expect(screen.message == "no match for \"nowhere\"", "\(screen.text)")
  }

  /// Unsaved new records come after the groups.
  @Test func aSearchFindsNewRecordsAfterFoldedGroups() throws {
    let screen = try Self.screen()
    try screen.press(": \"insert title=Newest releaseYear=2020\" Enter Z g")
    try screen.press(": \"insert title=Latest releaseYear=2021\" Enter g")
    for title in ["Newest", "Latest"] {
      try screen.press("/ \(title) Enter")
      let line = try #require(screen.lines.first { $0.hasPrefix(">") }, "\(screen.text)")
      #expect(line.contains(title), "\(screen.text)")
    }
  }

  /// The cursor returns to the record where it was when the group was folded.
  @Test(arguments: ["z z", "z j z k z", "z Enter", "Z z", "Z Z", "z Z Z", "z C-l z"])
  func unfoldingReturnsToTheRecord(keys: String) throws {
    let screen = try Self.screen()
    try screen.press("/ \"Film 6\" Enter \(keys)")
    let line = try #require(screen.lines.first { $0.hasPrefix(">") }, "\(screen.text)")
    #expect(line.contains("Film 6"), "\(screen.text)")
  }

  @Test func endingTheGroupsUnfoldsThem() throws {
    let screen = try Self.screen()
    try screen.press("Z : group Enter")
    #expect(!screen.text.contains("▸") && screen.text.contains("12 of 12"), "\(screen.text)")
    try screen.press(": \"group director\" Enter")
    #expect(!screen.text.contains("▸"), "\(screen.text)")
  }

  @Test func withoutGroupsTheKeySaysSo() throws {
    let screen = try ScreenFixture.films()
    try screen.press("z")
    #expect(screen.message == "fold group: no groups; press b to group by this column")
  }

  /// A change of another record, a save and undo keep the groups folded.
  @Test func foldsStayAfterChanges() throws {
    let screen = try Self.screen()
    try screen.press("j j z g : \"set where title = \\\"Film 1\\\" releaseYear=1900\" Enter")
    #expect(screen.lines[3] == " ▸ Brad Bird (3)", "\(screen.text)")
    try screen.press("w")
    #expect(screen.lines[3] == " ▸ Brad Bird (3)", "\(screen.text)")
    try screen.press("u")
    #expect(screen.lines[3] == " ▸ Brad Bird (3)", "\(screen.text)")
    try screen.press("x")
    #expect(screen.text.contains("▸ Brad Bird (3)"), "\(screen.text)")
  }

  /// The cursor stays on the screen wherever it goes.
  @Test(arguments: [6, 7, 9, 12, 24])
  func theCursorStaysVisible(rows: Int) throws {
    let screen = try Self.screen(rows: rows)
    var keys = ["j", "j", "z", "G", "z", "g"] + Array(repeating: "j", count: 9)
    keys += ["k", "k", "G", "PgUp", "g", "PgDn", "Z", "G", "k", "g", "Enter", "j", "G"]
    for key in keys {
      try screen.press(key)
      let count = screen.lines.count { $0.hasPrefix(">") }
      #expect(count == 1, "\(key)\n\(screen.text)")
    }
  }
}
