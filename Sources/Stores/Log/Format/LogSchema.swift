import CXXHash
import OpenSwiftData

/// An entity prepared for the record codec; shared, so that passing it on costs nothing.
final class LogEntity: Sendable {
  let index: Int
  let name: String
  let scope: IdentifierScope
  let kinds: [ValueKind]
  /// The encoding of each attribute's values.
  let layouts: [ValueKind.Layout]
  let layout: SnapshotLayout

  init(_ entity: Schema.Entity, index: Int, storeIdentifier: String) {
    self.index = index
    name = entity.name
    scope = IdentifierScope(store: storeIdentifier, entity: entity.name)
    kinds = entity.fields.map(\.type.kind)
    layouts = kinds.map(\.layout)
    layout = entity.layout
  }

  /// One bit for each attribute.
  var bitmapBytes: Int { (kinds.count + 7) / 8 }
}

/// A schema prepared for the record codec; records of a log are read under the schema in force.
final class LogSchema: Sendable {
  let schema: Schema
  let storeIdentifier: String
  let entities: [LogEntity]
  /// Part of every transaction, so that none is read under another schema.
  let checksum: UInt64
  /// Its size in a frame.
  let sizeBytes: Int
  private let indexes: [String: Int]

  init(_ schema: Schema, storeIdentifier: String) {
    self.schema = schema
    self.storeIdentifier = storeIdentifier
    entities = schema.entities.enumerated().map { index, entity in
      LogEntity(entity, index: index, storeIdentifier: storeIdentifier)
    }
    indexes = Dictionary(
      entities.map { ($0.name, $0.index) },
      uniquingKeysWith: { first, _ in first }
    )
    var payload = PayloadWriter()
    LogSchemaCodec.encode(schema, to: &payload)
    sizeBytes = payload.count
    checksum = payload.withContent { catalog_xxh3($0.baseAddress, $0.count, 0) }
  }

  func index(of entityName: String) -> Int? { indexes[entityName] }

  func entity(_ index: UInt64) throws(PayloadError) -> LogEntity {
    guard index < UInt64(entities.count) else {
      throw PayloadError(reason: "unknown entity \(index)")
    }
    return entities[Int(index)]
  }

  /// The schema after a change.
  func applying(_ change: SchemaChange) throws -> LogSchema {
    LogSchema(try schema.applying(change), storeIdentifier: storeIdentifier)
  }
}
