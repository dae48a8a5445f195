package import OpenSwiftData

extension JSONStore: CopyingStore {
  /// True for a JSON catalog; the records of other files are identified by their places.
  package var keepsIdentifiers: Bool { withSession { $0.content.document.format.isCatalog } }

  package func identifiesByPlace(_ entityName: String) -> Bool { !keepsIdentifiers }

  /// Writes the records of another store into a new catalog, some at a time.
  ///
  /// The history of this store begins after the copy.
  package func copyRecords(of source: any QueryableStore, author: String?) throws
    -> CopiedRecords?
  {
    guard let records = try records(of: source) else { return nil }
    var copied: CopiedRecords?
    _ = try writing { session in
      guard canCopy(records, to: session),
        var copy = TableCopy(
          records,
          storeIdentifier: identifier,
          keepsKeys: session.content.document.format.isCatalog && source.isIdentifierKeeping,
          &session.generator
        )
      else { return CommitResult() }
      try save(copy.table(), &session)
      let count = records.tables.reduce(0) { $0 + $1.liveCount }
      copied = CopiedRecords(count: count, lostLinks: copy.lostLinks)
      return CommitResult(token: noteCopy(author, &session))
    }
    return copied
  }

  /// True if the records can become the first ones of a new catalog without being compared.
  private func canCopy(_ records: RecordTable, to session: Session) -> Bool {
    session.version == nil && !configuration.isFlat
      && session.content.table.schema == records.schema
      && configuration.schema.map { $0 == records.schema } ?? true
      && records.tables.contains { $0.liveCount > 0 }
      && TableCopy.isValid(records)
      && records.tables.allSatisfy(\.holdsValidJSON)
  }

  private func save(_ records: RecordTable, _ session: inout Session) throws {
    let outcome = try replaceFile(&session, schema: records.schema) { document, _ in
      JSONPlan(copying: records, document)
    }
    session.content.table = records
    for (entity, places) in outcome.insertedRanges {
      guard let section = session.content.document.section(of: entity) else { continue }
      session.content.document.sections[section].spans = places.map {
        Span(start: $0.lowerBound, count: $0.count).packed
      }
    }
    session.content.checkInvariantsWhenSmall()
  }

  /// Counts a transaction whose changes are not kept.
  private func noteCopy(_ author: String?, _ session: inout Session) -> Int64 {
    let token = session.history.append(
      TableChange(changes: ChangeSet(), author: author, isSave: true),
      now: configuration.now,
      random: configuration.random
    )
    session.history.delete([token])
    session.past?.forgetFormerFile()
    return token
  }
}

extension EntityTable {
  /// True if all values of JSON attributes can be read back from a file.
  fileprivate var holdsValidJSON: Bool {
    columns.allSatisfy { column in
      guard column.kind == .json else { return true }
      var isValid = true
      live.forEach { row in
        guard isValid, !column.isNull(row) else { return }
        let text = column.withText(at: row) { String(decoding: $0, as: UTF8.self) }
        isValid = JSONParser.fault(inValue: text) == nil
      }
      return isValid
    }
  }
}
