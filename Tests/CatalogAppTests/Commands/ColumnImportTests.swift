import DataStoreTesting
import Foundation
import Stores
import Testing

@testable import CatalogApp
@testable import OpenSwiftData

/// Imports of separated values as columns, which must not differ from imports row by row.
@Suite struct ColumnImportTests {
  /// Everything that an import makes and says.
  private struct Imported: Equatable {
    var fields: [String]
    var values: [[Value]]
    var notes: [String]
  }

  private func imported(_ file: RandomSeparatedValues, asColumns: Bool) throws -> Imported? {
    let fixture = try ScriptFixture(file.schema ?? Schema())
    let source = try ImportSource(Array(file.text.utf8), format: .csv) {
      try DelimitedText(reading: $0, promised: $1)
    }
    var plan = ImportPlan(session: fixture.session)
    if asColumns {
      guard try plan.addColumns(of: source, to: "E") else { return nil }
    } else {
      try source.forEachRow { try plan.add($0, to: "E") }
    }
    try plan.finish()
    let context = fixture.session.context
    for builder in plan.builders { try builder.insert(into: context) }
    #expect(context.pending.columns.isEmpty != asColumns)
    context.checkInvariants()
    return Imported(
      fields: context.schema.entitiesByName["E"]?.fields.map { "\($0.name) \($0.typeSpelling)" }
        ?? [],
      values: context.pendingChanges.inserted.map(\.orderedValues),
      notes: plan.lines + plan.builders.compactMap(\.identifierNote) + source.notes("a.csv")
        + plan.newHeadings.map { $0.joined(separator: "|") }
    )
  }

  @Test func columnsHaveWhatRowsHave() throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    var taken = 0
    for round in 0..<600 {
      let file = RandomSeparatedValues(using: &random)
      let rows = Result { try imported(file, asColumns: false) }
      let columns = Result { try imported(file, asColumns: true) }
      // What is refused row by row must not become columns, which report nothing.
      guard let made = try? columns.get() else { continue }
      taken += 1
      let expected = try? rows.get()
      #expect(made == expected, "seed \(seed), round \(round): \(rows)\n\(file.text)")
      if made != expected { return }
    }
    #expect(taken > 200, "seed \(seed)")
  }

  // MARK: Whole imports

  private static let films = "title,releaseYear,boxOffice,released,seen\n"

  /// Films of which each has its number in the title.
  private static func rows(_ numbers: Range<Int>) -> String {
    numbers.map { number in
      number % 7 == 0
        ? "\"Film \"\"\(number)\"\"\",,,,\n"
        : "Film \(number),\(1900 + number % 100),\(number).50,2009-05-\(10 + number % 20),yes\n"
    }.joined()
  }

  private func fixture(_ text: String, _ store: (any DataStoreConfiguration)? = nil) throws
    -> ScriptFixture
  {
    let fixture = try ScriptFixture(store: store)
    fixture.services.files["a.csv"] = Array(text.utf8)
    return fixture
  }

  @Test func recordsStayColumnsUntilTheyAreSaved() throws {
    let fixture = try fixture(Self.films + Self.rows(1..<400))
    let pending = fixture.session.context.pending
    #expect(try fixture.run("import a.csv").output == "imported 399 records into Film\n")
    #expect(pending.columns.map(\.count) == [399] && pending.madeEntries.isEmpty)
    let result = try fixture.run("save")
    #expect(result.output == "saved: 399 inserted, 0 updated, 0 deleted\n" && result.status == 0)
    #expect(pending.isEmpty && fixture.session.context.registry.count == 0)
    #expect(try fixture.run("count").output == "399\n")
    let history = try fixture.run("history limit 1").output
    #expect(history.contains("399"), "\(history)")
  }

  /// Entities with links beside that of the records do not matter, except for a change of the schema.
  @Test func aStoreTakesTheColumnsOver() throws {
    let text = "name\n" + (1...300).map { "Studio \($0)\n" }.joined()
    for (schema, name, isTaken) in [
      (Schema(ScriptFixture.film), "New", false), (ScriptFixture.linked, "Studio", true),
      (ScriptFixture.linked, "New", false),
    ] {
      let fixture = try ScriptFixture(schema)
      fixture.services.files["a.csv"] = Array(text.utf8)
      try fixture.run("import a.csv into \(name)")
      var save = OpenSwiftData.Save(fixture.session.context)
      let parts = try save.run()
      #expect(parts.map { $0.columns != nil } == [isTaken], "\(name)")
      #expect(try fixture.run("count \(name)").output == "300\n")
    }
  }

  @Test(arguments: ["import a.csv", "import a.csv\nsave"])
  func theImportIsUndoneAndRedone(lines: String) throws {
    let fixture = try fixture(Self.films + Self.rows(1..<600))
    func list() throws -> String { try fixture.run("list fields title,boxOffice").output }
    try fixture.run(lines)
    let all = try list()
    #expect(all.split(separator: "\n").count == 600)
    try fixture.run("undo")
    #expect(try fixture.run("count").output == "0\n")
    try fixture.run("redo")
    #expect(try list() == all)
    #expect(try fixture.run("save").status == 0)
    #expect(try list() == all)
  }

  @Test func aRequiredValueThatIsMissingIsNamed() throws {
    let fixture = try fixture(Self.films + Self.rows(1..<300) + ",1999,,,\n")
    let result = try fixture.run("import a.csv")
    #expect(result.errors.hasSuffix("a.csv:301:1: title: a value is required\n"), "\(result)")
    #expect(!fixture.session.context.hasChanges)
  }

  /// Each command between the import and its save needs some of the records.
  @Test(arguments: [
    "count", "changes", "delete where releaseYear = 1950",
    "set where releaseYear = 1950 seen=false",
    "insert title=Up", "import a.csv", "undo\nredo", "list where title = \"Film 30\"", "rollback",
  ])
  func commandsSeeTheRecords(line: String) throws {
    let text = Self.films + Self.rows(1..<300)
    // A line with one value fewer makes rows of the others.
    let results = try [text, text + "Film 300,2000,1.50,2009-05-10\n"].map { text in
      let fixture = try fixture(text)
      var outputs = [try fixture.run("import a.csv"), try fixture.run(line)]
      outputs += [try fixture.run("delete where title = \"Film 300\""), try fixture.run("save")]
      let list = try fixture.run("list fields title,releaseYear,boxOffice,seen").output
      return "\(outputs[1].status) \(list)"
    }
    #expect(results[0] == results[1])
  }

  @Test func aLogIsTheSameAsFromRows() throws {
    let folder = try FolderServices()
    let path = folder.file("a.catlog")
    var expected = ""
    do {
      let fixture = try fixture(
        Self.films + Self.rows(1..<1000),
        LogStoreConfiguration(path: path, schema: Schema(ScriptFixture.film))
      )
      try fixture.run("import a.csv\nsave")
      fixture.services.files["a.csv"] = Array((Self.films + Self.rows(1000..<1500)).utf8)
      #expect(try fixture.run("import a.csv\nsave message more").status == 0)
      #expect(fixture.session.context.registry.count == 0, "nothing was made of the columns")
      expected = try fixture.run("list").output
      #expect(expected.split(separator: "\n").count == 1500)
      fixture.session.close()
    }
    let fixture = try fixture("", LogStoreConfiguration(path: path))
    #expect(try fixture.run("list").output == expected)
    #expect(try fixture.run("check").status == 0)
    #expect(try fixture.run("history").output.contains("more"))
  }
}

