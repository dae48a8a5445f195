import OpenSwiftData
import SQL

/// What differs between our own databases and those of other programs.
///
/// Everything else is the same for both: `SQLiteReader` reads records, `SQLiteWriter` writes them, and `SQLiteSession`
/// runs the transaction around a save.
protocol SQLiteDatabase: AnyObject, SQLitePart {
  var keys: NewKeys { get }
  /// True until the file exists.
  var isUnwritten: Bool { get }
  /// The number of the last transaction that was seen.
  var lastToken: Int64 { get }
  /// The number of the last change of the schema that was seen; 0 if they have none.
  var schemaToken: Int64 { get }
  /// True if the database makes values by itself, so that a save reads what became of its records.
  var makesValues: Bool { get }
  /// True if foreign keys, triggers or replaced rows may change more than the records of a save.
  var mayChangeOthers: Bool { get }
  /// What a user has to know about the opening, one line each.
  var notes: [String] { get }

  /// Sets what concerns a connection, not the file.
  func configure() throws
  /// Reads which tables there are.
  func load() throws
  /// Prepares for a call of the store.
  func begin(isSaving: Bool)
  /// Describes the tables again after a statement has found something that they did not tell; throws the error if it is
  /// anything else.
  ///
  /// - Returns: True if fields may have other types now.
  func adapt(to error: any Error) throws -> Bool
  /// Takes in what other programs have saved.
  func takeIn() throws -> StoreChange?
  /// Looks for values that are not of the form of their column, in the records of a query.
  func settleTypes(for query: Query) throws

  /// Runs a body that writes; creates the file if there is none yet.
  func creatingFile<Result>(_ body: () throws -> Result) throws -> Result
  /// Begins a save in its transaction, unless another program has changed the schema.
  func prepareToWrite() throws
  /// The changes as they are after `adapt(to:)`.
  func widened(_ changes: ChangeSet) -> ChangeSet
  /// Gives new records permanent identifiers.
  func assignIdentifiers(_ changes: ChangeSet) throws -> (ChangeSet, IdentifierMap)
  /// Refuses a save after which a record refers to one that does not exist.
  func checkReferences(_ changes: ChangeSet) throws
  /// What foreign keys would change with the records of a save.
  func cascades(of changes: ChangeSet) throws -> SideEffects

  /// Writes a save to the history, in its transaction.
  func record(_ entry: inout HistoryEntry) throws
  /// Takes note of a save after its transaction, and returns the number of the last one.
  func noteSave(_ entry: HistoryEntry) -> Int64
  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  func deleteTransactions(_ tokens: Set<Int64>) throws
  /// Checks whether a save was written; nil if that cannot be determined.
  func isSaved(_ entry: HistoryEntry) throws -> Bool?
  /// What shows later that a save was made.
  func trace(of entry: HistoryEntry) -> SaveTrace
  /// Checks whether a save with this trace was made; nil if that cannot be determined.
  func holds(_ trace: SaveTrace) throws -> Bool?

  /// Refuses a change of the schema that this database does not allow.
  func checkAllows(_ change: SchemaChange?) throws
  /// A change of the schema, to be carried out in a save.
  func tableChange(_ change: SchemaChange, steps: [SchemaStep]) throws -> OwnTableChange
  /// What is wrong with the values and the history, one line each.
  func problems() throws -> [String]
  func compact() throws -> String
  /// What a database has besides records, one line each.
  func partsBesidesRecords() throws -> [String]
}

extension SQLiteDatabase {
  var notes: [String] { [] }
  func begin(isSaving: Bool) {}
  func settleTypes(for query: Query) throws {}
  func creatingFile<Result>(_ body: () throws -> Result) throws -> Result { try body() }
  func widened(_ changes: ChangeSet) -> ChangeSet { changes }
  func checkReferences(_ changes: ChangeSet) throws {}
  func cascades(of changes: ChangeSet) throws -> SideEffects { SideEffects() }
  func record(_ entry: inout HistoryEntry) throws {}
  func checkAllows(_ change: SchemaChange?) throws {}
  func problems() throws -> [String] { [] }
  func partsBesidesRecords() throws -> [String] { [] }
}
