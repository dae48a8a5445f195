import Foundation
import OpenSwiftData
import SwiftData
import Synchronization
import Testing

@Model
final class Parcel {
  var label: String
  var isSent: Bool
  var weight: Double?
  var remark: String = ""

  init(_ label: String, isSent: Bool = false) {
    self.label = label
    self.isSent = isSent
  }
}

/// A store with two functions whose records a test spoils.
final class DepotStore: QueryableStore {
  struct Configuration: DataStoreConfiguration {
    typealias Store = DepotStore
    var name = "depot"
    var schema: Schema?
  }

  let configuration: Configuration
  private let records = Mutex<[DefaultSnapshot]>([])
  private let spoiling = Mutex<(@Sendable (inout DefaultSnapshot) -> Void)?>(nil)
  private let assigns = Mutex(true)

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) {
    self.configuration = configuration
  }

  func spoil(_ body: (@Sendable (inout DefaultSnapshot) -> Void)?) {
    spoiling.withLock { $0 = body }
  }

  func stopAssigning() { assigns.withLock { $0 = false } }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    var found = try query.run(
      over: records.withLock { $0 },
      of: schema.entity(named: query.entityName)
    )
    if let spoil = spoiling.withLock({ $0 }) {
      for place in found.indices { spoil(&found[place]) }
    }
    return found
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    guard assigns.withLock({ $0 }) else { return CommitResult() }
    let (changes, identifiers) = changes.assigningIdentifiers(for: identifier)
    records.withLock { $0 += changes.inserted }
    return CommitResult(remappedIdentifiers: identifiers)
  }
}

/// The container checks what a store with two functions returns.
@Suite struct AnswerCheckTests {
  private let store: DepotStore
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Parcel.self,
      configurations: DepotStore.Configuration()
    )
    store = try #require(container.stores.first as? DepotStore)
    let context = ModelContext(container)
    context.insert(Parcel("Books"))
    try context.save()
  }

  private static func set(_ name: String, _ value: Value)
    -> @Sendable (inout DefaultSnapshot) ->
    Void
  {
    { snapshot in
      guard let slot = snapshot.layout.slot(of: name) else { return }
      snapshot.orderedValues[slot] = value
    }
  }

  private func expectViolation(_ pattern: String, _ body: () throws -> Void) throws {
    let error = #expect(throws: PersistenceError.self) { try body() }
    #expect(error?.code == .storeViolation)
    let message = error?.message ?? ""
    #expect(try Regex("store depot: " + pattern).wholeMatch(in: message) != nil, "\(message)")
  }

  @Test(arguments: [
    (
      "isSent", Value.text("maybe"),
      "Parcel.isSent: \"maybe\" is not a valid boolean \\(record .+\\)"
    ),
    ("isSent", .integer(1), "Parcel.isSent: \"1\" is not a valid boolean \\(record .+\\)"),
    ("label", .null, "Parcel.label: a value is required \\(record .+\\)"),
    ("remark", .null, "Parcel.remark: a value is required \\(record .+\\)"),
    ("weight", .text("heavy"), "Parcel.weight: \"heavy\" is not a valid number \\(record .+\\)"),
  ])
  func aValueThatItsFieldCannotHoldIsAnError(name: String, value: Value, message: String) throws {
    store.spoil(Self.set(name, value))
    let context = ModelContext(container)
    try expectViolation(message) { _ = try context.fetch(FetchDescriptor<Parcel>()) }
    let connection = try #require(container.connections().first)
    let identifier = try #require(try store.identifiers(matching: Query("Parcel")).first)
    try expectViolation(message) {
      _ = try connection.snapshots(for: [identifier], attributes: nil)
    }
  }

  @Test func recordsWithTooFewOrTooManyValuesAreErrors() throws {
    let context = ModelContext(container)
    store.spoil { $0.orderedValues.removeLast() }
    try expectViolation("Parcel .+: [0-9]+ values for [0-9]+ fields") {
      _ = try context.fetch(FetchDescriptor<Parcel>())
    }
    store.spoil { $0.orderedValues += [.null, .null] }
    try expectViolation("Parcel .+: [0-9]+ values for [0-9]+ fields") {
      _ = try context.fetch(FetchDescriptor<Parcel>())
    }
  }

  @Test func aMissingOptionalValueIsNoError() throws {
    store.spoil(Self.set("weight", .null))
    #expect(try ModelContext(container).fetch(FetchDescriptor<Parcel>()).map(\.label) == ["Books"])
  }

  @Test func recordsOfAnotherLayoutOrEntityAreErrors() throws {
    let context = ModelContext(container)
    store.spoil { snapshot in
      snapshot = DefaultSnapshot(
        persistentIdentifier: snapshot.persistentIdentifier,
        layout: SnapshotLayout(["label"]),
        orderedValues: [.text("Books")]
      )
    }
    try expectViolation(
      "Parcel .+: fields do not match the schema \\(expected .+; found label\\)"
    ) { _ = try context.fetch(FetchDescriptor<Parcel>()) }
    let other = try PersistentIdentifier.identifier(
      for: "depot",
      entityName: "Crate",
      primaryKey: 1
    )
    store.spoil { $0.persistentIdentifier = other }
    try expectViolation("returned Crate record 1 as a record of Parcel") {
      _ = try context.fetch(FetchDescriptor<Parcel>())
    }
    let temporary = Parcel("x").persistentModelID
    store.spoil { $0.persistentIdentifier = temporary }
    try expectViolation("returned the temporary identifier .+ of Parcel; .+") {
      _ = try context.fetch(FetchDescriptor<Parcel>())
    }
  }

  @Test func recordsWithoutAClassMayLackRequiredValues() throws {
    let schema = Schema(
      Schema.Entity("Parcel", attributes: [.init("label", .text, isOptional: false)])
    )
    let container = try ModelContainer(
      for: schema,
      configurations: [DepotStore.Configuration(schema: schema)]
    )
    let store = try #require(container.stores.first as? DepotStore)
    let context = ModelContext(container)
    let record = Record(entity: try schema.entity(named: "Parcel"))
    try record.set(.text("Books"), for: "label")
    context.insert(record)
    try context.save()
    store.spoil(Self.set("label", .null))
    #expect(try context.fetchSnapshots(matching: Query("Parcel")).map { $0["label"] } == [.null])
    store.spoil(Self.set("label", .integer(1)))
    try expectViolation("Parcel.label: \"1\" is not a valid text \\(record .+\\)") {
      _ = try context.fetchSnapshots(matching: Query("Parcel"))
    }
  }

  @Test func identifiersThatWereNotAssignedAreAnErrorWithTheFunctionToCall() throws {
    store.stopAssigning()
    let context = ModelContext(container)
    context.insert(Parcel("Shoes"))
    try expectViolation(
      "assigned no permanent identifier to t\\d+ of Parcel; "
        + "call assigningIdentifiers\\(for:\\) of the change set; the changes are saved, reopen the store"
    ) { try context.save() }
    #expect(context.hasChanges)
  }
}
