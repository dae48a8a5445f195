import OpenSwiftData

/// Reads the items of a payload.
struct LogItemDecoder {
  let schema: LogSchema
  private var current: LogEntity?

  init(_ schema: LogSchema) { self.schema = schema }

  /// The start of an item: its kind and its record.
  struct Start {
    let item: UInt8
    let entity: LogEntity
    let identifier: PersistentIdentifier
  }

  /// The next item; `nil` at the end of the payload.
  ///
  /// The caller must read or skip its values.
  mutating func next(_ reader: inout PayloadReader) throws(PayloadError) -> Start? {
    while let byte = reader.peek() {
      _ = try reader.byte()
      if byte == LogItem.entity {
        current = try schema.entity(try reader.unsigned())
        continue
      }
      guard let current else { throw PayloadError(reason: "record without an entity") }
      let item = byte & 0x0F
      guard (LogItem.insert...LogItem.delete).contains(item) else {
        throw PayloadError(reason: "unknown item kind \(item)")
      }
      let identifier = try LogKeyCodec.identifier(
        kind: byte >> 4,
        scope: current.scope,
        from: &reader
      )
      return Start(item: item, entity: current, identifier: identifier)
    }
    return nil
  }

  /// Adds what an item changes; of an updated record, the fields that changed.
  func read(
    _ start: Start,
    into changes: inout ChangeSet,
    _ reader: inout PayloadReader
  ) throws(PayloadError) {
    func snapshot(_ layout: SnapshotLayout, _ values: [Value]) -> DefaultSnapshot {
      DefaultSnapshot(
        persistentIdentifier: start.identifier,
        layout: layout,
        orderedValues: values
      )
    }
    let layout = start.entity.layout
    switch start.item {
    case LogItem.insert:
      changes.inserted.append(snapshot(layout, try values(of: start.entity, &reader)))
    case LogItem.delete:
      changes.deleted.append(snapshot(layout, try values(of: start.entity, &reader)))
    default:
      let values = try self.changes(of: start.entity, &reader)
      let changed = SnapshotLayout(values.map { layout.names[$0.slot] })
      changes.updated.append(
        RecordUpdate(
          before: snapshot(changed, values.map(\.old)),
          after: snapshot(changed, values.map(\.new))
        )
      )
    }
  }

  /// Advances to the next item if it is an insert of the same entity.
  ///
  /// - Returns: Whether it is; the identifier is then that of the new record.
  func nextInsert(
    of entity: LogEntity,
    _ reader: inout PayloadReader,
    _ identifier: inout PersistentIdentifier
  ) throws(PayloadError) -> Bool {
    guard let byte = reader.peek(), byte & 0x0F == LogItem.insert else { return false }
    try reader.skip(1)
    identifier = try LogKeyCodec.identifier(kind: byte >> 4, scope: entity.scope, from: &reader)
    return true
  }

  /// The values of an inserted or deleted record.
  func values(of entity: LogEntity, _ reader: inout PayloadReader) throws(PayloadError) -> [Value] {
    let bitmap = try reader.raw(entity.bitmapBytes)
    var values: [Value] = []
    values.reserveCapacity(entity.kinds.count)
    for (slot, kind) in entity.kinds.enumerated() {
      let isPresent = bitmap[slot >> 3] & 1 << UInt8(slot & 7) != 0
      values.append(isPresent ? try value(kind, &reader) : .null)
    }
    return values
  }

  /// The changed values of an updated record.
  ///
  /// Adds to `growthBytes` how much larger the new values are than the old ones.
  func changes(
    of entity: LogEntity,
    _ reader: inout PayloadReader,
    growthBytes: inout Int
  ) throws(PayloadError) -> [(slot: Int, old: Value, new: Value)] {
    let bitmap = try reader.raw(entity.bitmapBytes)
    var changes: [(slot: Int, old: Value, new: Value)] = []
    for (slot, kind) in entity.kinds.enumerated()
    where bitmap[slot >> 3] & 1 << UInt8(slot & 7) != 0 {
      let flags = try reader.byte()
      let start = reader.position
      let old = flags & LogItem.hasOldValue != 0 ? try value(kind, &reader) : .null
      let middle = reader.position
      let new = flags & LogItem.hasNewValue != 0 ? try value(kind, &reader) : .null
      growthBytes += reader.position - middle - (middle - start)
      changes.append((slot, old, new))
    }
    return changes
  }

  /// The changed values of an updated record.
  func changes(of entity: LogEntity, _ reader: inout PayloadReader) throws(PayloadError)
    -> [(slot: Int, old: Value, new: Value)]
  {
    var growthBytes = 0
    return try changes(of: entity, &reader, growthBytes: &growthBytes)
  }

  /// Skips the values of an item.
  func skipValues(of start: Start, _ reader: inout PayloadReader) throws(PayloadError) {
    let bitmap = try reader.raw(start.entity.bitmapBytes)
    for (slot, kind) in start.entity.kinds.enumerated()
    where bitmap[slot >> 3] & 1 << UInt8(slot & 7) != 0 {
      guard start.item == LogItem.update else {
        try skip(kind, &reader)
        continue
      }
      let flags = try reader.byte()
      if flags & LogItem.hasOldValue != 0 { try skip(kind, &reader) }
      if flags & LogItem.hasNewValue != 0 { try skip(kind, &reader) }
    }
  }

  func value(_ kind: ValueKind, _ reader: inout PayloadReader) throws(PayloadError) -> Value {
    switch kind {
    case .link: return .link(try link(&reader))
    case .links: return .links(try links(&reader))
    default: return try LogValueCodec.value(kind, from: &reader)
    }
  }

  func link(_ reader: inout PayloadReader) throws(PayloadError) -> PersistentIdentifier {
    let kind = try reader.byte() >> 4
    let entity = try schema.entity(try reader.unsigned())
    return try LogKeyCodec.identifier(kind: kind, scope: entity.scope, from: &reader)
  }

  func links(_ reader: inout PayloadReader) throws(PayloadError) -> [PersistentIdentifier] {
    let count = try reader.count()
    var links: [PersistentIdentifier] = []
    links.reserveCapacity(count)
    for _ in 0..<count { links.append(try link(&reader)) }
    return links
  }

  private func skip(_ kind: ValueKind, _ reader: inout PayloadReader) throws(PayloadError) {
    switch kind.layout {
    case .bytes, .decimal: try reader.skipSized()
    case .whole, .days: _ = try reader.unsigned()
    case .float: try reader.skip(8)
    case .flag: try reader.skip(1)
    case .pair: try reader.skip(16)
    case .link: _ = try link(&reader)
    case .links: _ = try links(&reader)
    }
  }
}
