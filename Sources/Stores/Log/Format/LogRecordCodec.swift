import Foundation
import OpenSwiftData

/// The kinds of items in a payload, in the lower half of their first byte.
enum LogItem {
  static let insert: UInt8 = 1
  static let update: UInt8 = 2
  static let delete: UInt8 = 3
  /// Sets the entity of the following items.
  static let entity: UInt8 = 4

  static let hasOldValue: UInt8 = 1
  static let hasNewValue: UInt8 = 2
}

/// Writes changes of records as the items of a payload.
struct LogItemEncoder {
  let schema: LogSchema
  private var current: LogEntity?

  init(_ schema: LogSchema) { self.schema = schema }

  /// Makes the next item name its entity again, as the first item of each frame must.
  mutating func beginFrame() { current = nil }

  /// Appends an inserted record, or a deleted one, with all its values.
  mutating func append(
    _ item: UInt8,
    _ snapshot: DefaultSnapshot,
    to payload: inout PayloadWriter
  ) throws {
    let entity = try begin(item, snapshot.persistentIdentifier, &payload)
    let values =
      snapshot.layout === entity.layout
      ? snapshot.orderedValues : snapshot.arranged(as: entity.layout).orderedValues
    let bitmap = payload.count
    payload.appendZeros(entity.bitmapBytes)
    for (slot, kind) in entity.kinds.enumerated() where !values[slot].isNull {
      payload.setBits(1 << UInt8(slot & 7), at: bitmap + slot >> 3)
      try append(values[slot], kind, &payload)
    }
  }

  /// Appends an updated record: the changed values, old and new.
  ///
  /// - Returns: How many bytes larger the new values are than the old ones.
  mutating func append(
    from before: DefaultSnapshot,
    to after: DefaultSnapshot,
    _ payload: inout PayloadWriter
  ) throws -> Int {
    let entity = try begin(LogItem.update, after.persistentIdentifier, &payload)
    let before = before.arranged(as: entity.layout).orderedValues
    let after = after.arranged(as: entity.layout).orderedValues
    let bitmap = payload.count
    payload.appendZeros(entity.bitmapBytes)
    var growthBytes = 0
    for (slot, kind) in entity.kinds.enumerated() where before[slot] != after[slot] {
      payload.setBits(1 << UInt8(slot & 7), at: bitmap + slot >> 3)
      payload.append(
        byte: (before[slot].isNull ? 0 : LogItem.hasOldValue)
          | (after[slot].isNull ? 0 : LogItem.hasNewValue)
      )
      let start = payload.count
      if !before[slot].isNull { try append(before[slot], kind, &payload) }
      let middle = payload.count
      if !after[slot].isNull { try append(after[slot], kind, &payload) }
      growthBytes += payload.count - middle - (middle - start)
    }
    return growthBytes
  }

  /// Appends the start of an item: its entity if it changed, its kind, its key.
  mutating func begin(
    _ item: UInt8,
    _ identifier: PersistentIdentifier,
    _ payload: inout PayloadWriter
  ) throws -> LogEntity {
    let entity = try entity(of: identifier)
    if current?.index != entity.index {
      payload.append(byte: LogItem.entity)
      payload.append(unsigned: UInt64(entity.index))
      current = entity
    }
    let kind = LogKeyCodec.kind(of: identifier)
    payload.append(byte: item | kind << 4)
    LogKeyCodec.append(identifier, kind: kind, to: &payload)
    return entity
  }

  /// The entity of a record; almost always that of the previous record.
  private func entity(of identifier: PersistentIdentifier) throws -> LogEntity {
    if let current, let key = identifier.recordKey,
      current.scope.identifier(key: key) == identifier
    {
      return current
    }
    guard let index = schema.index(of: identifier.entityName) else {
      throw PersistenceError(
        .unknownEntity,
        "unknown entity \"\(identifier.entityName)\""
      )
    }
    return schema.entities[index]
  }

  func append(_ value: Value, _ kind: ValueKind, _ payload: inout PayloadWriter) throws {
    guard value.kind == kind else {
      throw PersistenceError(.invalidValue, "a value does not have the type of its field")
    }
    switch value {
    case .text(let text), .json(let text): payload.append(text: text)
    case .integer(let number): payload.append(signed: number)
    case .link(let link): try append(link: link, &payload)
    case .links(let links):
      payload.append(unsigned: UInt64(links.count))
      for link in links { try append(link: link, &payload) }
    default: LogValueCodec.append(value, to: &payload)
    }
  }

  func append(link: PersistentIdentifier, _ payload: inout PayloadWriter) throws {
    guard !link.isTemporary else {
      throw PersistenceError(
        .invalidValue,
        "a link refers to record \(link), which has not been saved"
      )
    }
    let entity = try entity(of: link)
    let kind = LogKeyCodec.kind(of: link)
    payload.append(byte: kind << 4)
    payload.append(unsigned: UInt64(entity.index))
    LogKeyCodec.append(link, kind: kind, to: &payload)
  }
}

extension RecordUpdate {
  /// Appends the update from where it is: reading it out of an array retains its values.
  ///
  /// - Returns: As `LogItemEncoder.append(from:to:_:)`.
  func append(to payload: inout PayloadWriter, by encoder: inout LogItemEncoder) throws -> Int {
    try encoder.append(from: before, to: after, &payload)
  }
}
