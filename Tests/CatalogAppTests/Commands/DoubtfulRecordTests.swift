import CatalogApp
import Foundation
import OpenSwiftData
import Testing

/// Edits of records of which it is not certain what another program has made of them.
@Suite struct DoubtfulRecordTests {
  private static let before = "sku,name,price\nA1,Pen,1.5\nB2,Ink,4\nC3,Cap,9\n"
  private let services: FolderServices
  private let session: Session

  init() throws {
    services = try FolderServices()
    try Self.write(Self.before, services.file("shop.csv"))
    session = try services.session(on: "shop.csv", entity: "shop")
  }

  private static func write(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private func text() throws -> String {
    try String(contentsOf: URL(fileURLWithPath: services.file("shop.csv")), encoding: .utf8)
  }

  private func lines(_ command: String) throws -> [String] {
    guard case .table(let table) = try session.perform(command) else { return [] }
    return table.rows.map { $0.map(\.text).joined(separator: "|") }
  }

  private func saveFails(_ part: String) {
    do {
      _ = try session.perform("save")
      Issue.record("saved")
    } catch {
      #expect("\(error)".contains(part), "\(error)")
    }
  }

  /// B2 was replaced by a record with all of its other values.
  private static let replaced = "sku,name,price\nA1,Pen,1.5\nZ9,Ink,4\nC3,Cap,9\n"

  @Test func bothRecordsAreShown() throws {
    _ = try session.perform("set 2 price=5")
    try Self.write(Self.replaced, services.file("shop.csv"))
    saveFails("shop record 2: no record has sku B2 now")
    #expect(
      try lines("conflicts") == [
        "2|shop|||changed|no record has sku B2 now; another one has all other values; see record 4",
        "2|shop|sku|B2|B2|Z9", "2|shop|price|4|5|4",
      ]
    )
    #expect(try text() == Self.replaced)
  }

  @Test(
    arguments: [
      ("resolve 2 theirs", replaced), ("resolve 2 mine", replaced + "B2,Ink,5\n"),
      ("resolve 2 row 4", replaced.replacing("Ink,4", with: "Ink,5")),
    ]
  )
  func anEditIsDroppedAddedOrMoved(command: String, after: String) throws {
    _ = try session.perform("set 2 price=5")
    try Self.write(Self.replaced, services.file("shop.csv"))
    saveFails("no record has sku B2")
    _ = try session.perform(command)
    _ = try session.perform("save")
    #expect(try text() == after)
  }

  @Test(
    arguments: [
      ("resolve 2 theirs", replaced),
      ("resolve 2 row 4", replaced.replacing("Z9,Ink,4\n", with: "")),
    ]
  )
  func aDeletionIsDroppedOrMoved(command: String, after: String) throws {
    _ = try session.perform("delete 2")
    try Self.write(Self.replaced, services.file("shop.csv"))
    saveFails("no record has sku B2")
    #expect(try lines("conflicts").first?.hasPrefix("2|shop|||deleted|no record has") == true)
    _ = try session.perform(command)
    _ = try session.perform("save")
    #expect(try text() == after)
  }

  /// Nobody has said that the other record is to be deleted; formerly the deletion was dropped in silence.
  @Test(arguments: ["resolve 2 mine", "resolve all mine", "save keep mine", "save"])
  func aDeletionInDoubtIsNotMadeAndNotDropped(command: String) throws {
    _ = try session.perform("delete 2")
    _ = try session.perform("set 1 price=2")
    try Self.write(Self.replaced, services.file("shop.csv"))
    saveFails("no record has sku B2")
    if command == "save" { session.context.container.conflictPolicy = .lastWriterWins }
    do {
      _ = try session.perform(command)
      Issue.record("done")
    } catch {
      #expect("\(error)".contains("shop record 2: no record has sku B2 now"), "\(error)")
      #expect("\(error)".contains("record 4") || command == "save", "\(error)")
    }
    #expect(try text() == Self.replaced && session.context.pendingCounts.deleted == 1)
    #expect(try session.context.conflicts().map(\.kind) == [.deletedHere])
    _ = try session.perform("resolve 2 theirs")
    _ = try session.perform("save")
    #expect(try text() == Self.replaced.replacing("1.5", with: "2"))
  }

  private static let added = before + "D4,Mug,3\n"

  @Test(
    arguments: [
      ("resolve t1 theirs", added), ("resolve t1 mine", added + "D4,Bag,7\n"),
      ("resolve t1 row 4", before + "D4,Bag,7\n"),
    ]
  )
  func aRecordThatBothAddedIsAConflict(command: String, after: String) throws {
    _ = try session.perform("insert sku=D4 name=Bag price=7")
    try Self.write(Self.added, services.file("shop.csv"))
    saveFails("another program has added a record with sku D4")
    #expect(
      try lines("conflicts").first
        == "t1|shop|||added|another program has added a record with sku D4; see record 4"
    )
    _ = try session.perform(command)
    _ = try session.perform("save")
    #expect(try text() == after)
  }

  /// A record that was kept beside the other one only for a save that failed is in conflict again.
  @Test func aFailedSaveAsksAgain() throws {
    struct Stop: Error {}
    _ = try session.perform("insert sku=D4 name=Bag price=7")
    try Self.write(Self.added, services.file("shop.csv"))
    saveFails("another program has added a record with sku D4")
    let context = session.context
    #expect(throws: Stop.self) {
      try context.restoringConflicts { resolveAll in
        try resolveAll(.mine)
        #expect(try context.openConflicts().isEmpty)
        throw Stop()
      }
    }
    saveFails("another program has added a record with sku D4")
    #expect(try text() == Self.added)
  }

  @Test func resolvingCanBeUndone() throws {
    _ = try session.perform("set 2 price=5")
    try Self.write(Self.replaced, services.file("shop.csv"))
    saveFails("no record has sku B2")
    _ = try session.perform("resolve 2 row 4")
    _ = try session.perform("undo")
    #expect(
      try session.context.fetchSnapshots(matching: Query("shop")).map { $0["price"]?.text }
        == ["1.5", "4", "9"]
    )
  }

  @Test func theFieldsAfterByDecide() throws {
    try Self.write("sku,price\nB2,5\n", services.file("in.csv"))
    _ = try session.perform("import in.csv by sku")
    // The keys of two records are exchanged.
    try Self.write("sku,name,price\nB2,Pen,4\nA1,Ink,1.5\nC3,Cap,9\n", services.file("shop.csv"))
    _ = try session.perform("save")
    #expect(
      try text() == "sku,name,price\nB2,Pen,5\nA1,Ink,1.5\nC3,Cap,9\n"
    )
  }

  /// Another program adds the record that this one has looked for.
  @Test func aSoughtRecordThatOthersAddIsChanged() throws {
    _ = try session.perform("upsert by sku sku=D4 price=7")
    try Self.write(Self.added, services.file("shop.csv"))
    _ = try session.perform("save")
    #expect(try text() == Self.before + "D4,Mug,7\n")
    _ = try session.perform("undo")
    _ = try session.perform("save")
    #expect(try text() == Self.added)
  }
}
