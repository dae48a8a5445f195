import CatalogApp
import DataStoreTesting
import Foundation
import OpenSwiftData

/// The program on a screen of some size over a small store, driven by keys.
struct ScreenFixture {
  let script: ScriptFixture
  let runner: AppRunner

  init(
    _ script: ScriptFixture,
    session: Session? = nil,
    size: Size = Size(columns: 80, rows: 24),
    showsIdentifiers: Bool = true
  ) {
    self.script = script
    runner = AppRunner(session: session ?? script.session, size: size)
    // Tests tell the records apart by their identifiers.
    if showsIdentifiers { runner.handle(.key(.character("#"))) }
  }

  init(_ script: ScriptFixture, runner: AppRunner) { (self.script, self.runner) = (script, runner) }

  /// Three films, saved.
  static func films(
    size: Size = Size(columns: 80, rows: 24),
    isReadOnly: Bool = false
  ) throws -> ScreenFixture {
    let fixture = try ScriptFixture.withFilms()
    guard isReadOnly else { return ScreenFixture(fixture, size: size) }
    let session = Session(
      container: fixture.session.context.container,
      storeName: "films",
      isReadOnly: true,
      services: fixture.services
    )
    return ScreenFixture(fixture, session: session, size: size)
  }

  /// The given number of saved records with a number and a text.
  static func numbered(_ count: Int, size: Size = Size(columns: 80, rows: 24)) throws
    -> ScreenFixture
  {
    let entity = Schema.Entity(
      "Item",
      attributes: [Schema.Attribute("number", .integer), Schema.Attribute("name", .text)]
    )
    let fixture = try ScriptFixture(Schema(entity))
    for number in 1...max(1, count) where count > 0 {
      let record = Record(entity: entity)
      try record.set(.integer(Int64(number)), for: "number")
      try record.set(.text("item \(number)"), for: "name")
      fixture.session.context.insert(record)
    }
    try fixture.session.context.save()
    return ScreenFixture(fixture, size: size)
  }

  /// Presses the keys of a key file.
  func press(_ keys: String) throws {
    for event in try KeyFile.parse(keys) { runner.handle(event) }
  }

  /// The screen as text.
  var text: String { runner.canvas.plainText() }

  /// The lines of the screen without the one that tells what the table shows.
  var lines: [String] { runner.canvas.plainLines().filter { !$0.hasPrefix(Self.chipSign) } }

  /// What the table shows, from the line under the records; empty if it shows everything.
  var chips: String {
    let line = runner.canvas.plainLines().first { $0.hasPrefix(Self.chipSign) }
    // How to clear the next one stands after two spaces, and one of several entities before the parts.
    guard let text = line?.dropFirst(Self.chipSign.count) else { return "" }
    let parts = text[..<(text.firstRange(of: "  ")?.lowerBound ?? text.endIndex)]
    let entity = try? #/\w+ \d+\/\d+ · /#.prefixMatch(in: parts)
    return String(parts[(entity?.range.upperBound ?? parts.startIndex)...])
  }

  private static let chipSign = " ▽ "

  /// The last line, with messages and prompts.
  var message: String { lines.last ?? "" }

  /// The left side of the third line from the bottom, and what the line under the records adds to it.
  var status: String { statusParts.status + (chips.isEmpty ? "" : " · \(chips)") }

  /// The right side of the status line: the column of the cursor, and its place.
  var place: String { statusParts.place }

  private var statusParts: (status: String, place: String) {
    let line = lines.dropLast(2).last ?? ""
    guard let gap = line.firstRange(of: "   ") else { return (line, "") }
    return (String(line[..<gap.lowerBound]), String(line[gap.upperBound...].drop { $0 == " " }))
  }
}
