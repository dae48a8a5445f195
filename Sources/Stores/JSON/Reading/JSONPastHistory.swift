import Foundation
import OpenSwiftData

/// The transactions of a JSON store that earlier runs have made, and the file that keeps them.
struct JSONPastHistory: Sendable {
  let file: HistoryFile
  /// Marks the identifiers of this run.
  let run: UInt64
  /// The options by which the file is read, as text.
  private let reading: String
  /// The content of the store's file when it was opened; nil if it did not exist.
  private let openingDigest: ContentDigest?
  /// When the store's file was last written before it was opened.
  private let openingTime: Date
  /// The size of the history when the store was opened: what follows was saved since.
  private let openingSizeBytes: Int
  /// The name of the entity of a file without entity names; nil for other files.
  private let onlyEntity: String?
  /// The frames that were in the file then; nil until they are read.
  private(set) var frames: [HistoryFrame]?
  /// True if the transactions are in the history of the session.
  fileprivate(set) var isLoaded = false
  /// True if the user was told that the history cannot be kept.
  var hasNotedFailure = false

  /// The history of a store that has just been opened; nil if none is kept.
  init?(_ configuration: JSONStoreConfiguration, _ version: FileVersion?) {
    guard let path = configuration.historyPath, configuration.text == nil else { return nil }
    file = HistoryFile(
      fileSystem: configuration.fileSystem,
      path: path,
      limit: configuration.historyLimit
    )
    run = configuration.random()
    reading = configuration.reading.text
    onlyEntity = configuration.isFlat ? configuration.entityName : nil
    openingDigest = version?.digest
    let nanoseconds = version?.status.modifiedNanoseconds ?? 0
    openingTime = Date(timeIntervalSince1970: Double(nanoseconds / 1000) / 1e6)
    openingSizeBytes = file.sizeBytes
  }

  /// Reads the frames, unless that was done before; a file that cannot be read has none.
  mutating func attach(storeIdentifier: String) {
    guard frames == nil else { return }
    // A file that did not exist has no past, whatever had its name before; nor has one without a history then.
    guard openingDigest != nil, openingSizeBytes > 0, let content = try? file.read() else {
      frames = []
      return
    }
    let early = zip(content.frames, content.ends).filter { $1 <= openingSizeBytes }.map(\.0)
    // Another program may have shortened the file since.
    frames = (early.isEmpty ? content.frames : early).filter { $0.store == storeIdentifier }
  }

  /// The token that was used last before the store was opened.
  var lastToken: Int64 {
    guard let last = frames?.last else { return 0 }
    return last.token + (last.after == openingDigest ? 0 : 1)
  }

  /// The transactions in the frames, and a mark for each change of the file in between.
  ///
  /// - Throws: `PersistenceError` with code `.damaged`.
  func transactions() throws -> [PastTransaction] {
    var result: [PastTransaction] = []
    var former: HistoryFrame?
    for frame in frames ?? [] {
      var transaction = try frame.transaction(onlyEntity: onlyEntity)
      if let own = frame.keys?.reading, own != reading { transaction.otherReading = own }
      if let former, former.after != frame.before, frame.token > former.token + 1 {
        let mark = Self.mark(frame.token - 1, transaction.timestamp)
        result.append(PastTransaction(transaction: mark, run: frame.run))
      }
      var keys = frame.keys
      if let onlyEntity { keys?.rename(to: onlyEntity) }
      result.append(PastTransaction(transaction: transaction, run: frame.run, keys: keys))
      former = frame
    }
    if let former, former.after != openingDigest {
      let mark = Self.mark(former.token + 1, openingTime)
      result.append(PastTransaction(transaction: mark, run: former.run))
    }
    return result
  }

  /// Stands for a change of the file that the history does not know.
  private static func mark(_ token: Int64, _ time: Date) -> Transaction {
    var mark = Transaction(
      token: token,
      id: UUID(randomHigh: UInt64(token), low: time.timeIntervalSince1970.bitPattern),
      timestamp: time,
      author: nil,
      changes: ChangeSet()
    )
    (mark.isExternal, mark.isIncomplete) = (true, true)
    return mark
  }

  /// The entities after the last save, if the file is as that save left it.
  var formerEntities: [Schema.Entity] {
    guard let last = frames?.last, last.after == openingDigest,
      // A schema that cannot be read comes from a later version.
      let schema = try? ChangeSetCodec.schema(last.schema)
    else { return [] }
    return schema.entities
  }

  /// The entity of the object of records that the last save has written; nil if it has written something else.
  var namedEntity: Schema.Entity? {
    guard let last = frames?.last, case .json(.named)? = try? TextFormat(keptBytes: last.format)
    else { return nil }
    return (try? ChangeSetCodec.schema(last.schema))?.entities.first
  }

