extension ModelContext {
  /// Finds in recovered changes what the deletions among them have done to other records.
  ///
  /// A recovery file has the changes, but not their causes: a link to a deleted record that is no longer there counts as
  /// cleared by the deletion, and a deleted record as deleted with those that its links with the rule "cascade" name.
  ///
  /// - Complexity: O(n) in the number of changed records.
  package func deduceConsequences() {
    let schema = schema
    guard pending.counts.deleted > 0, LinkCheck.isNeeded(for: schema) else { return }
    let changes = pendingChanges
    let deleted = Set(changes.deleted.map(\.persistentIdentifier))
    func forEachLink(
      _ snapshot: DefaultSnapshot,
      _ body: (Schema.Attribute, PersistentIdentifier) -> Void
    ) {
      let identifier = snapshot.persistentIdentifier
      for field in schema.entitiesByName[identifier.entityName]?.fields ?? [] {
        for target in snapshot[field.name]?.linkedIdentifiers ?? []
        where target != identifier && deleted.contains(target) { body(field, target) }
      }
    }
    for record in changes.deleted {
      forEachLink(record) { field, target in
        guard field.deleteRule == .cascade else { return }
        pending.consequences.note(record.persistentIdentifier, deletedWith: target)
      }
    }
    for update in changes.updated {
      forEachLink(update.before) { field, target in
        let present = update.after[field.name]?.linkedIdentifiers ?? []
        guard field.deleteRule != .noAction, !present.contains(target) else { return }
        pending.consequences.note(
          .init(
            source: update.persistentIdentifier,
            field: field.name,
            former: update.before[field.name]?.linkedIdentifiers ?? []
          ),
          to: target
        )
      }
    }
  }
}
