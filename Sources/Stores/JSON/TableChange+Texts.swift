import OpenSwiftData

extension TableChange {
  /// The change of a file of separated values as if fields that it makes text had been text before, as they will be
  /// when the file is opened again.
  ///
  /// - Parameters:
  ///   - texts: The former texts of all records whose texts change.
  ///   - dialect: How they are written; nil for JSON.
  /// - Returns: The change; nil if it changes the schema in another way, or gives such a field no code.
  func asTexts(_ texts: [FormerText], _ dialect: DelimitedDialect?) -> TableChange? {
    let all = allChanges
    let new = all.inserted + all.updated.map(\.after)
    guard let dialect, let schema, makesTextsOnly(schema, keepingCodesOf: new) else { return nil }
    let former = Dictionary(
      texts.map { ($0.record, $0.bytes) },
      uniquingKeysWith: { first, _ in first }
    )
    func withTexts(_ snapshot: DefaultSnapshot) -> DefaultSnapshot? {
      former[snapshot.persistentIdentifier].map { dialect.adding($0, to: snapshot) }
    }
    let updates = all.updated.compactMap { update in
      withTexts(update.before).map { RecordUpdate(before: $0, after: update.after) }
    }
    let deleted = all.deleted.compactMap(withTexts)
    guard deleted.count == all.deleted.count else { return nil }
    var change = TableChange(
      changes: ChangeSet(inserted: all.inserted, updated: updates, deleted: deleted),
      author: author,
      isSave: isSave
    )
    change.message = message
    return change
  }

  /// True if all fields stay as they are, except that some become text for a code in these records.
  private func makesTextsOnly(_ part: SchemaPart, keepingCodesOf records: [DefaultSnapshot])
    -> Bool
  {
    guard part.former.entities.count == 1, part.schema.entities.count == 1,
      let entity = part.schema.entities.first,
      let former = part.former.entitiesByName[entity.name],
      former.fields.count == entity.fields.count
    else { return false }
    let origins = part.replacement.origins[entity.name] ?? [:]
    return entity.fields.allSatisfy { field in
      guard former.fieldsByName[field.name] != nil else { return false }
      if origins[field.name] == field.name { return true }
      return origins[field.name] == nil && field.type == .text
        && records.contains { record in
          if case .text(let text)? = record[field.name] { text.isKeptAsText } else { false }
        }
    }
  }
}

extension DelimitedDialect {
  /// The record with the texts of converted fields, which have no values in it.
  fileprivate func adding(_ bytes: [UInt8], to snapshot: DefaultSnapshot) -> DefaultSnapshot {
    var snapshot = snapshot
    bytes.withUnsafeBufferPointer { bytes in
      let record = DelimitedRecordText(bytes, syntax)
      for (column, place) in zip(columns, record.fields.indices) {
        guard let slot = snapshot.layout.slot(of: column), snapshot.orderedValues[slot].isNull,
          let text = text(of: record.field(place)), !forms.isMissing(text, in: column)
        else { continue }
        snapshot.orderedValues[slot] = .text(text)
      }
    }
    return snapshot
  }
}