  /// The fields that an entity had after the last save, if the file is as that save left it.
  func fields(of entity: String) -> [Schema.Attribute] {
    let former =
      onlyEntity == nil ? formerEntities.first { $0.name == entity } : formerEntities.first
    return former?.fields ?? []
  }

  /// The format in which the last save has written the file, if it is as that save left it, and read as then.
  func format(of version: FileVersion?, over present: TextFormat) -> TextFormat? {
    guard let last = frames?.last, last.after == version?.digest, last.keys?.reading == reading
    else { return nil }
    return last.format(over: present)
  }

  /// Removes the history of a file that had the name of the store, which has been created now.
  func forgetFormerFile() {
    // If that fails, the transactions are separated from later ones by a change of the file.
    guard openingDigest == nil else { return }
    try? file.remove { _ in true }
  }
}

extension JSONStore.Session {
  /// Makes the tokens of this run follow those of earlier runs.
  mutating func attachHistory() {
    guard past != nil, past?.frames == nil else { return }
    past?.attach(storeIdentifier: content.table.storeIdentifier)
    history.skip(to: past?.lastToken ?? 0)
  }

  /// Gives entities whose records an earlier run has deleted, all of them, the fields that they had: a file without
  /// records shows none, and undoing the save needs them.
  mutating func adoptFormerFields() {
    let format = content.document.format
    let entities = content.table.schema.entities
    guard entities.isEmpty || entities.contains(where: \.fields.isEmpty), past != nil,
      !format.isCatalog
    else { return }
    attachHistory()
    if entities.isEmpty {
      if let entity = past?.namedEntity { content.takeNamedRecords(of: entity) }
      return
    }
    let steps = entities.filter(\.fields.isEmpty).flatMap { entity in
      (past?.fields(of: entity.name) ?? []).map { field in
        SchemaStep.addAttribute(entity: entity.name, field, at: nil)
      }
    }
    // Fields that do not fit are not needed to read the file.
    if let table = try? content.table.staged(steps) { content.table = table }
  }

  /// Reads the transactions of earlier runs, which then belong to the history.
  ///
  /// Without identifiers in the file, records are found by their values.
  package mutating func loadHistory() {
    attachHistory()
    guard let past, !past.isLoaded else { return }
    self.past?.isLoaded = true
    // Frames whose checksums are right were written by this program; one that it cannot read comes from a later version.
    guard var found = try? past.transactions() else { return }
    // If some of them were discarded, it can no longer be known which records earlier ones changed.
    guard let own = try? history.transactions(after: past.lastToken, touching: nil) else { return }
    if !content.document.format.isCatalog {
      let dialect = content.document.format.dialect
      var identifiers = FormerIdentifiers(
        content.table,
        found.map(\.transaction),
        FileSpelling(options: dialect?.forms.options)
      )
      for transaction in own.reversed() {
        guard (try? identifiers.follow(transaction, of: past.run)) != nil else { return }
      }
      for place in found.indices.reversed() {
        guard let resolved = try? identifiers.resolve(found[place]) else { return }
        found[place].transaction = resolved
      }
      for (entity, number) in identifiers.greatestNumbers.sorted(by: { $0.key < $1.key }) {
        content.table.note(greatestNumber: number, of: entity)
      }
      matching.add(identifiers.doubts, newcomers: identifiers.newcomers)
    }
    restoreTexts(of: found.map(\.transaction))
    history.prepend(found.map(\.transaction))
  }

  /// Lets a file keep the format in which an earlier run has saved it, if that can hold the values of a change: without
  /// its records, a file does not show its delimiter, its encoding, or that it has no header.
  mutating func keepFormat(for change: TableChange) {
    guard past != nil, change.newRows == nil, change.schema == nil,
      let dialect = content.document.format.dialect
    else { return }
    attachHistory()
    guard let former = past?.format(of: version, over: content.document.format)?.dialect,
      let kept = dialect.kept(as: former), (try? kept.check(change.changes, path: "")) != nil,
      !dialect.columns.isEmpty || kept.columns == content.table.schema.entities.first?.layout.names
    else { return }
    content.document.format = .separated(kept)
  }
}

extension JSONStore.Session {
  /// Keeps the texts of records before earlier runs deleted them, and, unless another program has changed the file since,
  /// before they changed them.
  ///
  /// In the text of a changed record another program may have changed what no field shows.
  fileprivate mutating func restoreTexts(of transactions: [Transaction]) {
    let frames = past?.frames ?? []
    // Other transactions are marks of changes by other programs.
    let last = transactions.last { $0.isExternal }?.token ?? 0
    let changes = Dictionary(
      transactions.map { ($0.token, $0.changes) },
      uniquingKeysWith: { first, _ in first }
    )
    memory.keep(
      earlier: frames.compactMap { frame in
        let isChanged = readCount > 0 || frame.token < last
        return changes[frame.token].map { frame.texts(of: $0, onlyDeleted: isChanged) }
      }
    )
  }
}

