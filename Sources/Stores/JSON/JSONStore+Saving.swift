import Foundation
package import OpenSwiftData

extension JSONStore {
  /// Makes the changes and replaces the file; an empty change set writes nothing.
  ///
  /// What other programs wrote meanwhile is taken in first, and saved on top of.
  ///
  /// - Throws: `PersistenceError`; `.conflict` when somebody else changed the same values, or removed the
  ///   file. Nothing is written then, except perhaps after `.outcomeUnknown`.
  /// - Complexity: O(size of the file), most of it copying.
  package func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try writing { state in
      if changes.isEmpty { return CommitResult() }
      try checkWritable()
      let (assigned, permanent) = assignIdentifiers(to: changes, &state)
      state.content.table.takeConstraints(of: configuration.schema)
      try state.content.table.validate(assigned, knownAs: changes)
      try checkJSON(in: assigned)
      if state.content.document.form != .catalog { try checkNumbers(in: assigned) }
      let header =
        state.content.isHeaderStale
        ? JSONHeader.text(
          store: identifier,
          schema: state.content.table.schema,
          keeping: state.content.document.headerExtras
        ) : nil
      let outcome = try save(&state) { document, table in
        try JSONPlan(assigned, document, table, header: header)
      }
      state.content.isHeaderStale = false
      state.content.table.apply(assigned)
      note(assigned.inserted, outcome, &state)
      let token = record(assigned, nil, author, &state)
      return CommitResult(inserted: changes.inserted, as: permanent, token: token)
    }
  }

  func checkWritable() throws {
    guard !configuration.isReadOnly else {
      throw PersistenceError(.readOnly, "\(configuration.path): read-only")
    }
  }

  /// In a file without identifiers records are numbered, in all others they get keys.
  func assignIdentifiers(
    to changes: ChangeSet,
    in table: RecordTable? = nil,
    _ state: inout State
  ) -> (ChangeSet, [PersistentIdentifier]) {
    let table = table ?? state.content.table
    guard state.content.document.form != .catalog else {
      return table.assigningIdentifiers(to: changes, using: &state.generator)
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

  /// Makes sure that JSON values are such that the file can be read again.
  func checkJSON(in changes: ChangeSet) throws {
    for snapshot in changes.inserted + changes.updated.map(\.after) {
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

  /// Refuses what JSON has no number for; our own form writes it as text, which in a file of somebody
  /// else would be a text.
  func checkNumbers(in changes: ChangeSet) throws {
    for snapshot in changes.inserted + changes.updated.map(\.after) {
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

  /// Remembers where new records lie.
  func note(
    _ inserted: [DefaultSnapshot],
    _ outcome: JSONSaving.Outcome,
    _ state: inout State
  ) {
    var ranges = outcome.insertedRanges.mapValues { $0[...] }
    for snapshot in inserted {
      let name = snapshot.persistentIdentifier.entityName
      guard let range = ranges[name]?.popFirst(),
        let section = state.content.document.section(of: name),
        let row = state.content.table.row(of: snapshot.persistentIdentifier)
      else { preconditionFailure("every new record was written") }
      if row < state.content.document.sections[section].spans.count {
        state.content.document.sections[section].isInRowOrder = false
      }
      state.content.document.sections[section].setRange(range, ofRow: row)
    }
  }

  /// Adds a transaction to the history.
  func record(
    _ changes: ChangeSet,
    _ schemaChange: SchemaChange?,
    _ author: String?,
    from former: Schema? = nil,
    _ state: inout State
  ) -> Int64 {
    state.history.append(
      changes,
      schemaChange: schemaChange,
      formerSchema: former,
      author: author,
      id: UUID(
        high: configuration.random() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
        low: configuration.random() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
      ),
      at: configuration.now()
    )
  }
}

// MARK: The file

extension JSONStore {
  /// Files up to this size are read again before they get their name.
  private static let verifiedSizeLimit = 16 << 20

  /// Writes the file by a plan made for what it holds now, and remembers how it looks then.
  ///
  /// - Throws: `PersistenceError`; the state is unchanged then, but for a save of unknown outcome.
  func save(
    _ state: inout State,
    schema: Schema? = nil,
    plan: (JSONDocument, RecordTable) throws -> JSONPlan
  ) throws -> JSONSaving.Outcome {
    let table = state.content.table
    let replacement = replacement(mayFindLitter: state.mayFindLitter)
    state.mayFindLitter = true
    var outcome: JSONSaving.Outcome?
    do {
      let version: FileVersion
      if let expected = state.version {
        let document = state.content.document
        let plan = try plan(document, table)
        version = try replacement.replace(
          expecting: expected,
          holding: state.lock,
          verify: { verifier(of: $0, outcome) }
        ) { sink in
          guard let original = sink.original else { preconditionFailure("there is an original") }
          let size = expected.status.sizeBytes
          let source = JSONSource(configuration.fileSystem, original, sizeBytes: size)
          var saving = JSONSaving(plan, document, schema ?? table.schema, source)
          outcome = try saving.write(to: sink)
        }
      } else {
        let (document, text) = try skeleton(schema ?? table.schema)
        let plan = try plan(document, table)
        try createFolder()
        version = try replacement.create(verify: { verifier(of: $0, outcome) }) { sink in
          var saving = JSONSaving(plan, document, schema ?? table.schema, JSONSource(text))
          outcome = try saving.write(to: sink)
        }
      }
      guard let outcome else { preconditionFailure("a replaced file was written") }
      state.content.document = outcome.document
      state.version = version
      state.mayFindLitter = false
      if !version.hasDurableName, !state.hasNotedWeakDirectory {
        state.hasNotedWeakDirectory = true
        state.savingNotes.append(weakDirectoryNote(path: configuration.path))
      }
      return outcome
    } catch {
      let reported = PersistenceError.reporting(error)
      if let failure = reported as? PersistenceError, failure.code == .outcomeUnknown {
        state.failure = failure
      }
      throw reported
    }
  }

  func replacement(mayFindLitter: Bool = true) -> FileReplacement {
    FileReplacement(
      fileSystem: configuration.fileSystem,
      path: configuration.path,
      lockTimeoutSeconds: configuration.lockTimeoutSeconds,
      mayFindLitter: mayFindLitter
    )
  }

  private func createFolder() throws {
    let fileSystem = configuration.fileSystem
    let path = try fileSystem.resolveForCreation(configuration.path)
    try fileSystem.createDirectories(splitPath(path).directory)
  }

  func withSource<Result>(
    _ expected: FileVersion,
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
    return try body(JSONSource(fileSystem, file, sizeBytes: status.sizeBytes))
  }

  /// Has a small file read again before it gets its name: every record must lie where it is expected, and
  /// what was not copied from the file before must be right in itself.
  private func verifier(of file: OpenFile, _ outcome: JSONSaving.Outcome?)
    -> (@Sendable () throws -> Void)?
  {
    guard let outcome, outcome.document.sizeBytes <= Self.verifiedSizeLimit else { return nil }
    let configuration = configuration
    return {
      let fileSystem = configuration.fileSystem
      let size = try fileSystem.status(of: file).sizeBytes
      let source = JSONSource(fileSystem, file, sizeBytes: size)
      do {
        let pass = JSONPass(
          source: source,
          hasLines: configuration.hasLines,
          records: outcome.writtenRecords
        )
        guard try JSONPlaces(pass, of: outcome) == JSONPlaces(outcome) else {
          throw JSONDamage(offset: 0, message: "record positions differ")
        }
      } catch let damage as JSONDamage {
        let error = try JSONOpening.error(damage, in: source, path: configuration.path)
        throw PersistenceError(
          .storeViolation,
          "internal check failed, nothing was saved: \(error)"
        )
      }
    }
  }

  /// The text of a file without records, and where things lie in it.
  private func skeleton(_ schema: Schema) throws -> (JSONDocument, [UInt8]) {
    guard !configuration.hasLines else {
      guard schema.entities.count == 1 else {
        throw PersistenceError(
          .unsupported,
          "\(configuration.path): a .jsonl file holds one entity, not \(schema.entities.count); "
            + "use a .json name"
        )
      }
      return (
        JSONDocument(
          form: .lines,
          sections: [JSONSection(entityName: schema.entities[0].name, start: 0, end: 0)]
        ), []
      )
    }
    var document = JSONDocument(form: .catalog)
    var text = JSONOutput()
    text.put("{")
    let start = text.bytes.count
    text.put("\n  \"catalog\": ")
    let header = JSONHeader.text(store: identifier, schema: schema)
    document.header = text.bytes.count..<(text.bytes.count + header.count)
    text.put(header)
    document.membersEnd = text.bytes.count
    for entity in schema.entities {
      text.put(",\n  ")
      text.put(quoting: entity.name)
      text.put(": [")
      let place = text.bytes.count
      document.sections.append(JSONSection(entityName: entity.name, start: place, end: place))
      text.put("]")
      document.membersEnd = text.bytes.count
    }
    text.put("\n")
    document.interior = start..<text.bytes.count
    text.put("}\n")
    document.foreignKeys = [JSONHeader.key]
    document.sizeBytes = text.bytes.count
    return (document, text.bytes)
  }
}
