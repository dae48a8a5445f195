package import OpenSwiftData

extension JSONStore {
  /// Replaces the file; changes of other programs were applied before, and the save is based on
  /// them.
  ///
  /// In a file that is not a catalog, new entities and fields stay in memory until a record uses
  /// them.
  ///
  /// - Throws: `PersistenceError`; `.conflict` if another program changed the same values, or
  ///   removed the file. Nothing is written then, except perhaps after `.outcomeUnknown`.
  /// - Complexity: O(size of the file), most of it copying.
  package func save(_ change: TableChange, _ session: inout Session) throws -> Int64 {
    let before = session.version?.digest
    var keys = session.historyKeys(of: change)
    keys?.reading = configuration.reading.text
    let former = session.past == nil ? nil : presentBytes(session)
    let outcome: JSONSaving.Outcome?
    if let restored = try restore(change, from: former, &session) {
      outcome = restored
    } else {
      outcome = try writeInKeptFormat(change, &session)
      if let replacement = change.schema?.replacement {
        session.content.document.renameBareCells(replacement)
      }
    }
    change.apply(to: &session.content.table)
    // The values are in the file now.
    session.typesBeside = [:]
    if let outcome {
      note(change.changes.inserted, outcome, &session)
      session.memory.keep(outcome.formerTexts)
    }
    session.content.checkInvariantsWhenSmall()
    session.matching.noteSave(session.content.table)
    let texts = outcome?.formerTexts ?? []
    let patch = former.map { self.patch(leadingTo: $0, session) } ?? []
    return record(change, replacing: before, texts, keys, patch, &session)
  }

  /// What leads from the file after a save back to its content before; empty if that is not known.
  private func patch(leadingTo former: [UInt8], _ session: Session) -> [UInt8] {
    guard let present = presentBytes(session) else { return [] }
    return ContentPatch.bytes(leadingTo: former, from: present)
  }

  /// Rewrites the file in the format in which an earlier run has saved it; if it would then not be read so, in the one
  /// that it shows now.
  private func writeInKeptFormat(_ change: TableChange, _ session: inout Session) throws
    -> JSONSaving.Outcome?
  {
    let shown = session.content.document.format
    session.keepFormat(for: change)
    let kept = session.content.document.format
    do {
      return try write(change, &session)
    } catch let error as PersistenceError
      where error.code == .unsupported && kept.dialect != shown.dialect
    {
      session.content.document.format = shown
      return try write(change, &session)
    } catch {
      session.content.document.format = shown
      throw error
    }
  }

  /// Rewrites the file, unless its text stays the same.
  private func write(_ change: TableChange, _ session: inout Session) throws -> JSONSaving.Outcome?
  {
    let document = session.content.document
    let isCatalog = document.format.isCatalog
    var migration: JSONMigrationPlan?
    if let schema = change.schema {
      if let version = session.version {
        let plan = try withSource(version, as: document) {
          try JSONMigrationPlan(schema, document, $0)
        }
        if !isCatalog, change.changes.isEmpty, plan.isEmpty { return nil }
        migration = plan
      } else if !change.isSave {
        return nil
      }
    }
    let schema = change.schema?.schema ?? session.content.table.schema
    let hasHeader = isCatalog && session.version != nil
    let writesHeader = hasHeader && (change.schema != nil || session.content.isHeaderStale)
    var header =
      writesHeader
      ? JSONHeader.text(store: identifier, schema: schema, keeping: document.headerExtras) : nil
    var formerHeader: [UInt8]?
    if let columns = migration?.columns, let dialect = document.format.dialect,
      let range = document.header, let version = session.version
    {
      let former = try withSource(version, as: document) { try $0.bytes(in: range) }
      header =
        session.memory.headers[columns.columns] ?? dialect.headerText(columns, former: former)
      formerHeader = former
    }
    let memory = session.memory
    let outcome = try replaceFile(&session, schema: schema) { document, table in
      try JSONPlan(
        change.changes,
        document,
        change.schema?.records ?? table,
        header: header,
        migration: migration,
        restoring: memory
      )
    }
    session.content.isHeaderStale = false
    if migration?.columns != nil, let dialect = document.format.dialect {
      session.memory.headers[dialect.columns] = formerHeader
    }
    return outcome
  }

  /// Writes the file of a store that only has a schema.
  package func saveSchema(_ session: inout Session) throws {
    guard session.version == nil else { return }
    defer { session.past?.forgetFormerFile() }
    _ = try replaceFile(&session, schema: session.content.table.schema) {
      try JSONPlan(ChangeSet(), $0, $1)
    }
  }

