package import OpenSwiftData

extension Session {
  /// The record that an identifier, a unique beginning of one, or a temporary identifier names.
  ///
  /// - Throws: `CommandError` when there is none or more than one.
  package func identifier(_ text: String) throws -> PersistentIdentifier {
    if let exact = preferred(try context.identifiers(exactly: text)) { return exact }
    if let known = remembered[text] { return context.resolve(known) }
    let candidates = try context.identifiers(withPrefix: text, limit: Self.candidateLimit)
    if let exact = preferred(candidates.filter { $0.description == text }) { return exact }
    guard text.utf8.count >= 4 else {
      throw CommandError(
        candidates.isEmpty || text.wholeMatch(of: /t[0-9]+/) != nil
          ? "record \(Value.quoted(text)) not found"
          : "identifier \(Value.quoted(text)) is too short; give at least 4 characters"
      )
    }
    guard let first = candidates.first else {
      throw CommandError("record \(Value.quoted(text)) not found")
    }
    guard candidates.count == 1 else {
      let shown = candidates.prefix(3).map(\.description).joined(separator: ", ")
      throw CommandError(
        "identifier \(Value.quoted(text)) is ambiguous (\(shown)\(candidates.count > 3 ? ", …" : "")); give more characters"
      )
    }
    return first
  }

  private static let candidateLimit = 1000

  /// The only one of them, or the only one of the entity that commands mean.
  private func preferred(_ exact: [PersistentIdentifier]) -> PersistentIdentifier? {
    if exact.count == 1 { return exact[0] }
    let preferred = exact.filter { $0.entityName == entityName }
    return preferred.count == 1 ? preferred[0] : nil
  }

  /// The record that the text names, which must not be deleted.
  ///
  /// - Throws: `CommandError` as `identifier(_:)`, and for a record that the next save deletes.
  package func liveIdentifier(_ text: String) throws -> PersistentIdentifier {
    let identifier = try identifier(text)
    let isGone: Bool
    switch context.pendingKind(of: identifier) {
    case .deleted:
      throw CommandError(
        "record \(identifier) is deleted (not saved yet); use \"undo\" to restore it"
      )
    case .inserted, .updated: isGone = false
    case nil: isGone = try context.snapshots(for: [identifier])[identifier] == nil
    }
    guard !isGone else { throw CommandError("record \(Value.quoted(text)) not found") }
    return identifier
  }

  /// The record that the text names, though it may be one that was deleted and saved long ago.
  ///
  /// - Throws: `CommandError` as `identifier(_:)`.
  func identifierInHistory(_ text: String) throws -> PersistentIdentifier {
    do {
      return try identifier(text)
    } catch let error as CommandError {
      guard text.utf8.count >= 4 else { throw error }
      let transactions: [Transaction]
      do {
        transactions = try context.transactions()
      } catch let failure as PersistenceError where failure.code == .unsupported {
        throw error
      }
      let deleted = Set(
        transactions.flatMap { $0.changes.deleted.map(\.persistentIdentifier) }
          .filter { $0.hasPrefix(text) }
      )
      guard deleted.count == 1, let identifier = deleted.first else { throw error }
      return identifier
    }
  }

  // MARK: Naming records to people

  /// The record in a few words: the beginning of its identifier and its title.
  package func label(of snapshot: DefaultSnapshot) -> String {
    let identifier = snapshot.persistentIdentifier
    let short =
      identifier.isTemporary
      ? identifier.description
      : identifier.description.prefix(4)
        .description
    let title = title(of: snapshot)
    return title.isEmpty ? short : "\(short) (\(title))"
  }

  /// What the record is called, shortened; empty when no field says it.
  package func title(of snapshot: DefaultSnapshot) -> String {
    guard let entity = context.schema.entitiesByName[snapshot.persistentIdentifier.entityName]
    else { return "" }
    return RecordTitle.text(of: entity.fields.map { snapshot[$0.name] ?? .null }, in: entity)
  }

  /// Names the undo step after one record or the number of records.
  func nameStep(
    _ verb: String,
    _ identifiers: [PersistentIdentifier],
    _ snapshot: DefaultSnapshot?
  ) {
    if identifiers.count == 1, let snapshot {
      stepName = "\(verb) \(label(of: snapshot))"
    } else {
      stepName = "\(verb) \(Self.counted(identifiers.count))"
    }
  }

  /// `1 record`, `2 records`.
  package static func counted(_ count: Int, _ noun: String = "record") -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }
}
