import Foundation
import OpenSwiftData

/// One saved transaction as a history file keeps it.
///
/// Identifiers are those of the run that saved it: in a file of another program they are positions, which later runs
/// count differently.
struct HistoryFrame: Sendable {
  var token: Int64
  var id: UUID
  var microsecondsSince1970: Int64
  /// A number for the run of the program, within which records keep their identifiers.
  var run: UInt64
  /// The identifier of the store.
  var store: String
  var author: String?
  var message: String?
  /// The content of the store's file before and after the save; nil if there was none.
  var before: ContentDigest?
  var after: ContentDigest?
  /// True if the changes are too large to keep.
  var isOmitted = false
  /// The schema after the save.
  var schema: [UInt8]
  /// The schema before it, if the save changed it; else empty.
  var formerSchema: [UInt8] = []
  /// The change of the schema with its steps; empty if there was none.
  var schemaChange: [UInt8] = []
  /// The steps in frames of earlier versions.
  var schemaSteps: [[UInt8]] = []
  /// The number of changed records, which are the last ones among the deleted and the new ones.
  var updateCount = 0
  /// Deleted records and those before a change, then new ones and those after it.
  var changes: [UInt8] = []
  /// The text of each deleted record, empty for one that is not known; none at all in frames of earlier versions.
  var deletedTexts: [[UInt8]] = []
  /// The same for the text that each changed record had before.
  var updatedTexts: [[UInt8]] = []
  /// The columns of these texts; empty for JSON.
  var columns: [String] = []
  /// The former values of converted fields, as deleted records; empty if there are none.
  var formerValues: [UInt8] = []
  /// The fields by which the records were known; nil in frames of earlier versions, and in files with identifiers.
  var keys: HistoryKeys?
  /// The format of the file after the save; empty if it was not kept.
  ///
  /// The text may not show it, because it has no records.
  var format: [UInt8] = []
  /// What earlier versions have kept of it: 1 for Windows-1252, 2 for tabs and backslashes that stand for themselves.
  var earlierSigns: UInt8 = 0
  /// Leads from the content of the file after the save to that before it; empty if it is not known.
  var patch: [UInt8] = []

  /// The transaction.
  ///
  /// - Parameter onlyEntity: The name of the entity of a file without entity names; nil for other files.
  /// - Returns: The transaction.
  /// - Throws: `PersistenceError` with code `.damaged`.
  func transaction(onlyEntity: String? = nil) throws -> Transaction {
    var schema = try ChangeSetCodec.schema(self.schema)
    // The run that created the file knew the entity by another name.
    if let onlyEntity, schema.entities.count == 1, schema.entities[0].name != onlyEntity {
      schema = Schema([Schema.Entity(onlyEntity, attributes: schema.entities[0].fields)])
    }
    let codec = ChangeSetCodec(schema, storeIdentifier: store)
    var transaction = Transaction(
      token: token,
      id: id,
      timestamp: Date(timeIntervalSince1970: Double(microsecondsSince1970) / 1e6),
      author: author,
      changes: try divided(codec.decode(changes))
    )
    transaction.message = message
    transaction.isIncomplete = isOmitted
    guard !formerSchema.isEmpty else { return transaction }
    let former = try ChangeSetCodec.schema(formerSchema)
    let formerCodec = ChangeSetCodec(former, storeIdentifier: store)
    if !schemaChange.isEmpty {
      let (change, steps) = try formerCodec.schemaChanges(schemaChange)
      (transaction.schemaChange, transaction.steps) = (change, steps)
    }
    if case .replaceSchema = transaction.schemaChange { transaction.formerSchema = former }
    if !schemaSteps.isEmpty {
      transaction.schemaSteps = try schemaSteps.map(formerCodec.schemaChange)
      transaction.steps = transaction.steps.namingConversions
    }
    try transaction.takeFormerValues(formerValues, storeIdentifier: store)
    return transaction
  }

