import CatalogApp
import Glibc
import OpenSwiftData
import Stores
import Testing

@testable import CatalogProgram

/// How the screen reads a file is kept beside its views, and used while the file looks the same.
@Suite struct KeptReadingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var services: CatalogServices {
    CatalogServices(
      fileSystem: LocalFileSystem(),
      author: nil,
      output: StandardOutput(1),
      owner: geteuid(),
      viewFolder: folder.file("state/views"),
      readingFolder: folder.file("state/reading"),
      usesKeptReadings: true,
      kinds: StoreKind.standard
    )
  }

  private func session(_ name: String) throws -> Session {
    let opened = try services.open(folder.file(name), schema: nil, isReadOnly: false)
    let session = Session(
      container: opened.container,
      storeName: opened.name,
      storeReason: opened.readOnlyReason,
      services: services
    )
    session.store.location = folder.file(name)
    session.store.readingNote = opened.readingNote
    return session
  }

  private func press(_ keys: String, _ runner: AppRunner) {
    for character in keys { runner.handle(.key(Key(.character(character)))) }
    runner.handle(.key(.enter))
  }

  @Test func whatIsKeptIsReadAgain() throws {
    var reading = FileReading(
      options: try ReadingOptions("header=no delimiter=;"),
      delimiter: ";",
      columns: ["a \"b\"", "ü\n"],
      hasHeader: false,
      lineEnd: "lf",
      encoding: "utf-8"
    )
    let day = try #require(CalendarDate("2026-11-28"))
    let kept = KeptReading(reading, on: day)
    #expect(try KeptReading(parsing: kept.text) == kept)
    #expect(throws: CommandError.self) { try KeptReading(parsing: "nonsense") }
    #expect(kept.fits(reading))
    reading.columns.append("c")
    #expect(kept.fits(reading))
    reading.columns = ["x"]
    #expect(!kept.fits(reading))
    (reading.columns, reading.delimiter) = (kept.columns, ",")
    #expect(!kept.fits(reading))
  }

  @Test func theScreenReadsTheFileAsItWasKept() throws {
    try folder.write("a;b\n1;NA\n2;3\n", to: "t.csv")
    do {
      let runner = AppRunner(session: try session("t.csv"), size: Size(columns: 80, rows: 24))
      press(":read missing=NA", runner)
      #expect(runner.canvas.plainText().contains("opened t.csv"))
    }
    let again = try session("t.csv")
    #expect(again.store.reading?.options == (try ReadingOptions("missing=NA")))
    let field = try #require(again.context.schema.entities.first?.fieldsByName["b"])
    #expect(field.type == .integer)
    again.close()
    // A column was added by another program.
    try folder.write("a;c;b\n1;x;NA\n2;y;3\n", to: "t.csv")
    let wider = try session("t.csv")
    #expect(wider.store.reading?.options == (try ReadingOptions("missing=NA")))
    #expect(wider.store.readingNote == nil)
    wider.close()
    // It is another file.
    try folder.write("x\n1\n", to: "t.csv")
    let other = try session("t.csv")
    #expect(other.store.reading?.options.isAutomatic == true)
    #expect(
      other.store.readingNote?.contains("\"missing=NA\" does not fit (2 columns then, 1 now)")
        == true
    )
    #expect(other.store.readOnlyReason != nil)
    let runner = AppRunner(session: other, size: Size(columns: 80, rows: 24))
    press(":read auto", runner)
    #expect(other.store.readOnlyReason == nil)
    #expect(try services.keptReading(of: folder.file("t.csv")) == nil)
  }

  @Test func theChoicesShowTheFirstRecords() throws {
    try folder.write("a,b;c\n1,2;3\n4,5;6\n", to: "t.csv")
    let runner = AppRunner(session: try session("t.csv"), size: Size(columns: 80, rows: 24))
    for event: InputEvent in [.key(.escape)] { runner.handle(event) }
    press(":read", runner)
    let screen = runner.canvas.plainText()
    #expect(screen.contains("how is the file to be read?"), "\(screen)")
    #expect(screen.contains(">as now"), "\(screen)")
    runner.handle(.key(.escape))
    #expect(!runner.canvas.plainText().contains("how is the file to be read?"))
  }

  @Test func unsavedChangesComeFirst() throws {
    try folder.write("a;b\n1;2\n", to: "t.csv")
    let session = try session("t.csv")
    let runner = AppRunner(session: session, size: Size(columns: 80, rows: 24))
    press(":set 1 b=5", runner)
    press(":read missing=NA", runner)
    #expect(runner.canvas.plainText().contains("read: unsaved changes"))
    #expect(session.store.reading?.options.isAutomatic == true)
  }

  @Test func aRefusedFileIsShownAndReadOnceSomebodyHasChosen() throws {
    try folder.write("a,b\n1,\"x\"y\n2,z\n", to: "t.csv")
    let refused = try session("t.csv")
    #expect(refused.store.readOnlyReason != nil)
    #expect(refused.store.readingNote?.contains("text after the closing quote") == true)
    let runner = AppRunner(session: refused, size: Size(columns: 80, rows: 24))
    let screen = runner.canvas.plainText()
    #expect(
      screen.contains("how is the file to be read?") && screen.contains("\"x\"y"),
      "\(screen)"
    )
    runner.handle(.key(.enter))
    #expect(refused.store.readOnlyReason == nil)
    let again = try session("t.csv")
    #expect(again.store.reading?.options == (try ReadingOptions("quote=none")))
    #expect(again.store.readOnlyReason == nil)
    let reopened = AppRunner(session: again, size: Size(columns: 80, rows: 24))
    #expect(!reopened.canvas.plainText().contains("how is the file to be read?"))
    // Without a way out the file is refused as before.
    try folder.write("a,b\n1,\"x\"y,3\n2,z\n", to: "u.csv")
    #expect(throws: PersistenceError.self) { try session("u.csv") }
  }

  @Test func whoeverLetsTheRuleDecideIsNotAskedAgain() throws {
    try folder.write("Ann,Oslo\nBob,Rome\n", to: "t.csv")
    let opened = try session("t.csv")
    let runner = AppRunner(session: opened, size: Size(columns: 80, rows: 24))
    #expect(runner.canvas.plainText().contains("how is the file to be read?"))
    runner.handle(.key(.escape))
    press(":read auto", runner)
    #expect(!runner.canvas.plainText().contains("how is the file to be read?"))
    // Another file is asked about.
    try folder.write("Eve,Bonn\nDan,Kiel\n", to: "u.csv")
    press(":open \(folder.file("u.csv"))", runner)
    #expect(runner.canvas.plainText().contains("how is the file to be read?"))
  }
}