  package func checkWritable(_ session: Session) throws {
    try session.checkUsable()
    if configuration.text != nil {
      throw PersistenceError(
        .readOnly,
        "\(configuration.path): cannot be saved; use saveas to save to a file"
      )
    }
    guard !configuration.isReadOnly else {
      throw PersistenceError(.readOnly, "\(configuration.path): read-only")
    }
  }

  /// In a file without identifiers records are numbered; in all others they get keys.
  package func assignIdentifiers(
    to changes: ChangeSet,
    in table: RecordTable,
    _ session: inout Session
  ) -> (ChangeSet, [PersistentIdentifier]) {
    guard !session.content.document.format.isCatalog else {
      return table.assigningIdentifiers(to: changes, using: &session.generator)
    }
    var permanent: [PersistentIdentifier] = []
    var greatest: [String: Int] = [:]
    for snapshot in changes.inserted {
      let name = snapshot.persistentIdentifier.entityName
      let known = greatest[name] ?? table.greatestNumber(of: name)
      greatest[name] = max(known, snapshot.persistentIdentifier.numberKey ?? 0)
    }
    for snapshot in changes.inserted {
      guard snapshot.persistentIdentifier.isTemporary else {
        permanent.append(snapshot.persistentIdentifier)
        continue
      }
      let name = snapshot.persistentIdentifier.entityName
      let number = (greatest[name] ?? 0) + 1
      greatest[name] = number
      permanent.append(IdentifierScope(store: identifier, entity: name).identifier(number: number))
    }
    return (changes.assigning(permanent), permanent)
  }

  package func checkValues(_ changes: ChangeSet, _ session: Session) throws {
    try checkJSON(in: changes)
    let format = session.content.document.format
    if !format.isCatalog {
      try checkNumbers(in: changes)
      try session.checkKeys(of: changes)
    }
    try format.dialect?.check(changes, path: configuration.path)
  }

  /// Checks that JSON values can be read back from the file.
  private func checkJSON(in changes: ChangeSet) throws {
    var meter = WorkMeter()
    for snapshot in changes.inserted + changes.updated.map(\.after) {
      try meter.count()
      for (slot, value) in snapshot.orderedValues.enumerated() {
        guard case .json(let text) = value, let fault = JSONParser.fault(inValue: text) else {
          continue
        }
        throw PersistenceError(
          .invalidValue,
          "\(snapshot.persistentIdentifier.entityName).\(snapshot.layout.names[slot]): "
            + "not valid JSON: \(fault) (record \(snapshot.persistentIdentifier))"
        )
      }
    }
  }

  /// Rejects numbers that JSON cannot express; a catalog writes them as text, but in other files
  /// that would be read as text.
  private func checkNumbers(in changes: ChangeSet) throws {
    var meter = WorkMeter()
    for snapshot in changes.inserted + changes.updated.map(\.after) {
      try meter.count()
      for (slot, value) in snapshot.orderedValues.enumerated() {
        guard case .number(let number) = value, !number.isFinite else { continue }
        throw PersistenceError(
          .invalidValue,
          "\(snapshot.persistentIdentifier.entityName).\(snapshot.layout.names[slot]): "
            + "\(value.text) cannot be stored in \(configuration.path); use saveas to make a catalog"
        )
      }
    }
  }

  /// Records the places of the new records.
  private func note(
    _ inserted: [DefaultSnapshot],
    _ outcome: JSONSaving.Outcome,
    _ session: inout Session
  ) {
    var ranges = outcome.insertedRanges.mapValues { $0[...] }
    for snapshot in inserted {
      let name = snapshot.persistentIdentifier.entityName
      guard let range = ranges[name]?.popFirst(),
        let section = session.content.document.section(of: name),
        let row = session.content.table.row(of: snapshot.persistentIdentifier)
      else { preconditionFailure("every new record was written") }
      if row < session.content.document.sections[section].spans.count {
        session.content.document.sections[section].isInRowOrder = false
      }
      session.content.document.sections[section].setRange(range, ofRow: row)
    }
  }
}

// MARK: The file

