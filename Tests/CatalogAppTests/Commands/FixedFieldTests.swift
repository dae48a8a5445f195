import CatalogApp
import Foundation
import OpenSwiftData
import Testing

/// Read-only fields and blobs in commands and on the screen.
@Suite struct FixedFieldTests {
  private static let image = Data([0x89, 0x50, 0x4E, 0x47] + [UInt8](repeating: 7, count: 12_000))
  private static let film = Schema.Entity(
    "Film",
    attributes: [
      .init("title", .text), .init("number", .integer, isReadOnly: true),
      .init("cover", .text, isBlob: true),
    ]
  )

  /// A film with a number and a cover.
  private static func fixture(_ format: OutputFormat = .tsv) throws -> ScriptFixture {
    let fixture = try ScriptFixture(Schema(film), format: format)
    let values: [Value] = [.text("Up"), .integer(7), .text(image.base64EncodedString())]
    try fixture.session.context.insert([values], of: film)
    try fixture.session.context.save()
    return fixture
  }

  private static func identifier(_ fixture: ScriptFixture) throws -> String {
    try #require(fixture.session.context.fetchIdentifiers(matching: Query("Film")).first)
      .description
  }

  // MARK: Commands

  @Test(
    arguments: [
      ("set ID number=8", "number: read-only field, the store makes its value; leave it out"),
      ("set ID number=", "number: read-only field, the store makes its value; leave it out"),
      (
        "set where title = \"Up\" title=Down number=8",
        "number: read-only field, the store makes its value; leave it out"
      ),
      (
        "insert title=Down number=8",
        "number: read-only field, the store makes its value; leave it out"
      ),
      ("set ID cover=\"no bytes\"", "cover: expected bytes in base 64, found \"no bytes\""),
      ("list sort cover", "Film.cover: bytes have no order; sort by another field"),
    ]
  )
  func aChangeIsRefusedInOneLine(_ line: String, _ message: String) throws {
    let fixture = try Self.fixture()
    let line = line.replacing("ID", with: try Self.identifier(fixture))
    let result = try fixture.run(line)
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(!fixture.session.context.hasChanges)
  }