// MARK: Keeping

extension JSONStore {
  package var lastEarlierToken: Int64? {
    withSession { session in
      session.attachHistory()
      return session.past?.lastToken
    }
  }
}

extension JSONStore {
  package var keepsHistoryWhenClosed: Bool { configuration.historyPath != nil }

  package var historyPath: String? { configuration.historyPath }

  /// Adds a saved change to the history, and to its file.
  ///
  /// - Returns: The token of the transaction.
  func record(
    _ change: TableChange,
    replacing before: ContentDigest?,
    _ texts: [FormerText] = [],
    _ keys: HistoryKeys? = nil,
    _ patch: [UInt8] = [],
    _ session: inout Session
  ) -> Int64 {
    let time = configuration.now()
    let id = UUID(randomHigh: configuration.random(), low: configuration.random())
    let changes = change.allChanges
    if session.past != nil {
      session.attachHistory()
      var draft = frame(change, changes, id, time, before, session)
      draft.keys = keys
      if keys != nil, !draft.isOmitted {
        let records = changes.inserted.lazy.map(\.persistentIdentifier)
        let changed = changes.updated.lazy.map(\.persistentIdentifier)
        for (record, count) in session.copies(of: Array(records) + Array(changed)) {
          guard let number = record.numberKey else { continue }
          draft.keys?.copies[record.entityName, default: [:]][number] = count
        }
      }
      draft.format = session.content.document.format.keptBytes
      draft.keep(
        texts,
        of: changes,
        isDelimited: configuration.form == .delimited,
        limitBytes: configuration.historyLimit.sizeBytes / 2
      )
      draft.keep(patch, limitBytes: configuration.historyLimit.sizeBytes / 2)
      keep(draft, &session)
    }
    let token = session.history.append(
      changes,
      schemaChange: change.schema?.change,
      formerSchema: change.schema?.former,
      author: change.author,
      message: change.message,
      id: id,
      at: time
    )
    session.history.add(change.steps, formerValues: change.formerValues)
    return token
  }

  /// The frame of a saved change, without its token.
  private func frame(
    _ change: TableChange,
    _ changes: ChangeSet,
    _ id: UUID,
    _ time: Date,
    _ before: ContentDigest?,
    _ session: Session
  ) -> HistoryFrame {
    let schema = session.content.table.schema
    let store = session.content.table.storeIdentifier
    var frame = HistoryFrame(
      token: 0,
      id: id,
      microsecondsSince1970: Int64((time.timeIntervalSince1970 * 1e6).rounded()),
      run: session.past?.run ?? 0,
      store: store,
      author: change.author,
      message: change.message,
      before: before,
      after: session.version?.digest,
      schema: ChangeSetCodec.bytes(of: schema)
    )
    func keep(_ steps: [SchemaStep]) {
      guard let part = change.schema else { return }
      let codec = ChangeSetCodec(part.former, storeIdentifier: store)
      frame.formerSchema = ChangeSetCodec.bytes(of: part.former)
      frame.schemaChange = codec.encode(part.change, steps: steps)
    }
    keep(change.steps)
    let all = ChangeSet(
      inserted: changes.inserted + changes.updated.map(\.after),
      deleted: changes.deleted + changes.updated.map(\.before)
    )
    let codec = ChangeSetCodec(schema, storeIdentifier: store)
    let isSmall = changes.count <= configuration.historyLimit.sizeBytes / Self.leastRecordBytes
    if isSmall, let bytes = try? codec.encode(all),
      bytes.count <= configuration.historyLimit.sizeBytes / 2
    {
      (frame.changes, frame.updateCount) = (bytes, changes.updated.count)
      let limit = configuration.historyLimit.sizeBytes / 2
      if !frame.keep(change, storeIdentifier: store, limit) {
        keep(change.steps.withoutConversions)
      }
    } else {
      frame.isOmitted = true
    }
    return frame
  }

  /// A record in the history has at least this size.
  private static let leastRecordBytes = 8

  /// Writes a frame to the history; a failure is a note, because the save itself was successful.
  private func keep(_ draft: HistoryFrame, _ session: inout Session) {
    guard let file = session.past?.file else { return }
    var token = session.history.lastToken + 1
    do {
      let wasDamaged = try file.append(isFresh: draft.before == nil) { frames in
        if let last = frames.last {
          token = max(token, last.token + (last.after == draft.before ? 1 : 2))
        }
        var frame = draft
        frame.token = token
        return frame
      }
      if wasDamaged {
        session.savingNotes.append(
          "history was damaged; the damaged file is now \(file.path).damaged"
        )
      }
    } catch {
      if session.past?.hasNotedFailure == false {
        session.past?.hasNotedFailure = true
        session.savingNotes.append(
          "saved, but not in the history of earlier saves: \(PersistenceError.reporting(error))"
        )
      }
    }
    session.history.skip(to: token - 1)
  }
}
