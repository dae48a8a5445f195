import OpenSwiftData

extension TableChange {
  /// The change of a file of separated values as if fields that it makes text had been text before, as they will be
  /// when the file is opened again.
  ///
  /// - Parameter texts: The former texts of all records whose texts change.
  /// - Returns: The change; nil if it changes the schema in another way, or gives such a field no code.
  func asTexts(_ texts: [FormerText]) -> TableChange? {
    let all = allChanges
    let new = all.inserted + all.updated.map(\.after)
    guard let schema, makesTextsOnly(schema, keepingCodesOf: new) else { return nil }
    let former = Dictionary(
      texts.map { ($0.snapshot.persistentIdentifier, $0.snapshot) },
      uniquingKeysWith: { first, _ in first }
    )
    let updates = all.updated.compactMap { update in
      former[update.persistentIdentifier].map { RecordUpdate(before: $0, after: update.after) }
    }
    let deleted = all.deleted.compactMap { former[$0.persistentIdentifier] }
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
