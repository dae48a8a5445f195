package import OpenSwiftData

/// Change sets as bytes, in the form of the items of a log, for the history of other stores.
package struct ChangeSetCodec: Sendable {
  private let schema: LogSchema

  /// Prepares the codec for the records of a schema.
  package init(_ schema: Schema, storeIdentifier: String) {
    self.schema = LogSchema(schema, storeIdentifier: storeIdentifier)
  }

  /// The bytes of changes with permanent identifiers.
  ///
  /// - Throws: `PersistenceError` with code `.unknownEntity`.
  /// - Complexity: O(n) in the size of the values.
  package func encode(_ changes: ChangeSet) throws -> [UInt8] {
    var payload = PayloadWriter()
    var items = LogItemEncoder(schema)
    for snapshot in changes.deleted { try items.append(LogItem.delete, snapshot, to: &payload) }
    for update in changes.updated { _ = try update.append(to: &payload, by: &items) }
    for snapshot in changes.inserted { try items.append(LogItem.insert, snapshot, to: &payload) }
    return payload.withContent { Array($0) }
  }

  /// Reads changes; the snapshots of an update have its changed values only.
  ///
  /// - Throws: `PersistenceError` with code `.damaged`.
  package func decode(_ bytes: [UInt8]) throws -> ChangeSet {
    do {
      return try bytes.withUnsafeBytes { try read(PayloadReader($0)) }
    } catch let error as PayloadError {
      throw PersistenceError(.damaged, "damaged history: \(error.reason)", cause: error)
    }
  }

  private func read(_ payload: PayloadReader) throws -> ChangeSet {
    var reader = payload
    var items = LogItemDecoder(schema)
    var changes = ChangeSet()
    while let start = try items.next(&reader) {
      try items.read(start, into: &changes, &reader)
    }
    return changes
  }
}

extension ChangeSetCodec {
  /// A change of the schema as bytes, with the changes that it combines; of a replacement, the new schema and the origin
  /// of the values.
  package func encode(_ change: SchemaChange, steps: [SchemaStep]) -> [UInt8] {
    var payload = PayloadWriter()
    if case .replaceSchema(let replacement) = change {
      payload.append(byte: steps.needNames ? Self.namedStepsMark : 0)
      LogSchemaCodec.encode(replacement, from: schema.schema, to: &payload)
      for step in steps { LogSchemaCodec.encode(step, to: &payload) }
    } else {
      payload.append(byte: 1)
      LogSchemaCodec.encode(change, to: &payload)
    }
    return payload.withContent { Array($0) }
  }

  /// Reads a change of this schema.
  ///
  /// - Throws: `PersistenceError` with code `.damaged`.
  package func schemaChange(_ bytes: [UInt8]) throws -> SchemaChange {
    try schemaChanges(bytes).change
  }

  /// Reads a change of this schema, and the changes that it combines.
  ///
  /// - Throws: `PersistenceError` with code `.damaged`.
  package func schemaChanges(_ bytes: [UInt8]) throws -> (
    change: SchemaChange, steps: [SchemaStep]
  ) {
    do {
      return try bytes.withUnsafeBytes { bytes in
        var reader = PayloadReader(bytes)
        let mark = try reader.byte()
        if mark == 1 { return (try LogSchemaCodec.change(from: &reader), []) }
        let former = schema.schema
        let whole = try LogSchemaCodec.replacement(from: &reader, former: former)
        var steps: [SchemaStep] = []
        while !reader.isAtEnd { steps.append(try LogSchemaCodec.step(from: &reader)) }
        if mark != Self.namedStepsMark { steps = steps.namingConversions }
        return (.replaceSchema(whole), steps)
      }
    } catch let error as PayloadError {
      throw PersistenceError(.damaged, "damaged history: \(error.reason)", cause: error)
    }
  }

  /// Precedes a replacement whose steps name the conversions.
  private static let namedStepsMark: UInt8 = 2
}

extension [SchemaStep] {
  /// True for steps that earlier versions cannot read, or would take for a conversion.
  var needNames: Bool { self != namingConversions || contains { $0.conversion != nil } }
}

// MARK: Former values of converted fields

extension ChangeSetCodec {
  /// The values of fields that a change of the schema replaces, as bytes.
  ///
  /// - Throws: `PersistenceError` with code `.unknownEntity`.
  package static func bytes(
    of values: [DefaultSnapshot],
    _ fields: ReplacedFields,
    storeIdentifier: String
  ) throws -> [UInt8] {
    if values.isEmpty { return [] }
    return try ChangeSetCodec(fields.former, storeIdentifier: storeIdentifier)
      .encode(ChangeSet(deleted: values))
  }
}

extension Transaction {
  /// Takes the values of the fields that its change of the schema replaces.
  ///
  /// - Throws: `PersistenceError` with code `.damaged`.
  package mutating func takeFormerValues(_ bytes: [UInt8], storeIdentifier: String) throws {
    guard !bytes.isEmpty, let fields = replacedFields else { return }
    formerValues = try ChangeSetCodec(fields.former, storeIdentifier: storeIdentifier)
      .decode(bytes).deleted
  }
}

extension TableChange {
  /// The former values of converted fields as bytes; none if there are none.
  ///
  /// - Throws: As `ChangeSetCodec.encode(_:)`.
  func formerValueBytes(storeIdentifier: String) throws -> [UInt8] {
    guard let fields = replacedFields else { return [] }
    return try ChangeSetCodec.bytes(of: formerValues, fields, storeIdentifier: storeIdentifier)
  }
}
