import Foundation
import OpenSwiftData

/// What the history tells about a transaction besides its changes: the message of the save, and the single changes of
/// the schema in the order in which they were made.
///
/// It precedes the transaction in a frame of its own, which readers of earlier versions skip.
struct LogNote: Hashable, Sendable {
  /// The identifier of the transaction.
  let transaction: UUID
  var message: String?
  var schemaSteps: [SchemaChange]

  /// The note of a change; nil if there is nothing to tell.
  init?(_ change: TableChange, transaction: UUID) {
    guard change.message != nil || !change.schemaSteps.isEmpty else { return nil }
    self.transaction = transaction
    message = change.message
    schemaSteps = change.schemaSteps
  }

  /// Reads the payload of a frame.
  ///
  /// - Throws: `PayloadError`.
  init(from reader: inout PayloadReader) throws {
    transaction = try LogValueCodec.uuid(from: &reader)
    message = try reader.optionalText()
    schemaSteps = []
    while !reader.isAtEnd { schemaSteps.append(try LogSchemaCodec.change(from: &reader)) }
  }

  func encode(to payload: inout PayloadWriter) {
    LogValueCodec.append(transaction, to: &payload)
    payload.append(optionalText: message)
    for step in schemaSteps { LogSchemaCodec.encode(step, to: &payload) }
  }
}

extension LogFrameWriter {
  /// Writes a note, before its transaction.
  func write(_ note: LogNote) throws {
    append { note.encode(to: &$0) }
    try finish(.note)
  }
}

extension LogContent {
  /// Adds the note of a transaction that follows; ignores one that cannot be read, since no record depends on it.
  mutating func addNote(_ reader: inout PayloadReader) {
    guard let note = try? LogNote(from: &reader) else { return }
    notes[note.transaction] = note
  }
}
