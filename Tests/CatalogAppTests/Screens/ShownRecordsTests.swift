import CatalogApp
import OpenSwiftData
import Testing

/// Commands that read records act on the records in the table, and report that.
@Suite struct ShownRecordsTests {
  private static let pete = "f \"director beginswith 'Pete'\" Enter"
  private static let scope = "2 of 3 records: filter director beginswith 'Pete'"

  static let lines: [(keys: String, text: String)] = [
    ("\(pete) : count Enter", scope),
    (": count Enter", "3"),
    ("\(pete) : \"count Film\" Enter", "3"),
    ("\(pete) : \"count where releaseYear > 0\" Enter", "3"),
    ("\(pete) : list Enter", "list · \(scope)"),
    ("\(pete) : \"stats releaseYear\" Enter", "stats releaseYear · \(scope)"),
    ("\(pete) : \"freq title\" Enter", "freq title · \(scope)"),
    ("Space : count Enter", "1 marked record"),
    ("Space \(pete) G Space : count Enter", "2 marked records"),
    ("Space f nemo Enter : count Enter", "1 marked record, 1 not shown"),
    ("Space f nemo Enter : \"stats releaseYear\" Enter", "1 marked record, 1 not shown"),
    ("Space j Space 2l F", "director: 1 value in 2 marked records"),
    ("d 2l F", "director: 2 values in 2 records"),
  ]

  @Test(arguments: lines.indices) func aLineReadsWhatTheTableShows(_ number: Int) throws {
    let example = Self.lines[number]
    let fixture = try ScreenFixture.films()
    try fixture.press(example.keys)
    #expect(
      fixture.lines[0].contains(example.text) || fixture.message == example.text
        || fixture.text.contains(" \(example.text) "),
      "\(example.keys)\n\(fixture.text)"
    )
  }

  /// Keys after a record was deleted and a filter was cleared, and the lines of the table.
  @Test(arguments: ["", "s", "s s"]) func aDeletedRecordStaysAtItsPlace(keys: String) throws {
    let fixture = try ScreenFixture.numbered(5)
    try fixture.press("j d f \"number > 1\" Enter")
    #expect(
      fixture.lines[1].contains("item 2") && fixture.text.contains("4 of 5"),
      "\(fixture.text)"
    )
    try fixture.press("Escape \(keys)")
    #expect(fixture.text.contains("5 of 5"), "\(fixture.text)")
    var names = (1...5).map { "item \($0)" }
    if keys == "s s" { names.reverse() }
    for (line, name) in zip(fixture.lines.dropFirst(), names) {
      #expect(line.contains(name), "\(fixture.text)")
      #expect(line.contains("-") == (name == "item 2"), "\(fixture.text)")
    }
    try fixture.press("w")
    #expect(fixture.text.contains("4 of 4") && !fixture.text.contains("item 2"), "\(fixture.text)")
  }

  static let exports: [(keys: String, titles: [String], message: String)] = [
    ("", ["Up", "Finding Nemo", "Soul"], "exported 3 records to x.csv"),
    ("s", ["Finding Nemo", "Soul", "Up"], "exported 3 records to x.csv"),
    (pete, ["Up", "Soul"], "exported 2 records to x.csv (\(scope))"),
    ("G Space g Space", ["Up", "Soul"], "exported 2 records to x.csv (2 marked records)"),
    (
      "G Space f nemo Enter", ["Soul"],
      "exported 1 record to x.csv (1 marked record, 1 not shown)"
    ),
    ("d", ["Finding Nemo", "Soul"], "exported 2 records to x.csv"),
  ]

  @Test(arguments: exports.indices) func exportWritesWhatTheTableShows(_ number: Int) throws {
    let example = Self.exports[number]
    let fixture = try ScreenFixture.films()
    try fixture.press("\(example.keys) : \"export x.csv\" Enter")
    let text = try #require(fixture.script.services.text("x.csv"))
    let rows = text.split(whereSeparator: \.isNewline)
    let titles = rows.dropFirst().map { $0.split(separator: ",", maxSplits: 2)[1] }
    #expect(titles.map(String.init) == example.titles, "\(example.keys)\n\(fixture.text)")
    #expect(fixture.text.contains(example.message), "\(fixture.text)")
  }

  @Test func clausesOfTheLineCountMore() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("\(Self.pete) : \"export x.csv sort -releaseYear limit 1\" Enter")
    #expect(fixture.script.services.text("x.csv")?.contains("Soul") == true)
    #expect(fixture.script.services.text("x.csv")?.contains("Up") == false)
    try fixture.press(": \"export y.csv where title = 'Finding Nemo'\" Enter")
    #expect(fixture.message == "exported 1 record to y.csv")
    #expect(fixture.script.services.text("y.csv")?.contains("Finding Nemo") == true)
  }

  // MARK: Saving

  @Test(arguments: ["w", ": w Enter", ": save Enter", "C-s"])
  func savingNothingIsAnsweredAlike(keys: String) throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(keys)
    #expect(fixture.message == "save: no unsaved changes")
    try fixture.press("d \(keys)")
    #expect(fixture.message == "saved: 0 inserted, 0 updated, 1 deleted")
  }

  @Test func saveWithAFileNamePointsToSaveas() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(": \"w other.json\" Enter")
    #expect(fixture.text.contains("use \"saveas other.json\""), "\(fixture.text)")
    #expect(try fixture.script.run("save 'my file.json'").errors.contains("use \"saveas "))
  }

  // MARK: Questions

  static let questions: [(keys: String, hint: String)] = [
    ("* d", " y delete · n/Esc cancel"), ("d q", " s save · d discard · Esc cancel"),
    ("d : \"e other\" Enter", " s save · d discard · Esc cancel"),
  ]

  @Test(arguments: questions.indices) func theHintLineNamesTheAnswers(_ number: Int) throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(Self.questions[number].keys)
    #expect(fixture.lines[22] == Self.questions[number].hint, "\(fixture.text)")
    try fixture.press("Escape")
    #expect(!fixture.runner.shouldQuit && fixture.lines[0].hasPrefix("   id"))
  }

  @Test(arguments: ["e", "Enter", "/", "f", ":"]) func escapeCancels(keys: String) throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(keys)
    #expect(fixture.lines[22].contains("Esc cancel"), "\(fixture.text)")
    try fixture.press("Escape ?")
    #expect(fixture.lines[22].contains("Esc close"), "\(fixture.text)")
  }
}
