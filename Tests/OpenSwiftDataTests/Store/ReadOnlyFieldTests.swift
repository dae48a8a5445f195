import DataStoreTesting
import Foundation
import OpenSwiftData
import Synchronization
import Testing

/// Fields whose values the store makes.
@Suite struct ReadOnlyFieldTests {
  private let context: ModelContext
  private let store: InvoiceStore

  init() throws {
    let container = try ModelContainer(configurations: InvoiceConfiguration())
    store = try #require(container.stores.first as? InvoiceStore)
    context = ModelContext(container)
    context.undoManager = UndoManager()
  }

  /// A saved line of three pens for two each.
  private func pens() throws -> Record {
    let line = Record(entity: InvoiceStore.line)
    try line.set(.text("pen"), for: "item")
    try line.set(.integer(2), for: "price")
    try line.set(.integer(3), for: "quantity")
    context.insert(line)
    try context.save()
    return line
  }

  /// The changes of read-only values that the store was given.
  private var changesGiven: Int {
    store.requests.withLock { requests in
      requests.flatMap(\.updated).count { $0.changedSlots.contains(3) }
    }
  }

  @Test func theValueOfTheStoreComesBackWithTheSave() throws {
    let line = try pens()
    #expect(line[attribute: "total"] == .integer(6))
    #expect(store.requests.withLock { $0[0].inserted[0].orderedValues[3] } == .null)
    try line.set(.integer(5), for: "price")
    #expect(line[attribute: "total"] == .integer(6))
    try context.save()
    #expect(line[attribute: "total"] == .integer(15))
    #expect(changesGiven == 0 && !context.hasChanges)
  }

  @Test func aChangeIsRefusedAtOnceAndChangesNothing() throws {
    let line = try pens()
    let error = #expect(throws: PersistenceError.self) { try line.set(.integer(7), for: "total") }
    #expect(error?.code == .readOnly)
    #expect(
      error?.message
        == "Line.total: read-only field, the store makes its value (record \(line.persistentModelID))"
    )
    #expect(line[attribute: "total"] == .integer(6) && !context.hasChanges)
    // Setting the present value changes nothing.
    try line.set(.integer(6), for: "total")
  }

  /// A setter of a model class cannot throw: the next save does.
  @Test func aChangeThatCannotThrowIsReportedByTheSave() throws {
    let line = try pens()
    line.persistentState.set(.integer(7), at: 3)
    try line.set(.integer(5), for: "price")
    #expect(line[attribute: "total"] == .integer(6))
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .readOnly)
    try context.save()
    #expect(line[attribute: "total"] == .integer(15) && changesGiven == 0)
  }

  @Test func undoAndRedoGiveTheStoreNoChange() throws {
    let line = try pens()
    try line.set(.integer(5), for: "price")
    try context.save()
    context.undoManager?.undo()
    try context.save()
    #expect(line[attribute: "price"] == .integer(2) && line[attribute: "total"] == .integer(6))
    context.undoManager?.redo()
    try context.save()
    #expect(line[attribute: "total"] == .integer(15) && changesGiven == 0)
  }

  @Test func aDeletedRecordComesBackWithAValueOfTheStore() throws {
    let line = try pens()
    context.delete(line)
    try context.save()
    context.undoManager?.undo()
    try context.save()
    let found = try context.fetchSnapshots(matching: Query("Line"))
    #expect(found.map { $0["total"] } == [.integer(6)])
  }

  @Test func theSchemaDocumentHasTheOptionsAndOldDocumentsStayAsTheyAre() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let plain = Schema.Attribute("title", .text)
    #expect(
      String(decoding: try encoder.encode(plain), as: UTF8.self)
        == #"{"name":"title","type":"text"}"#
    )
    let made = Schema.Attribute("cover", .text, isReadOnly: true, isBlob: true)
    let form = #"{"blob":true,"name":"cover","readOnly":true,"type":"text"}"#
    #expect(String(decoding: try encoder.encode(made), as: UTF8.self) == form)
    let read = try JSONDecoder().decode(Schema.Attribute.self, from: Data(form.utf8))
    #expect(read == made && read.isReadOnly && read.isBlob)
    #expect(read != Schema.Attribute("cover", .text, isBlob: true))
    #expect(read.renamed(to: "image").isReadOnly && read.renamed(to: "image").isBlob)
  }

  @Test func aBlobOfAnotherTypeIsNoSchema() throws {
    let schema = Schema([Schema.Entity("Film", attributes: [.init("n", .integer, isBlob: true)])])
    let error = #expect(throws: PersistenceError.self) { try schema.validate() }
    #expect(error?.message == "Film.n: a blob must be of type text, not integer")
  }
}

@Suite struct BlobSummaryTests {
  @Test(
    arguments: [
      (0, "0 B"), (1, "1 B  00"), (8, "8 B  00 01 02 03 04 05 06 07"),
      (9, "9 B  00 01 02 03 04 05 06 07 …"), (999, "999 B  00 01 02 03 04 05 06 07 …"),
      (1000, "1.0 kB  00 01 02 03 04 05 06 07 …"), (9949, "9.9 kB  00 01 02 03 04 05 06 07 …"),
      (9950, "10 kB  00 01 02 03 04 05 06 07 …"), (999_499, "999 kB  00 01 02 03 04 05 06 07 …"),
      (999_500, "1.0 MB  00 01 02 03 04 05 06 07 …"),
    ]
  )
  func aSummaryHasTheSizeAndTheFirstBytes(_ count: Int, _ text: String) {
    let bytes = Data((0..<count).map { UInt8($0 & 0xFF) })
    let summary = BlobSummary(base64: bytes.base64EncodedString())
    #expect(summary?.count == count)
    #expect(summary?.description == text)
    #expect(summary == BlobSummary(count: count, beginning: bytes))
  }

  @Test(arguments: ["a", "abc", "ab c", "äöüß", "no base 64!!"])
  func otherTextIsNoBlob(_ text: String) {
    #expect(BlobSummary(base64: text) == nil)
  }

  @Test func sortingByBytesIsRefused() {
    let film = Schema.Entity("Film", attributes: [.init("cover", .text, isBlob: true)])
    let error = #expect(throws: PersistenceError.self) {
      try Query("Film", sort: [SortKey("cover")]).validate(for: film)
    }
    #expect(error?.message == "Film.cover: bytes have no order; sort by another field")
  }
}
