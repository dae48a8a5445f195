import OpenSwiftData

extension JSONStore {
  /// Writes an earlier content of the file, byte for byte, if it has exactly the records that the change leaves, as
  /// after the undo of one or more saves.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - present: The bytes of the file; nil if they are not known.
  ///   - session: The session.
  /// - Returns: Nil if there is none; nothing is written then.
  /// - Throws: `PersistenceError`, as a save does.
  func restore(_ change: TableChange, from present: [UInt8]?, _ session: inout Session) throws
    -> JSONSaving.Outcome?
  {
    guard let present, let version = session.version, change.newRows == nil else { return nil }
    for (bytes, content) in formerContents(matching: change, present, session) {
      let restoring = JSONRestoring(content, over: session.content, change)
      guard var outcome = restoring.outcome() else { continue }
      outcome.formerTexts = try formerTexts(change.changes, session, version)
      let restored = try replacingFile(&session) { replacement, lock, announce in
        let version = try replacement.replace(
          expecting: version,
          holding: lock,
          announce: announce
        ) { sink in try sink.write(bytes) }
        return (version, outcome)
      }
      session.content.isHeaderStale = false
      return restored
    }
    return nil
  }

  /// The contents of the file before the last saves whose former values the change brings back, the last one first.
  private func formerContents(
    matching change: TableChange,
    _ present: [UInt8],
    _ session: Session
  ) -> [(bytes: [UInt8], content: JSONContent)] {
    guard let past = session.past, var digest = session.version?.digest,
      let transactions = try? session.history.transactions(after: nil, touching: nil)
    else { return [] }
    let tokens = FormerValues(change, session.content).tokens(in: transactions)
    // A history that cannot be read has no contents.
    guard let first = tokens.min(), let frames = try? past.file.read().frames else { return [] }
    var found: [(bytes: [UInt8], content: JSONContent)] = []
    var bytes = present
    for frame in frames.reversed() where frame.store == identifier && frame.after == digest {
      guard frame.token >= first, let before = frame.before,
        let former = ContentPatch.content(frame.patch, from: bytes),
        former.withUnsafeBytes(ContentDigest.init(of:)) == before
      else { break }
      (bytes, digest) = (former, before)
      guard tokens.contains(frame.token) else { continue }
      // What can no longer be read is not restored.
      if let content = try? opening(session).content(of: bytes) { found.append((bytes, content)) }
    }
    return found
  }

  /// The bytes of the file; nil if it is too large for a patch, or not as it was read or written last.
  func presentBytes(_ session: Session) -> [UInt8]? {
    guard let version = session.version, version.status.sizeBytes <= ContentPatch.limitBytes,
      // The save itself reports what is wrong with the file.
      let bytes = try? readBytes()
    else { return nil }
    return bytes.withUnsafeBytes(ContentDigest.init(of:)) == version.digest ? bytes : nil
  }

  private func readBytes() throws -> [UInt8] {
    let fileSystem = configuration.fileSystem
    let path = try retrying { () throws(FileSystemError) in
      try fileSystem.resolve(configuration.path)
    }
    let (file, _) = try fileSystem.openRegular(path, in: nil, .read)
    defer { fileSystem.closeQuietly(file) }
    return try fileSystem.readAll(file, limitBytes: ContentPatch.limitBytes).copy()
  }

  /// The texts of the records that a change deletes or changes.
  private func formerTexts(_ changes: ChangeSet, _ session: Session, _ version: FileVersion) throws
    -> [FormerText]
  {
    guard changes.updated.count <= TextMemory.limitOfUpdates else { return [] }
    let document = session.content.document
    let records = changes.deleted + changes.updated.map(\.before)
    let kinds = session.content.table.schema.entitiesByName.mapValues { entity in
      Dictionary(uniqueKeysWithValues: entity.fields.map { ($0.name, $0.type.kind) })
    }
    return try withSource(version, as: document) { source in
      var reader = JSONRangeReader(source)
      return try records.compactMap { record in
        let identifier = record.persistentIdentifier
        guard let place = document.section(of: identifier.entityName),
          let row = session.content.table.row(of: identifier),
          let entity = session.content.table.schema.entitiesByName[identifier.entityName]
        else { return nil }
        let section = document.sections[place]
        guard section.isWritten(row), !section.rowsWithoutIdentifier.contains(Int32(row)) else {
          return nil
        }
        return FormerText(
          record: identifier,
          fields: document.format.fields(of: entity),
          bytes: try reader.withBytes(in: section.range(ofRow: row)) { Array($0) },
          kinds: kinds[entity.name] ?? [:]
        )
      }
    }
  }
}

/// Tells whether a change brings back the values that records had before earlier transactions.
private struct FormerValues {
  private let change: TableChange
  private let table: RecordTable
  private let spelling: FileSpelling

  init(_ change: TableChange, _ content: JSONContent) {
    self.change = change
    table = content.table
    spelling = FileSpelling(options: content.document.format.dialect?.forms.options)
  }

  /// More transactions are not looked at.
  private static let lookedAtCount = 16

  /// The tokens of the transactions before which the records had the values that the change gives them.
  func tokens(in transactions: [Transaction]) -> Set<Int64> {
    let present = values
    var former: [PersistentIdentifier: DefaultSnapshot?] = [:]
    var tokens: Set<Int64> = []
    var changesSchema = change.schema != nil
    for transaction in transactions.suffix(Self.lookedAtCount).reversed() {
      if transaction.isExternal || transaction.isIncomplete { break }
      let changes = transaction.changes
      for update in changes.updated { former[update.persistentIdentifier] = update.before }
      for record in changes.inserted { former[record.persistentIdentifier] = .some(nil) }
      for record in changes.deleted { former[record.persistentIdentifier] = record }
      if transaction.changesSchema { changesSchema = true }
      let isTouched = present.keys.allSatisfy { former[$0] != nil }
      guard isTouched else { continue }
      // Fields with other names have no values to compare.
      if changesSchema || hasValues(former, present) { tokens.insert(transaction.token) }
    }
    return tokens
  }

  /// The records of the change with their new values; nil for deleted ones.
  private var values: [PersistentIdentifier: DefaultSnapshot?] {
    var values: [PersistentIdentifier: DefaultSnapshot?] = [:]
    for update in change.changes.updated { values[update.persistentIdentifier] = update.after }
    for record in change.changes.inserted { values[record.persistentIdentifier] = record }
    for record in change.changes.deleted { values[record.persistentIdentifier] = .some(nil) }
    return values
  }

  private func hasValues(
    _ former: [PersistentIdentifier: DefaultSnapshot?],
    _ present: [PersistentIdentifier: DefaultSnapshot?]
  ) -> Bool {
    former.allSatisfy { identifier, record in
      let now = present[identifier] ?? snapshot(identifier)
      return record.map(spelling.values) == now.map(spelling.values)
    }
  }

  /// The record in the table, which the change leaves as it is.
  private func snapshot(_ identifier: PersistentIdentifier) -> DefaultSnapshot? {
    // A table that cannot be read has no former values.
    (try? table.snapshots(for: [identifier], attributes: nil))?[identifier]
  }
}
