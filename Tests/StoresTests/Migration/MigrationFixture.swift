import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// A store of each kind that is filled, closed and reopened with another schema.
struct MigrationFixture {
  enum Kind: String, CaseIterable, Sendable { case memory, json, log }

  let kind: Kind
  let folder: TemporaryFolder
  let files = FaultyFileSystem()
  private let memory: MemoryStore?

  /// Trips with two records, and stops that refer to them.
  static let schema = Schema(
    Schema.Entity(
      "Trip",
      attributes: [
        Schema.Attribute("name", .text, isOptional: false),
        Schema.Attribute("start", .date), Schema.Attribute("days", .integer),
        Schema.Attribute("code", .text),
        Schema.Attribute("rating", .number, defaultValue: .number(3)),
      ]
    ),
    Schema.Entity(
      "Stop",
      attributes: [Schema.Attribute("place", .text), Schema.Attribute("trip", .link("Trip"))]
    )
  )

  init(_ kind: Kind, schema: Schema = Self.schema) throws {
    self.kind = kind
    folder = try TemporaryFolder()
    memory =
      kind == .memory ? try MemoryStore(MemoryStoreConfiguration(schema: schema)) : nil
    if kind != .memory { _ = try open(schema) }
  }

  var fileName: String { kind == .json ? "trips.json" : "trips.catlog" }
  var path: String { folder.file(fileName) }
  var bytes: [UInt8] { get throws { kind == .memory ? [] : try folder.bytes(fileName) } }

  /// The store as it is, or migrated to a schema.
  func open(_ schema: Schema? = nil, isReadOnly: Bool = false) throws -> any MigratableStore {
    switch kind {
    case .memory:
      let store = try #require(memory)
      if let schema { try store.migrate(to: schema) }
      return store
    case .json:
      return try JSONStore(
        JSONStoreConfiguration(
          path: path,
          schema: schema,
          isReadOnly: isReadOnly,
          lockTimeoutSeconds: 1,
          fileSystem: files
        ),
        migrationPlan: nil
      )
    case .log:
      return try LogStore(
        LogStoreConfiguration(
          path: path,
          schema: schema,
          isReadOnly: isReadOnly,
          lockTimeoutSeconds: 1,
          fileSystem: files
        )
      )
    }
  }

  /// Inserts two trips and a stop.
  func fill() throws {
    let store = try open(Self.schema)
    let trips = [
      try Self.new(
        "Trip",
        1,
        ["name": .text("Rome"), "days": .integer(5), "code": .text("7")],
        store
      ),
      try Self.new(
        "Trip",
        2,
        [
          "name": .text("Oslo"), "start": .date(CalendarDate(daysSince1970: 9)),
          "code": .text("12"),
        ],
        store
      ),
    ]
    let stop = try Self.new(
      "Stop",
      3,
      ["place": .text("Bergen"), "trip": .link(trips[1].persistentIdentifier)],
      store
    )
    _ = try store.commit(ChangeSet(inserted: trips + [stop]), author: nil)
  }

  static func new(
    _ entity: String,
    _ serial: Int,
    _ values: [String: Value],
    _ store: any MigratableStore
  ) throws -> DefaultSnapshot {
    let entity = try store.schema.entity(named: entity)
    return DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: nil, entity: entity.name)
        .temporaryIdentifier(UInt64(serial), context: 1),
      layout: entity.layout,
      orderedValues: entity.fields.map { values[$0.name] ?? $0.defaultValue }
    )
  }
}

extension QueryableStore {
  /// Everything in one text, without identifiers of records: `Trip(name=Rome days=5)`.
  func contentText() throws -> String {
    try schema.entities.map { entity in
      let records = try snapshots(matching: Query(entity.name)).map { record in
        zip(entity.fields, record.orderedValues).compactMap { field, value in
          value.isNull ? nil : "\(field.name)=\(field.type.destination == nil ? value.text : "+")"
        }.joined(separator: " ")
      }
      return "\(entity.name)[\(records.joined(separator: " | "))]"
    }.joined(separator: " ")
  }

  func everyRecord() throws -> [DefaultSnapshot] {
    try schema.entities.flatMap { try snapshots(matching: Query($0.name)) }
  }
}
