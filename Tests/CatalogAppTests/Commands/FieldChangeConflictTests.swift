import CatalogApp
import OpenSwiftData
import Testing

/// Changes of a field whose values another program changes before they are saved.
@Suite struct FieldChangeConflictTests {
  @Test(
    arguments: ["items.json", "items.catlog"],
    ["field type number text", "field drop number"]
  )
  func aSaveDropsNoValueThatAnotherProgramHasSaved(location: String, line: String) throws {
    let services = try StoppedWorkTests.services()
    let first = try StoppedWorkTests.session(services, location)
    let opened = try services.open(location, schema: nil, isReadOnly: false)
    let second = Session(
      container: opened.container,
      storeName: location,
      entityName: "Item",
      services: services,
      format: .tsv
    )
    _ = try first.perform(line)
    _ = try second.perform("set where number = 5 number=777777")
    _ = try second.perform("save")
    let before = try services.contents()
    let failure = #expect(throws: SaveFailure.self) { try first.perform("save") }
    #expect(failure.map { "\($0)" }?.contains("Item.number: another program has changed") == true)
    #expect(try services.contents() == before)
    _ = try first.perform("undo")
    let changed = try first.context.fetchSnapshots(matching: Query("Item"))
    #expect(changed.contains { $0["number"] == .integer(777_777) })
    _ = try first.perform(line)
    _ = try first.perform("save")
    #expect(try services.contents() != before)
  }

  @Test func aChangeOfAnotherFieldIsNoConflict() throws {
    let services = try StoppedWorkTests.services()
    let first = try StoppedWorkTests.session(services, "items.json")
    let opened = try services.open("items.json", schema: nil, isReadOnly: false)
    let second = Session(
      container: opened.container,
      storeName: "items.json",
      entityName: "Item",
      services: services,
      format: .tsv
    )
    _ = try first.perform("field drop number")
    _ = try second.perform("set where number = 5 name=other")
    _ = try second.perform("save")
    _ = try first.perform("save")
    let records = try first.context.fetchSnapshots(matching: Query("Item"))
    #expect(records.contains { $0["name"] == .text("other") })
  }
}
