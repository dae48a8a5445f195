import Foundation
import OpenSwiftData

/// What the history tells about a transaction besides its changes: the message of the save, and the single changes of
/// the schema in the order in which they were made, and the former values of converted fields.
///
/// It precedes the transaction in a frame of its own, or two if there are such values. Readers of earlier versions skip it,
/// unless it names conversions of fields.
struct LogNote: Hashable, Sendable {
  /// The identifier of the transaction.
  let transaction: UUID
  var message: String?
  var steps: [SchemaStep] = []
  /// The former values of converted fields; empty if there are none.
  var formerValues: [UInt8] = []

  /// The note of a change; nil if there is nothing to tell.
  ///
  /// - Throws: As `ChangeSetCodec.encode(_:)`.
  init?(_ change: TableChange, transaction: UUID, storeIdentifier: String) throws {
    let formerValues = try change.formerValueBytes(storeIdentifier: storeIdentifier)
    guard change.message != nil || !change.steps.isEmpty || !formerValues.isEmpty else {
      return nil
    }
    self.transaction = transaction
    message = change.message
    // Larger ones would not fit into a frame; without them, a reversion leaves the values as they are.
    let fits = formerValues.count <= LogFormat.payloadLimit / 2
    (steps, self.formerValues) =
      fits ? (change.steps, formerValues) : (change.steps.withoutConversions, [])
  }

  /// Reads the payload of a frame, which names the conversions or has the steps that stood for them.
  ///
  /// - Throws: `PayloadError`.
  init(from reader: inout PayloadReader, namesConversions: Bool) throws {
    transaction = try LogValueCodec.uuid(from: &reader)
    var values = reader
    if try values.unsigned() == Self.valuesMark {
      formerValues = Array(try values.raw(values.remaining))
      return
    }
    message = try reader.optionalText()
    while !reader.isAtEnd { steps.append(try LogSchemaCodec.step(from: &reader)) }
    if !namesConversions { steps = steps.namingConversions }
  }

  func encode(to payload: inout PayloadWriter) {
    LogValueCodec.append(transaction, to: &payload)
    payload.append(optionalText: message)
    for step in steps { LogSchemaCodec.encode(step, to: &payload) }
  }

  func encodeValues(to payload: inout PayloadWriter) {
    LogValueCodec.append(transaction, to: &payload)
    payload.append(unsigned: Self.valuesMark)
    formerValues.withUnsafeBytes { payload.append(raw: $0) }
  }

  /// Stands where other notes have the size of the message.
  ///
  /// Earlier versions cannot read it, and ignore the frame.
  private static let valuesMark = UInt64.max
}

extension LogFrameWriter {
  /// Writes the frames of a note, before its transaction.
  func write(_ note: LogNote) throws {
    append { note.encode(to: &$0) }
    try finish(note.steps.needNames ? .conversionNote : .note)
    guard !note.formerValues.isEmpty else { return }
    append { note.encodeValues(to: &$0) }
    try finish(.note)
  }
}

extension LogContent {
  /// Adds the note of a transaction that follows; ignores one that cannot be read, since no record depends on it.
  mutating func addNote(_ reader: inout PayloadReader, namesConversions: Bool) {
    guard var note = try? LogNote(from: &reader, namesConversions: namesConversions) else { return }
    if !note.formerValues.isEmpty, let known = notes[note.transaction] {
      (note.message, note.steps) = (known.message, known.steps)
    }
    notes[note.transaction] = note
  }
}