  /// Makes updates of the last deleted and new records.
  private func divided(_ all: ChangeSet) throws -> ChangeSet {
    guard updateCount <= min(all.inserted.count, all.deleted.count) else {
      throw PersistenceError(.damaged, "damaged history: \(updateCount) changed records")
    }
    return ChangeSet(
      inserted: Array(all.inserted.dropLast(updateCount)),
      updated: zip(all.deleted.suffix(updateCount), all.inserted.suffix(updateCount))
        .map { RecordUpdate(before: $0, after: $1) },
      deleted: Array(all.deleted.dropLast(updateCount))
    )
  }
}

extension HistoryFrame {
  /// Adds the former values of converted fields.
  ///
  /// - Returns: False if they are too large to be kept.
  mutating func keep(_ change: TableChange, storeIdentifier: String, _ limitBytes: Int) -> Bool {
    let bytes = try? change.formerValueBytes(storeIdentifier: storeIdentifier)
    guard let bytes, bytes.count <= limitBytes - changes.count else { return false }
    formerValues = bytes
    return true
  }

  /// Adds what leads back to the former content of the file, if it is not too large.
  mutating func keep(_ patch: [UInt8], limitBytes: Int) {
    if !isOmitted, patch.count <= limitBytes - changes.count { self.patch = patch }
  }

  /// Adds the texts that records had before the change, if they are not too large.
  mutating func keep(
    _ texts: [FormerText],
    of changes: ChangeSet,
    isDelimited: Bool,
    limitBytes: Int
  ) {
    guard !isOmitted, let fields = texts.first?.fields,
      texts.reduce(0, { $0 + $1.bytes.count }) <= limitBytes - self.changes.count
    else { return }
    let known = Dictionary(
      texts.map { ($0.record, $0.bytes) },
      uniquingKeysWith: { first, _ in first }
    )
    columns = isDelimited ? fields : []
    deletedTexts = changes.deleted.map { known[$0.persistentIdentifier] ?? [] }
    updatedTexts = changes.updated.map { known[$0.persistentIdentifier] ?? [] }
  }

  /// The texts that records had before the change, or only those that it has deleted.
  func texts(of changes: ChangeSet, onlyDeleted: Bool) -> [FormerText] {
    func pair(_ texts: [[UInt8]], _ snapshots: [DefaultSnapshot]) -> [FormerText] {
      guard texts.count == snapshots.count else { return [] }
      // Most records have values of the same kinds, which share their memory.
      var (last, kinds): ([ValueKind?], [String: ValueKind]) = ([], [:])
      return zip(texts, snapshots).filter { !$0.0.isEmpty }.map { text, snapshot in
        let names = snapshot.layout.names
        let now = snapshot.orderedValues.map(\.kind)
        if now != last || kinds.isEmpty {
          last = now
          kinds = Dictionary(
            zip(names, now).compactMap { name, kind in kind.map { (name, $0) } },
            uniquingKeysWith: { first, _ in first }
          )
        }
        return FormerText(
          record: snapshot.persistentIdentifier,
          fields: columns.isEmpty ? names : columns,
          bytes: text,
          kinds: kinds
        )
      }
    }
    let deleted = pair(deletedTexts, changes.deleted)
    return onlyDeleted ? deleted : deleted + pair(updatedTexts, changes.updated.map(\.before))
  }
}

extension HistoryFrame {
  /// Writes the frame; the schema only if it differs from that of the frame before.
  func encode(after former: [UInt8]?, to payload: inout PayloadWriter) {
    payload.append(unsigned: UInt64(token))
    LogValueCodec.append(id, to: &payload)
    payload.append(fixed: UInt64(bitPattern: microsecondsSince1970))
    payload.append(fixed: run)
    payload.append(text: store)
    payload.append(optionalText: author)
    payload.append(optionalText: message)
    for digest in [before, after] {
      payload.append(byte: digest == nil ? 0 : 1)
      guard let digest else { continue }
      payload.append(fixed: digest.low)
      payload.append(fixed: digest.high)
    }
    payload.append(byte: isOmitted ? 1 : 0)
    payload.append(sized: schema == former ? [] : schema)
    payload.append(sized: formerSchema)
    payload.append(sized: schemaChange)
    payload.append(unsigned: UInt64(schemaSteps.count))
    for step in schemaSteps { payload.append(sized: step) }
    payload.append(unsigned: UInt64(updateCount))
    payload.append(sized: changes)
    // Parts at the end are left out if they and those after them are empty.
    let keys = keys ?? (patch.isEmpty ? nil : HistoryKeys())
    if deletedTexts.isEmpty, updatedTexts.isEmpty, formerValues.isEmpty, keys == nil { return }
    payload.append(unsigned: UInt64(columns.count))
    for column in columns { payload.append(text: column) }
    payload.append(unsigned: UInt64(deletedTexts.count))
    for text in deletedTexts { payload.append(sized: text) }
    payload.append(unsigned: UInt64(updatedTexts.count))
    for text in updatedTexts { payload.append(sized: text) }
    // Earlier versions read as far as this.
    if !formerValues.isEmpty || keys != nil { payload.append(sized: formerValues) }
    guard let keys else { return }
    payload.append(sized: keys.bytes)
    payload.append(byte: earlierSigns)
    payload.append(sized: format)
    if !patch.isEmpty { payload.append(sized: patch) }
  }