/// A random text of separated values, and perhaps a schema that it may fit.
private struct RandomSeparatedValues {
  var text = ""
  var schema: Schema?

  private static let kinds: [(type: AttributeType, texts: [String])] = [
    (.integer, ["1", "-20", "300", "0", "123456789012345678", "9999999999999999999", "+5"]),
    (.integer, ["007", "12", " 8 "]), (.decimal, ["1.50", "-0.01", "12", "1.234", "1e3", "0.0"]),
    (.decimal, ["1,50", "1.234,56", "12"]), (.number, ["2.5", "1e300", "Infinity", "7", "NaN"]),
    (.date, ["2009-05-29", "1900-01-01", "2024-02-29", "2023-02-29"]),
    (.datetime, ["2009-05-29T18:30:00Z", "2009-05-29 18:30:00", "2009-05-29T18:30:00+02:00"]),
    (.boolean, ["true", "false", "yes", "0"]), (.uuid, ["1b4e28ba-2fa1-11d2-883f-0016d3cca427"]),
    (.text, ["Up", "a \"b\"", "", " c ", "x,y", "über 🎬", "\n", "{}", "12 €"]),
    (.json, ["{\"a\": [1, 2]}", "[1]", "null", "word", "{"]),
  ]

  init(using random: inout SeededGenerator) {
    let delimiter = [",", ";", "\t"][random.below(3)]
    let lineEnd = random.chance(80) ? "\n" : "\r\n"
    let names = ["id", "_id", "a", "b", "c d", "e", "f"].shuffled(using: &random)
      .prefix(1 + random.below(6))
    let columns = names.map { (name: $0, kind: random.below(Self.kinds.count)) }
    if random.chance(50) { schema = Self.schema(columns, using: &random) }
    var lines = [columns.map { $0.name }.joined(separator: delimiter)]
    for number in 0..<random.below(30) {
      var cells = columns.map { name, kind in
        name == "id" && random.chance(70)
          ? String(number + 1) : Self.cell(kind, delimiter, using: &random)
      }
      if random.chance(1) { cells.append("more") }
      if random.chance(1), cells.count > 1 { cells.removeLast() }
      lines.append(cells.joined(separator: delimiter))
      if random.chance(2) { lines.append("") }
    }
    text = lines.joined(separator: lineEnd) + (random.chance(90) ? lineEnd : "")
    if random.chance(1) { text += "\"open" }
  }

  private static func schema(
    _ columns: [(name: String, kind: Int)],
    using random: inout SeededGenerator
  ) -> Schema {
    var fields = columns.filter { $0.name != "_id" && random.chance(95) }.map { name, kind in
      Schema.Attribute(
        name,
        random.chance(90) ? kinds[kind].type : .text,
        isOptional: random.chance(80)
      )
    }
    if random.chance(30) {
      fields.append(Schema.Attribute("seen", .boolean, defaultValue: .boolean(true)))
    }
    if random.chance(10) { fields.append(Schema.Attribute("needed", .text, isOptional: false)) }
    return Schema(Schema.Entity("E", attributes: fields))
  }

  private static func cell(_ kind: Int, _ delimiter: String, using random: inout SeededGenerator)
    -> String
  {
    if random.chance(10) { return "" }
    let texts = kinds[random.chance(98) ? kind : random.below(kinds.count)].texts
    let text = texts[random.chance(85) ? 0 : random.below(texts.count)]
    let needsQuotes = text.contains(delimiter) || text.contains("\"") || text.contains("\n")
    guard needsQuotes || random.chance(15) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