  @Test func anImportWithAReadOnlyColumnIsRefusedAsAWhole() throws {
    let fixture = try Self.fixture()
    fixture.services.files["films.csv"] = Array("title,number\nDown,8\n".utf8)
    let result = try fixture.run("import films.csv into Film")
    #expect(result.status == 1 && !fixture.session.context.hasChanges)
    #expect(result.errors.contains("films.csv:"), "\(result.errors)")
    #expect(
      result.errors.contains("number: read-only field, the store makes its value"),
      "\(result.errors)"
    )
    fixture.services.files["films.csv"] = Array("title,cover\nDown,no bytes\n".utf8)
    let blob = try fixture.run("import films.csv into Film")
    #expect(blob.status == 1 && blob.errors.contains("expected bytes in base 64"))
  }

  @Test func aCopyLeavesOutWhatTheStoreMakesAndKeepsTheBytes() throws {
    let fixture = try Self.fixture()
    try fixture.run("duplicate where title = \"Up\"")
    let copy = try #require(fixture.session.context.pendingChanges.inserted.first)
    #expect(copy["number"] == .null && copy["title"] == .text("Up"))
    #expect(copy["cover"] == .text(Self.image.base64EncodedString()))
  }

  @Test func theSchemaShowsWhatTheStoreMakes() throws {
    let output = try Self.fixture().run("schema Film").output
    #expect(
      output == """
        field\ttype\trequired\tunique\tdefault\tread-only\tblob
        title\ttext\tfalse\tfalse\t\tfalse\tfalse
        number\tinteger\tfalse\tfalse\t\ttrue\tfalse
        cover\ttext\tfalse\tfalse\t\tfalse\ttrue

        """
    )
    let plain = try ScriptFixture().run("schema Film").output
    #expect(plain.hasPrefix("field\ttype\trequired\tunique\tdefault\n"))
  }

  @Test func tablesShowTheSizeAndFilesHaveTheBytes() throws {
    let table = try Self.fixture(.table).run("list fields title,cover").output
    #expect(table.contains("Up     12 kB  89 50 4e 47 07 07 07 07 …"), "\(table)")
    let fixture = try Self.fixture()
    let shown = try Self.fixture(.table).run("show \(try Self.identifier(fixture))").output
    #expect(shown.contains("12 kB  89 50 4e 47"), "\(shown)")
    let base64 = Self.image.base64EncodedString()
    #expect(try fixture.run("list fields cover").output == "cover\n\(base64)\n")
    try fixture.run("export films.json")
    #expect(fixture.services.text("films.json")?.contains(base64) ?? false)
  }

  @Test func aSaveOfAnotherFieldKeepsTheBytes() throws {
    let fixture = try Self.fixture()
    let result = try fixture.run("set where title = \"Up\" title=Down\nsave")
    #expect(result.status == 0)
    let found = try fixture.session.context.fetchSnapshots(matching: Query("Film"))
    #expect(found.map { $0["cover"] } == [.text(Self.image.base64EncodedString())])
    // What `list` prints can be set again.
    let identifier = try Self.identifier(fixture)
    #expect(try fixture.run("set \(identifier) cover=AAEC\nsave").status == 0)
  }

  // MARK: The screen

  @Test func aCellShowsTheSizeAndTheFirstBytes() throws {
    let screen = ScreenFixture(try Self.fixture())
    #expect(screen.text.contains("12 kB  89 50 4e 47"), "\(screen.text)")
    #expect(!screen.text.contains("iVBOR"))
    try screen.press("v")
    #expect(!screen.text.contains("iVBOR"))
  }

  @Test(
    arguments: [
      ("l e", "number: read-only field, the store makes its value"),
      ("l c", "number: read-only field, the store makes its value"),
      ("Space l e", "number: read-only field, the store makes its value"),
      ("2l e", "cover: bytes cannot be edited here; use set with text in base 64"),
      ("2l s", "cover: bytes have no order"),
      ("2l F", "cover: bytes have no order"),
      ("Enter Tab 9", "number: read-only field, the store makes its value"),
      ("Enter Tab C-n", "number: read-only field, the store makes its value"),
      ("Enter Tab Tab 9", "cover: bytes cannot be edited here; use set with text in base 64"),
    ]
  )
  func keysThatWouldChangeTheValueSayWhyNot(_ keys: String, _ message: String) throws {
    let fixture = try Self.fixture()
    let screen = ScreenFixture(fixture)
    try screen.press(keys)
    #expect(screen.message.contains(message), "\(screen.text)")
    try screen.press("Enter")
    #expect(!fixture.session.context.hasChanges)
  }

  @Test func aFormChangesTheOtherFields() throws {
    let fixture = try Self.fixture()
    let screen = ScreenFixture(fixture)
    try screen.press("Enter")
    #expect(screen.text.contains("read-only"), "\(screen.text)")
    try screen.press("C-u \"Down\" Enter w")
    let found = try fixture.session.context.fetchSnapshots(matching: Query("Film"))
    #expect(
      found.map(\.orderedValues) == [
        [.text("Down"), .integer(7), .text(Self.image.base64EncodedString())]
      ]
    )
  }

  /// A view of a database, with a record.
  private static func view() throws -> ScriptFixture {
    let film = Schema.Entity(
      "Film",
      attributes: [.init("title", .text).readOnly(because: "the table is a view")]
    )
    let fixture = try ScriptFixture(Schema(film))
    try fixture.session.context.insert([[.text("Up")]], of: film)
    try fixture.session.context.save()
    return fixture
  }

  @Test func aReasonIsGivenWhereAStoreHasOne() throws {
    let fixture = try Self.view()
    #expect(
      try fixture.run("insert title=Down").errors.contains(
        "title: read-only field, the table is a view; leave it out"
      )
    )
    #expect(
      try fixture.run("schema Film").output.contains("read-only\treason\ntitle\ttext")
    )
    let screen = ScreenFixture(fixture)
    try screen.press("e")
    #expect(screen.message.contains("title: read-only field, the table is a view"))
    try screen.press("Enter")
    #expect(screen.text.contains("read-only: the table is a view"), "\(screen.text)")
  }

  @Test func nothingIsAddedToAView() throws {
    let fixture = try Self.view()
    let refusal = "records of Film cannot be added: the table is a view"
    for line in ["insert Film", "duplicate where true"] {
      #expect(try fixture.run(line).errors.contains(refusal), "\(line)")
    }
    let screen = ScreenFixture(fixture)
    for (key, name) in [("a", "add"), ("Y", "duplicate")] {
      try screen.press(key)
      #expect(screen.message == "\(name): \(refusal)", "\(screen.text)")
    }
    try screen.press("d")
    #expect(screen.message == "delete: records of Film cannot be deleted: the table is a view")
    #expect(!fixture.session.context.hasChanges)
  }

  @Test func aKeyOfASavedRecordIsRefusedAtOnce() throws {
    let film = Schema.Entity(
      "Film",
      attributes: [.init("code", .text, isOptional: false).asKey(), .init("title", .text)]
    )
    let fixture = try ScriptFixture(Schema(film))
    #expect(try fixture.run("insert code=a title=Up\nset t1 code=b\nsave").status == 0)
    let refusal =
      "code: the key cannot be changed; duplicate the record and delete this one"
    #expect(try fixture.run("set where code = \"b\" code=c").errors.contains(refusal))
    #expect(try fixture.run("set where code = \"b\" code=b title=Down").status == 0)
    let screen = ScreenFixture(fixture)
    try screen.press("e")
    #expect(screen.message == "edit: \(refusal)", "\(screen.text)")
    try screen.press("Enter x")
    #expect(screen.text.contains(refusal), "\(screen.text)")
    try screen.press("Escape a c Enter")
    #expect(fixture.session.context.pendingCounts.inserted == 1, "\(screen.text)")
  }

  @Test func aFieldThatIsFixedOnceSavedCanBeInserted() throws {
    let film = Schema.Entity(
      "Film",
      attributes: [
        .init("title", .text),
        .init("number", .integer).fixedOnceSaved(because: "the key cannot be changed"),
      ]
    )
    let fixture = try ScriptFixture(Schema(film))
    #expect(try fixture.run("insert title=Up number=7\nsave").status == 0)
    #expect(try fixture.run("list fields number").output == "number\n7\n")
    fixture.services.files["films.csv"] = Array("title,number\nDown,8\n".utf8)
    #expect(try fixture.run("import films.csv into Film").status == 0)
    let refusal = try fixture.run("set where title = \"Up\" number=9")
    #expect(refusal.errors.contains("number: read-only field, the key cannot be changed"))
    try fixture.run("duplicate where title = \"Up\"")
    #expect(try fixture.run("count where number = 7").output == "1\n")
  }

  @Test func aNewRecordNeedsNoValueThatTheStoreMakes() throws {
    let film = Schema.Entity(
      "Film",
      attributes: [
        .init("title", .text), .init("n", .integer, isOptional: false, isReadOnly: true),
      ]
    )
    let fixture = try ScriptFixture(Schema(film))
    let screen = ScreenFixture(fixture)
    try screen.press("a \"Up\" Enter")
    #expect(fixture.session.context.pendingCounts.inserted == 1, "\(screen.text)")
  }
}