extension JSONStore {
  /// Writes the file by a plan made for its current content, and records the new document.
  ///
  /// - Throws: `PersistenceError`; the session is then unchanged, except after a save of unknown
  ///   outcome.
  func replaceFile(
    _ session: inout Session,
    schema: Schema,
    plan: (JSONDocument, RecordTable) throws -> JSONPlan
  ) throws -> JSONSaving.Outcome {
    let table = session.content.table
    let known = session.content.document
    let present = session.version
    return try replacingFile(&session) { replacement, lock, announce in
      var outcome: JSONSaving.Outcome?
      let version: FileVersion
      if let expected = present {
        // A file without any column gets its header first.
        let isVacant = known.format.dialect?.columns.isEmpty ?? false
        let (document, vacantText) = isVacant ? try skeleton(schema) : (known, [])
        let plan = try plan(document, table)
        version = try replacement.replace(
          expecting: expected,
          holding: lock,
          verify: { verifier(of: $0, outcome) },
          announce: announce
        ) { sink in
          guard let original = sink.original else { preconditionFailure("there is an original") }
          let size = expected.status.sizeBytes
          let file = JSONSource(configuration.fileSystem, original, sizeBytes: size)
          let encoding = document.format.encoding
          let outer = document.outer
          let source =
            try isVacant ? JSONSource(vacantText) : file.decoded(from: encoding).part(outer)
          sink.encode(with: encoding.makeEncoder())
          if let outer { try file.copy(0..<outer.lowerBound, to: sink) }
          sink.restartCount()
          var saving = JSONSaving(plan, schema, source)
          var written = try saving.write(to: sink)
          if let outer {
            written.document.outer = outer.lowerBound..<(outer.lowerBound + sink.count)
            try file.copy(outer.upperBound..<size, to: sink)
          }
          outcome = written
        }
      } else {
        func create(quotesNames: Bool) throws -> FileVersion {
          let (document, text) = try skeleton(schema, quotesNames: quotesNames)
          let plan = try plan(document, table)
          try createFolder()
          return try replacement.create(
            verify: { verifier(of: $0, outcome) },
            announce: announce
          ) { sink in
            var saving = JSONSaving(plan, schema, JSONSource(text))
            outcome = try saving.write(to: sink)
          }
        }
        do {
          version = try create(quotesNames: false)
        } catch let error as PersistenceError
          where error.code == .unsupported && configuration.form == .delimited
        {
          // Names such as 2020-01-22 are only names in quotes.
          version = try create(quotesNames: true)
        }
      }
      guard let outcome else { preconditionFailure("a replaced file was written") }
      return (version, outcome)
    }
  }

  /// Announces a save to other programs.
  typealias Announcement = (ContentDigest) -> Void

  /// Runs the body, which replaces or creates the file, and records the new document.
  ///
  /// - Throws: As `replaceFile`.
  func replacingFile(
    _ session: inout Session,
    _ body: (FileReplacement, FileLock?, Announcement) throws -> (FileVersion, JSONSaving.Outcome)
  ) throws -> JSONSaving.Outcome {
    let replacement = replacement(checksForLeftovers: session.checksForLeftovers)
    session.checksForLeftovers = true
    session.hasSaved = true
    let before = session.version?.digest?.text
    do {
      let (version, outcome) = try body(replacement, session.lock) { after in
        SaveWitness.note(SaveTrace(content: .init(before: before, after: after.text)))
      }
      session.content.document = outcome.document
      session.version = version
      session.checksForLeftovers = false
      if !version.hasDurableName, !session.hasNotedWeakDirectory {
        session.hasNotedWeakDirectory = true
        session.savingNotes.append(weakDirectoryNote(path: configuration.path))
      }
      return outcome
    } catch {
      let reported = PersistenceError.reporting(error)
      if let failure = reported as? PersistenceError, failure.code == .outcomeUnknown {
        session.failure = failure
      }
      throw reported
    }
  }

  func replacement(checksForLeftovers: Bool = true) -> FileReplacement {
    FileReplacement(
      fileSystem: configuration.fileSystem,
      path: configuration.path,
      lockTimeoutSeconds: configuration.lockTimeoutSeconds,
      checksForLeftovers: checksForLeftovers
    )
  }

  private func createFolder() throws {
    let fileSystem = configuration.fileSystem
    let path = try fileSystem.resolveForCreation(configuration.path)
    try fileSystem.createDirectories(splitPath(path).directory)
  }

  func withSource<Result>(
    _ expected: FileVersion,
    as document: JSONDocument,
    _ body: (JSONSource) throws -> Result
  ) throws -> Result {
    let fileSystem = configuration.fileSystem
    let path = try retrying { () throws(FileSystemError) in
      try fileSystem.resolve(configuration.path)
    }
    let (file, status) = try fileSystem.openRegular(path, in: nil, .read)
    defer { fileSystem.closeQuietly(file) }
    guard status.sizeBytes == expected.status.sizeBytes else {
      throw FileError.changedOnDisk(path: path)
    }
    let source = JSONSource(fileSystem, file, sizeBytes: status.sizeBytes)
    return try body(source.decoded(from: document.format.encoding).part(document.outer))
  }
}