  /// Reads a frame that follows one with this schema.
  init(after former: [UInt8]?, from reader: inout PayloadReader) throws(PayloadError) {
    guard let token = Int64(exactly: try reader.unsigned()), token < .max / 2 else {
      throw .badNumber
    }
    self.token = token
    id = try LogValueCodec.uuid(from: &reader)
    microsecondsSince1970 = Int64(bitPattern: try reader.fixed64())
    run = try reader.fixed64()
    store = try reader.text()
    author = try reader.optionalText()
    message = try reader.optionalText()
    before = try Self.digest(from: &reader)
    after = try Self.digest(from: &reader)
    isOmitted = try reader.byte() == 1
    let own = try reader.sized()
    guard let schema = own.isEmpty ? former : own else {
      throw PayloadError(reason: "frame without a schema")
    }
    self.schema = schema
    formerSchema = try reader.sized()
    schemaChange = try reader.sized()
    for _ in 0..<(try reader.count()) { schemaSteps.append(try reader.sized()) }
    updateCount = try reader.count()
    changes = try reader.sized()
    if reader.isAtEnd { return }
    for _ in 0..<(try reader.count()) { columns.append(try reader.text()) }
    for _ in 0..<(try reader.count()) { deletedTexts.append(try reader.sized()) }
    if reader.isAtEnd { return }
    for _ in 0..<(try reader.count()) { updatedTexts.append(try reader.sized()) }
    if !reader.isAtEnd { formerValues = try reader.sized() }
    if !reader.isAtEnd { keys = try HistoryKeys(try reader.sized()) }
    if !reader.isAtEnd { earlierSigns = try reader.byte() }
    if !reader.isAtEnd { format = try reader.sized() }
    if !reader.isAtEnd { patch = try reader.sized() }
  }

  private static func digest(from reader: inout PayloadReader) throws(PayloadError)
    -> ContentDigest?
  {
    guard try reader.byte() == 1 else { return nil }
    let low = try reader.fixed64()
    return ContentDigest(low: low, high: try reader.fixed64())
  }
}

extension PayloadWriter {
  fileprivate mutating func append(sized bytes: [UInt8]) {
    bytes.withUnsafeBytes { append(sized: $0) }
  }
}

extension PayloadReader {
  fileprivate mutating func sized() throws(PayloadError) -> [UInt8] {
    Array(try raw(try count()))
  }
}

extension ChangeSetCodec {
  /// A schema as bytes.
  static func bytes(of schema: Schema) -> [UInt8] {
    var payload = PayloadWriter()
    LogSchemaCodec.encode(schema, to: &payload)
    return payload.withContent { Array($0) }
  }

  /// Reads a schema.
  ///
  /// - Throws: `PersistenceError` with code `.damaged`.
  static func schema(_ bytes: [UInt8]) throws -> Schema {
    do {
      return try bytes.withUnsafeBytes { bytes in
        var reader = PayloadReader(bytes)
        return try LogSchemaCodec.schema(from: &reader)
      }
    } catch let error as PayloadError {
      throw PersistenceError(.damaged, "damaged history: \(error.reason)", cause: error)
    }
  }
}
