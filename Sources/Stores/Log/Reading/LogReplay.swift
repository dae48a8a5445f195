import Foundation
import OpenSwiftData

/// Applies the items of one transaction to a table.
///
/// Deletes and updates come first and are checked against the content of the table; inserts are
/// appended cell by cell from the memory of the frame.
struct LogReplay {
  private(set) var highestKey: RecordKey?
  private(set) var insertedCount = 0
  /// The change of the records' size in a base in bytes; may be negative.
  private(set) var growthBytes = 0
  private(set) var hasBegun = false
  private let schema: LogSchema
  private var updates: [Update] = []
  private var deletes: [DefaultSnapshot] = []

  private struct Update {
    var identifier: PersistentIdentifier
    var changes: [(slot: Int, old: Value, new: Value)]
  }

  init(_ schema: LogSchema, highestKey: RecordKey?) {
    self.schema = schema
    self.highestKey = highestKey
  }

  /// Whether all items so far were inserts.
  private(set) var isInsertOnly = true

  /// Applies the items of one payload.
  ///
  /// - Complexity: O(size of the payload).
  mutating func add(_ reader: inout PayloadReader, to table: inout RecordTable) throws {
    hasBegun = true
    var items = LogItemDecoder(schema)
    var place = reader.position
    var meter = WorkMeter()
    var start = try items.next(&reader)
    while let current = start {
      try meter.count()
      if current.item != LogItem.insert { isInsertOnly = false }
      switch current.item {
      case LogItem.insert:
        try finish(&table)
        try insert(from: current, &items, &reader, &table)
        growthBytes += reader.position - place
      case LogItem.update:
        let changes = try items.changes(of: current.entity, &reader, growthBytes: &growthBytes)
        updates.append(Update(identifier: current.identifier, changes: changes))
      default:
        let values = try items.values(of: current.entity, &reader)
        deletes.append(
          DefaultSnapshot(
            persistentIdentifier: current.identifier,
            layout: current.entity.layout,
            orderedValues: values
          )
        )
        growthBytes -= reader.position - place
      }
      place = reader.position
      start = try items.next(&reader)
    }
  }

  /// Inserts records while they belong to one entity.
  private mutating func insert(
    from first: LogItemDecoder.Start,
    _ items: inout LogItemDecoder,
    _ reader: inout PayloadReader,
    _ table: inout RecordTable
  ) throws {
    let entity = first.entity
    var identifier = first.identifier
    var highest = highestKey
    var count = 0
    try table.withAppender(entity: entity.name, order: .byKey) { appender in
      try entity.layouts.withUnsafeBufferPointer { layouts in
        repeat {
          if let key = identifier.recordKey, highest.map({ $0 < key }) ?? true { highest = key }
          _ = try appender.beginRow(key: identifier)
          try Self.append(layouts, items, &reader, to: &appender)
          appender.endRow()
          count += 1
        } while try items.nextInsert(of: entity, &reader, &identifier)
      }
    }
    highestKey = highest
    insertedCount += count
  }

  private static func append(
    _ layouts: UnsafeBufferPointer<ValueKind.Layout>,
    _ items: borrowing LogItemDecoder,
    _ reader: inout PayloadReader,
    to row: inout RowAppender
  ) throws {
    let bitmap = try reader.raw((layouts.count + 7) / 8)
    for slot in layouts.indices where bitmap[slot >> 3] & 1 << UInt8(slot & 7) != 0 {
      switch layouts[slot] {
      case .bytes: row.append(utf8: try reader.utf8(), slot: slot)
      case .whole: row.append(integer: try reader.signed(), slot: slot)
      case .float: row.append(number: Double(bitPattern: try reader.fixed64()), slot: slot)
      case .flag: row.append(boolean: try reader.byte() != 0, slot: slot)
      case .days: row.append(date: try LogValueCodec.day(from: &reader), slot: slot)
      case .decimal: row.append(decimal: try LogValueCodec.decimal(from: &reader), slot: slot)
      case .pair: row.append(uuid: try LogValueCodec.uuid(from: &reader), slot: slot)
      case .link: row.append(link: try items.link(&reader), slot: slot)
      case .links: row.append(links: try items.links(&reader), slot: slot)
      }
    }
  }

  /// Applies updates and deletes after checking all of them against the table.
  ///
  /// Works in batches, so that opening a log can be stopped and few snapshots are held at a time.
  mutating func finish(_ table: inout RecordTable) throws {
    guard !updates.isEmpty || !deletes.isEmpty else { return }
    var changes: [RecordUpdate] = []
    changes.reserveCapacity(updates.count)
    try updates.forEachBatch(of: Self.batchSize) { batch in
      let present = table.snapshots(for: batch.map(\.identifier))
      for update in batch { changes.append(try recordUpdate(update, present)) }
    }
    try deletes.forEachBatch(of: Self.batchSize) { batch in
      let present = table.snapshots(for: batch.map(\.persistentIdentifier))
      for deleted in batch where present[deleted.persistentIdentifier] != deleted {
        throw PayloadError(
          reason: "deletes a version of \(deleted.persistentIdentifier) that never existed"
        )
      }
    }
    try deletes.forEachBatch(of: Self.batchSize) { table.apply(ChangeSet(deleted: Array($0))) }
    try changes.forEachBatch(of: Self.batchSize) { table.apply(ChangeSet(updated: Array($0))) }
    updates = []
    deletes = []
  }

  private static let batchSize = 2048

  private func recordUpdate(
    _ update: Update,
    _ present: [PersistentIdentifier: DefaultSnapshot]
  ) throws -> RecordUpdate {
    guard let before = present[update.identifier] else {
      throw PayloadError(reason: "updates \(update.identifier), which does not exist")
    }
    var after = before
    for (slot, old, new) in update.changes {
      guard before.orderedValues[slot] == old else {
        throw PayloadError(reason: "updates a version of \(update.identifier) that never existed")
      }
      after.orderedValues[slot] = new
    }
    return RecordUpdate(before: before, after: after)
  }
}
