import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Messages of saves, and the order of schema changes, in a log.
@Suite struct LogNoteTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  private func save(_ store: LogStore, _ title: String, message: String?) throws {
    let film = try store.new("Film", 1, ["title": .text(title)])
    _ = try store.commit(ChangeSet(inserted: [film]), after: [], author: nil, message: message)
  }

  private func messages(_ store: LogStore) throws -> [String?] {
    try store.transactions(after: nil, touching: nil).map(\.message)
  }

  @Test func messagesSurviveClosingAndCompaction() throws {
    let store = try fixture.open()
    try save(store, "Up", message: "first")
    try save(store, "Cars", message: nil)
    try save(store, "Coco", message: "third\nline")
    let expected = ["first", nil, "third\nline"]
    #expect(try messages(store) == expected)
    #expect(try messages(fixture.open(isReadOnly: true)) == expected)
    _ = try store.compact(keeping: .last(2))
    #expect(try messages(store) == [nil, "third\nline"])
    try save(store, "Soul", message: "fourth")
    _ = try store.deleteTransactions([4])
    #expect(try messages(store) == [nil, "third\nline"])
    #expect(try messages(fixture.open(isReadOnly: true)) == [nil, "third\nline"])
    #expect(try store.check() == [])
  }

  @Test func aNoteWithoutItsTransactionMeansNothing() throws {
    let store = try fixture.open()
    try save(store, "Up", message: nil)
    let before = try fixture.bytes().count
    try save(store, "Cars", message: "lost")
    store.close()
    let bytes = try fixture.bytes()
    let length = bytes.withUnsafeBytes {
      $0.littleEndian(before + LogFormat.Frame.payloadLength, as: UInt32.self)
    }
    #expect(bytes[before + LogFormat.Frame.kind] == LogFormat.FrameKind.note.rawValue)
    let end = before + LogFormat.frameBytes(payload: Int(length))
    // A crash between the note and its transaction, or in the middle of the transaction.
    for count in [end, end + 8, bytes.count - 8] {
      try fixture.put(Array(bytes[..<count]))
      let reopened = try fixture.open()
      #expect(try reopened.titles() == ["Up"])
      try save(reopened, "Soul", message: nil)
      #expect(try messages(reopened) == [nil, nil])
      reopened.close()
      try fixture.removeKept()
    }
  }

  @Test func schemaStepsAreKeptInOrder() throws {
    let store = try fixture.open(schema: Schema())
    let entity = Schema.Entity("A", attributes: [Schema.Attribute("x", .text)])
    let steps: [SchemaStep] = [
      .createEntity(entity),
      .addAttribute(entity: "A", Schema.Attribute("y", .text), at: nil),
      .renameAttribute(entity: "A", from: "x", to: "z"),
      .dropAttribute(entity: "A", name: "y"),
    ]
    _ = try store.commit(ChangeSet(), after: steps, author: nil, message: "all")
    let expected = steps.compactMap(\.change)
    for opened in [store, try fixture.open(isReadOnly: true, schema: nil)] {
      let transaction = try #require(try opened.transactions(after: nil, touching: nil).last)
      #expect(transaction.schemaSteps == expected && transaction.message == "all")
    }
  }

  private static let price = Schema.Attribute("price", .integer)
  private static let text = Schema.Attribute("price", .text)

  /// The steps that earlier versions wrote for a conversion, and which one it was.
  static let formerSteps: [(steps: [SchemaStep], conversion: AttributeConversion)] = [
    (
      [
        .renameAttribute(entity: "A", from: "price", to: "price (text)'"),
        .addAttribute(entity: "A", price, at: nil),
        .dropAttribute(entity: "A", name: "price (text)'"),
      ],
      AttributeConversion(to: price, from: text)
    ),
    (
      [
        .addAttribute(entity: "A", Schema.Attribute("price (integer)", .integer), at: nil),
        .dropAttribute(entity: "A", name: "price"),
        .renameAttribute(entity: "A", from: "price (integer)", to: "price"),
      ],
      AttributeConversion(to: price.renamed(to: "price"), from: nil)
    ),
  ]

  @Test(arguments: formerSteps)
  func conversionsOfEarlierVersionsAreNamed(
    steps: [SchemaStep],
    conversion: AttributeConversion
  ) throws {
    let other = SchemaStep.dropAttribute(entity: "A", name: "y")
    let named = ([other] + steps + [other]).namingConversions
    #expect(named.count == 3 && named[0] == other && named[2] == other)
    #expect(named[1].conversion?.attribute.type == conversion.attribute.type)
    #expect(named[1].conversion?.former?.type == conversion.former?.type)
    var change = TableChange(changes: ChangeSet(), author: nil, isSave: true)
    change.steps = steps
    let note = try #require(try LogNote(change, transaction: UUID(), storeIdentifier: "s"))
    var payload = PayloadWriter()
    note.encode(to: &payload)
    let read = try [false, true].map { namesConversions in
      try payload.withContent {
        var reader = PayloadReader($0)
        return try LogNote(from: &reader, namesConversions: namesConversions).steps
      }
    }
    #expect(read[0].count == 1 && read[0][0].conversion != nil)
    #expect(read[1] == steps)
    // The first byte says whether a history of a file or a database names conversions.
    let entity = Schema.Entity("A", attributes: [Self.text])
    let codec = ChangeSetCodec(Schema(entity), storeIdentifier: "s")
    let replacement = SchemaReplacement(schema: Schema(entity), origins: [:])
    var bytes = codec.encode(.replaceSchema(replacement), steps: steps)
    #expect(try codec.schemaChanges(bytes).steps == steps && bytes[0] == 2)
    bytes[0] = 0
    #expect(try codec.schemaChanges(bytes).steps == steps.namingConversions)
  }

  @Test func aConversionIsInAFrameThatEarlierVersionsReject() throws {
    let film = Schema.Entity("Film", attributes: [Self.text])
    let store = try fixture.open(schema: Schema(film))
    let record = try store.new("Film", 1, ["price": .text("007")])
    _ = try store.commit(ChangeSet(inserted: [record]), author: nil)
    let conversion = AttributeConversion(to: Self.price, from: Self.text, convention: "order dmy")
    let step = SchemaStep.convertAttribute(entity: "Film", conversion)
    _ = try store.commit(ChangeSet(), after: [step], author: nil, message: "all")
    #expect(try frameKinds().contains(LogFormat.FrameKind.conversionNote.rawValue))
    #expect(LogFormat.FrameKind.conversionNote.rawValue & LogFormat.FrameKind.skippableBit == 0)
    for opened in [store, try fixture.open(isReadOnly: true, schema: nil)] {
      let transaction = try #require(try opened.transactions(after: nil, touching: nil).last)
      #expect(transaction.steps == [step] && transaction.message == "all")
      #expect(transaction.formerValues.map { $0["price"] } == [.text("007")])
      #expect(
        transaction.schemaSteps == [
          .dropAttribute(entity: "Film", name: "price"),
          .addAttribute(entity: "Film", Self.price),
        ]
      )
    }
  }

  @Test func aSaveWithoutAMessageIsOneFrame() throws {
    let store = try fixture.open()
    for title in ["Up", "Cars", "Coco", "Soul"] { try save(store, title, message: nil) }
    let kinds = try frameKinds()
    #expect(!kinds.contains(LogFormat.FrameKind.note.rawValue))
  }

  private func frameKinds() throws -> [UInt8] {
    let bytes = try fixture.bytes()
    var kinds: [UInt8] = []
    var offset = LogFormat.headerBytes
    bytes.withUnsafeBytes { buffer in
      while offset < buffer.count {
        kinds.append(buffer[offset + LogFormat.Frame.kind])
        let length = buffer.littleEndian(offset + LogFormat.Frame.payloadLength, as: UInt32.self)
        offset += LogFormat.frameBytes(payload: Int(length))
      }
    }
    return kinds
  }

  /// A log opened at a point of its history.
  @Test func aViewOfThePastIsRead() throws {
    let store = try fixture.open()
    for title in ["Up", "Cars", "Coco"] { try save(store, title, message: nil) }
    func view(_ point: HistoryPoint) throws -> LogStore {
      try LogStore(
        LogStoreConfiguration(path: fixture.path, isReadOnly: true, end: point)
      )
    }
    for count in 0...3 {
      let past = try view(.token(Int64(count)))
      #expect(try past.films().count == count)
      #expect(try messages(past).count == count)
    }
    let past = try view(.token(2))
    try save(store, "Soul", message: nil)
    #expect(try past.films().count == 2, "the past does not change")
    #expect(try view(.time(.distantPast)).films().isEmpty)
    #expect(try view(.time(.distantFuture)).films().count == 4)
    #expect(errorCode { _ = try view(.token(5)) } == .historyExpired)
    _ = try store.compact(keeping: .last(1))
    #expect(errorCode { _ = try view(.token(2)) } == .historyExpired)
    #expect(errorCode { _ = try view(.time(.distantPast)) } == .historyExpired)
    #expect(try view(.token(3)).films().count == 3)
  }

  /// A frame that changes the schema at once has no conversion, of which one half would be read.
  @Test func aConversionIsNoChangeOfItsOwn() throws {
    let conversion = AttributeConversion(to: Self.price, from: Self.text)
    var payload = PayloadWriter()
    LogSchemaCodec.encode(
      SchemaStep.convertAttribute(entity: "Film", conversion),
      to: &payload
    )
    let bytes = payload.withContent { Array($0) }
    bytes.withUnsafeBytes { bytes in
      var reader = PayloadReader(bytes)
      #expect(throws: PayloadError.self) { try LogSchemaCodec.change(from: &reader) }
    }
  }
}
