import Foundation
import OpenSwiftData

/// The content of a reference store as a value: its records and its history.
struct ReferenceContents: Sendable {
  private(set) var records: StoredRecords
  var history: SessionHistory
  private var random: SeededGenerator

  init(schema: Schema, configuration: ReferenceStoreConfiguration) throws {
    history = SessionHistory(configuration.historyLimit)
    random = SeededGenerator(seed: configuration.seed)
    let start = random.next()
    records = try StoredRecords(
      schema: schema,
      storeIdentifier: configuration.name,
      models: configuration.schema,
      keys: RecordKeyGenerator(milliseconds: { 1 }, random: { start })
    )
  }

  /// Changes the schema, then the records, and adds both to the history; changes nothing if it throws.
  mutating func commit(
    _ changes: ChangeSet,
    after change: SchemaChange? = nil,
    author: String?,
    at time: Date
  ) throws -> CommitResult {
    var result = try records.commit(changes, after: change)
    result.token = history.append(
      changes.remapped(result.remappedIdentifiers),
      schemaChange: change,
      author: author,
      id: random.uuid(),
      at: time
    )
    return result
  }
}
