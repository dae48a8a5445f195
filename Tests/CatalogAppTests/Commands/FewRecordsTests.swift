import CatalogApp
import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

/// Records that are found directly are those of a query.
@Suite struct FewRecordsTests {
  private static let count = 300

  private static func line(_ keys: [String], using random: inout SeededGenerator) -> String {
    let key = keys.randomElement(using: &random) ?? ""
    let number = Int.random(in: 1...Self.count + 20, using: &random)
    return [
      "set \(key) name=a", "set \(key) name=b", "set \(key) number=\(number)", "delete \(key)",
      "insert number=\(number) name=c", "upsert by number number=\(number) name=d",
      "upsert by name name=\"item \(number)\" number=\(number)",
      "set where number = \(number) name=e", "set where number > 200 name=f", "undo", "redo",
      "rollback", "save", "set \(key) number=", "duplicate \(key)",
    ].randomElement(using: &random) ?? ""
  }

  @Test(arguments: ["items.json", "items.catlog"])
  func areThoseOfAQuery(location: String) throws {
    let seed = SeededGenerator.testSeed
    print("areThoseOfAQuery seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let services = try StoppedWorkTests.services(count: Self.count)
    let session = try StoppedWorkTests.session(services, location)
    let other = try services.session(on: location)
    let context = session.context
    let keys = try context.fetchIdentifiers(matching: Query("Item")).map(\.description)
    var foundCount = 0
    for _ in 0..<400 {
      // Some lines fail, such as those with a record that was deleted.
      _ = try? session.perform(Self.line(Array(keys.prefix(60)), using: &random))
      if Int.random(in: 0..<20, using: &random) == 0 {
        _ = try? other.perform(Self.line(Array(keys.prefix(60)), using: &random))
        _ = try? other.perform("save")
      }
      for (field, value) in [
        ("number", Value.integer(Int64.random(in: 1...320, using: &random))),
        ("name", .text("item \(Int.random(in: 1...320, using: &random))")), ("name", .text("d")),
        ("number", .number(7)), ("number", .null),
      ] {
        let query = Query("Item", filter: .compare(field, .equal, value))
        var expected: [DefaultSnapshot] = []
        try context.forEachSnapshot(matching: query) { expected.append($0) }
        let entity = try context.schema.entity(named: "Item")
        guard let found = try context.fewRecords(of: entity, where: field, equals: value) else {
          continue
        }
        foundCount += 1
        #expect(found == expected, "\(field) \(value) seed \(seed)")
      }
    }
    #expect(foundCount > 0)
  }

  /// A changed key is found by its new value, and not by the old one.
  @Test func unsavedKeysAreFound() throws {
    let services = try StoppedWorkTests.services(count: Self.count)
    let session = try StoppedWorkTests.session(services, "items.catlog")
    for number in 1...9 {
      _ = try session.perform("upsert by number number=\(number) name=\"n\(number)\"")
    }
    _ = try session.perform("set where number = 5 number=1005")
    guard case .facts(let new) = try session.perform("upsert by number number=5 name=new"),
      case .facts(let moved) = try session.perform("upsert by number number=1005 name=moved"),
      case .facts(let again) = try session.perform("upsert by number number=6 name=\"n6\"")
    else {
      Issue.record("upsert tells numbers")
      return
    }
    #expect(new.lines == ["imported: 1 inserted, 0 updated, 0 unchanged, 0 deleted"])
    #expect(moved.lines == ["imported: 0 inserted, 1 updated, 0 unchanged, 0 deleted"])
    #expect(again.lines == ["imported: 0 inserted, 0 updated, 1 unchanged, 0 deleted"])
  }
}
