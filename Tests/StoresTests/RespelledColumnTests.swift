import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Unsaved changes of a CSV file in which another program gives columns another type.
@Suite struct RespelledColumnTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let header = "name,price,sold,mass\n"
  private static let before = header + "A,1.50,TRUE,1E5\nB,2,FALSE,3\n"

  private func open() throws -> (context: ModelContext, record: Record) {
    try folder.put("a.csv", Self.before)
    let context = try contextOnFile()
    let entity = try #require(context.schema.entities.first).name
    let query = Query(entity, filter: .compare("name", .equal, .text("A")))
    let record = try context.records(for: context.fetchIdentifiers(matching: query)).first
    return (context, try #require(record))
  }

  private func contextOnFile() throws -> ModelContext {
    let configuration = JSONStoreConfiguration(path: folder.file("a.csv"), form: .delimited)
    return ModelContext(try ModelContainer(configurations: configuration))
  }

  private func text() throws -> String {
    String(decoding: try folder.bytes("a.csv"), as: UTF8.self)
  }

  private func change(_ record: Record) throws {
    let types = record.persistentState.entity.fields.map(\.type)
    try record.set(types[1] == .decimal ? .decimal(9.75) : .number(9.75), for: "price")
    try record.set(.boolean(false), for: "sold")
    try record.set(.number(7), for: "mass")
  }

  @Test func aValueThatOnlyGotAnotherTypeIsNoConflict() throws {
    let (context, record) = try open()
    try change(record)
    try folder.put("a.csv", Self.header + "A,1.50,TRUE,1E5\nB,x,y,z\n")
    try context.save()
    #expect(try text() == Self.header + "A,9.75,false,7\nB,x,y,z\n")
    #expect(!context.hasChanges)
  }

  @Test func theOtherValuesKeepTheirSpelling() throws {
    let (context, record) = try open()
    try record.set(.text("C"), for: "name")
    try folder.put("a.csv", Self.header + "A,1.50,TRUE,1E5\nB,x,y,z\n")
    try context.save()
    #expect(try text() == Self.header + "C,1.50,TRUE,1E5\nB,x,y,z\n")
    #expect(record[attribute: "price"] == .text("1.50"))
  }

  @Test func aRecordWhoseValuesOnlyGotAnotherTypeIsDeleted() throws {
    let (context, record) = try open()
    context.delete(record)
    try folder.put("a.csv", Self.header + "A,1.50,TRUE,1E5\nB,x,y,z\n")
    try context.save()
    #expect(try text() == Self.header + "B,x,y,z\n")
  }

  @Test func aColumnThatBecomesNumbersIsNoConflict() throws {
    try folder.put("a.csv", "name,price\nA,1.50\nB,x\n")
    let context = try contextOnFile()
    let entity = try #require(context.schema.entities.first).name
    let query = Query(entity, filter: .compare("name", .equal, .text("A")))
    let records = try context.records(for: context.fetchIdentifiers(matching: query))
    try #require(records.first).set(.text("2.75"), for: "price")
    try folder.put("a.csv", "name,price\nA,1.50\nB,3\n")
    try context.save()
    #expect(try text() == "name,price\nA,2.75\nB,3\n")
  }

  @Test func anotherValueIsAConflict() throws {
    let (context, record) = try open()
    try change(record)
    try folder.put("a.csv", Self.header + "A,1.51,TRUE,1E5\nB,x,y,z\n")
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .conflict)
    #expect(error?.conflicts.flatMap(\.differences).map(\.name) == ["price"])
  }
}
