package import OpenSwiftData

/// How a text names a record: by an identifier or a prefix of one, perhaps after its entity
/// (`books/1`).
struct RecordName {
  let text: String
  /// The entity that the text names; nil without one.
  let entityName: String?
  /// The identifier, or a prefix of one.
  let key: String

  init(_ text: String, in schema: Schema) {
    self.text = text
    let end = Self.endOfEntity(text, in: schema)
    entityName = end.map { String(text[..<$0]) }
    key = end.map { String(text[text.index(after: $0)...]) } ?? text
  }

  /// The slash after the longest name of an entity that the text begins with; names may have slashes, too.
  static func endOfEntity(_ text: String, in schema: Schema) -> String.Index? {
    guard text.utf8.contains(UInt8(ascii: "/")) else { return nil }
    return text.indices.last {
      text[$0] == "/" && text.index(after: $0) < text.endIndex
        && schema.entitiesByName[String(text[..<$0])] != nil
    }
  }

  func allows(_ identifier: PersistentIdentifier) -> Bool {
    entityName == nil || identifier.entityName == entityName
  }

  /// True if the text is the identifier, or its beginning where that suffices.
  ///
  /// The beginning of a number, or of a text that people chose, names another record: `WIDGET-2` is not `WIDGET-20`.
  func matches(_ identifier: PersistentIdentifier) -> Bool {
    allows(identifier)
      && (identifier.canBeShortened ? identifier.hasPrefix(key) : identifier.description == key)
  }

  private static let candidateLimit = 1000

  /// The records that the name may mean.
  fileprivate func candidates(in context: ModelContext) throws -> [PersistentIdentifier] {
    try context.identifiers(withPrefix: key, entityName: entityName, limit: Self.candidateLimit)
      .filter(matches)
  }

  /// How to name a row of a view, which is not looked for without it; empty if no view can be meant.
  fileprivate func viewHint(in context: ModelContext) -> String {
    guard entityName == nil, Int(key) != nil,
      let view = context.schema.entities.first(where: { context.computesRecords(of: $0.name) })
    else { return "" }
    return "; for a row of a view, name the view: \(CommandText.quoted("\(view.name)/\(key)"))"
  }

  private static let shownCount = 3

  /// An error that lists the matching records and how to distinguish them.
  func ambiguous(_ candidates: [PersistentIdentifier]) -> CommandError {
    let isWhole = candidates.allSatisfy { $0.description == key || $0.description == text }
    if isWhole, candidates.contains(where: \.isTemporary), !candidates.allSatisfy(\.isTemporary) {
      return CommandError(
        "identifier \(Value.quoted(text)) is ambiguous: a new record and a saved one have it; "
          + "save first, or use \"where\" to select by a field",
        code: .ambiguousRecord
      )
    }
    let names = candidates.prefix(Self.shownCount).map {
      isWhole ? CommandText.quoted("\($0.entityName)/\($0)") : $0.description
    }
    let rest = candidates.count > Self.shownCount ? ", …" : ""
    return CommandError(
      "identifier \(Value.quoted(text)) is ambiguous (\(names.joined(separator: ", "))\(rest)); "
        + (isWhole ? "give one of these, or use --entity NAME" : "give more characters"),
      code: .ambiguousRecord
    )
  }
}

/// The identifier of a record that is known by its position, with a check of its values: `8~k7q2`.
struct CheckedIdentifier {
  /// The identifier without the check.
  let text: String
  let check: String

  init?(_ text: String) {
    let parts = text.split(separator: "~", omittingEmptySubsequences: false)
    guard parts.count == 2, let last = parts[0].utf8.last, (48...57).contains(last),
      parts[1].utf8.count == 4, parts[1].utf8.allSatisfy({ $0.isLetterOrDigit })
    else { return nil }
    (self.text, check) = (String(parts[0]), String(parts[1]))
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool { (48...57).contains(self) || (97...122).contains(self) }
}

extension Session {
  /// The record for a text: an identifier, a unique prefix of one, or a temporary identifier, each
  /// optionally after its entity; the number of a row may have its check.
  ///
  /// - Throws: `CommandError` if none or more than one matches, or if the row is another one now.
  package func identifier(_ text: String) throws -> PersistentIdentifier {
    guard let checked = CheckedIdentifier(text), try context.identifiers(exactly: text).isEmpty
    else { return try uncheckedIdentifier(text) }
    // Without the record, its check fails as well.
    let found = try? uncheckedIdentifier(checked.text)
    guard let found, context.checks(of: found.entityName)?[found] == checked.check else {
      throw CommandError(
        "\(text): record \(checked.text) is another one now; nothing was done; list again, or name it "
          + "with \"where\"",
        code: .unknownRecord
      )
    }
    return found
  }

  /// The record for a text without a check.
  func uncheckedIdentifier(_ text: String) throws -> PersistentIdentifier {
    let name = RecordName(text, in: context.schema)
    // The key of another program's record may itself contain a slash after the name of an entity.
    let slashed = name.entityName == nil ? [] : try context.identifiers(exactly: text)
    if let own = slashed.first(where: { $0.entityName == entityName }) { return own }
    let exact = try exactly(name) + slashed
    if let only = preferred(exact) { return only }
    guard exact.isEmpty else { throw name.ambiguous(exact) }
    if let known = script.identifiers.replaced(name.key), name.allows(known) {
      return context.resolve(known)
    }
    let candidates = try name.candidates(in: context)
    let whole = candidates.filter { $0.description == name.key }
    if let only = preferred(whole) { return only }
    return try only(whole.isEmpty ? candidates : whole, for: name)
  }

  /// The record of an entity, or of one with the same fields, that the text of a link names.
  ///
  /// A number names no record of another entity, which may have the same numbers.
  ///
  /// - Throws: `CommandError` as `identifier(_:)`. A record of another entity is returned if no other can be meant.
  private func linkedIdentifier(_ text: String, of entity: String) throws -> PersistentIdentifier {
    let name = RecordName(text, in: context.schema)
    func isAccepted(_ identifier: PersistentIdentifier) -> Bool {
      context.schema.accepts(identifier.entityName, for: entity)
    }
    let exact = try context.identifiers(exactly: name.key, of: name.entityName)
    if exact.isEmpty, let known = script.identifiers.replaced(name.key), name.allows(known) {
      return context.resolve(known)
    }
    var candidates = exact.isEmpty ? try name.candidates(in: context) : exact
    if name.entityName == nil {
      candidates.removeAll { $0.numberKey != nil && !isAccepted($0) }
    }
    let whole = candidates.filter { $0.description == name.key }
    if !whole.isEmpty { candidates = whole }
    let accepted = candidates.filter(isAccepted)
    let isOther = accepted.isEmpty && candidates.count == 1
    return try only(isOther ? candidates : accepted, for: name, of: entity)
  }

  /// The records whose whole identifier the name is: those of the current entity if there are any.
  ///
  /// Other entities are not asked then, among which may be views that take for ever.
  private func exactly(_ name: RecordName) throws -> [PersistentIdentifier] {
    if let entity = try name.entityName ?? impliedEntity?.name {
      let own = try context.identifiers(exactly: name.key, of: entity)
      if name.entityName != nil || !own.isEmpty { return own }
    }
    return try context.identifiers(exactly: name.key)
  }

  /// The only record that a name can mean.
  private func only(
    _ candidates: [PersistentIdentifier],
    for name: RecordName,
    of entity: String? = nil
  ) throws -> PersistentIdentifier {
    let isTemporary = name.key.isTemporaryName
    let isWhole = candidates.contains { $0.description == name.key }
    // Row numbers are short. Otherwise it does not matter whether a record happens to begin like this.
    let isRowNumber = candidates.isEmpty && name.key.utf8.allSatisfy { (48...57).contains($0) }
    if candidates.isEmpty, origin.isOnScreen, let entity {
      throw CommandError(
        "no \(entity) has the identifier or title \(Value.quoted(name.text))",
        code: .unknownRecord
      )
    }
    // Keys of other programs are given as a whole, however short they are.
    let mayBeShortened =
      !candidates.isEmpty || context.container.stores.contains { $0.isIdentifierKeeping }
    let isShort =
      name.key.utf8.count < Self.prefixLength && !isTemporary && !isRowNumber && !isWhole
    guard !isShort || !mayBeShortened else {
      throw CommandError(
        "record \(Value.quoted(name.text)) not found: the identifier is too short; "
          + "give at least \(Self.prefixLength) characters",
        code: .unknownRecord
      )
    }
    guard let first = candidates.first, !isTemporary || isWhole else {
      let text = Value.quoted(name.text)
      throw CommandError(
        entity.map { "record \(text) not found in \($0)" }
          ?? "record \(text) not found\(name.viewHint(in: context))",
        code: .unknownRecord
      )
    }
    guard candidates.count == 1 else { throw name.ambiguous(candidates) }
    return first
  }

  fileprivate static let prefixLength = 4

  /// The only one of them, or the only one of the current entity.
  private func preferred(_ exact: [PersistentIdentifier]) -> PersistentIdentifier? {
    if exact.count == 1 { return exact[0] }
    let preferred = exact.filter { $0.entityName == entityName }
    return preferred.count == 1 ? preferred[0] : nil
  }

  /// The record that the text names, which must not be deleted.
  ///
  /// - Throws: `CommandError` as `identifier(_:)`, and for a record that the next save deletes.
  package func liveIdentifier(_ text: String) throws -> PersistentIdentifier {
    try live(identifier(text), text)
  }

  /// The record that the text of a link to an entity names, which must not be deleted.
  ///
  /// - Throws: `CommandError` as `liveIdentifier(_:)`.
  func liveIdentifier(_ text: String, linkedAs entity: String) throws -> PersistentIdentifier {
    try live(linkedIdentifier(text, of: entity), text)
  }

  private func live(_ identifier: PersistentIdentifier, _ text: String) throws
    -> PersistentIdentifier
  {
    let isGone: Bool
    switch context.pendingKind(of: identifier) {
    case .deleted:
      throw CommandError(
        "record \(identifier) is deleted (not saved yet); use \"undo\" to restore it",
        code: .unknownRecord
      )
    case .inserted, .updated: isGone = false
    case nil: isGone = try !context.exists(identifier)
    }
    guard !isGone else {
      throw CommandError("record \(Value.quoted(text)) not found", code: .unknownRecord)
    }
    return identifier
  }

  /// The record that the text names, even if it was deleted and saved earlier.
  ///
  /// - Throws: `CommandError` as `identifier(_:)`.
  func identifierInHistory(_ text: String) throws -> PersistentIdentifier {
    do {
      return try identifier(text)
    } catch let error as CommandError {
      let name = RecordName(text, in: context.schema)
      let isLong = name.key.utf8.count >= Self.prefixLength
      let deleted = Set(
        try context.transactionsWithDroppedRecords(after: nil)
          .flatMap { $0.changes.deleted.map(\.persistentIdentifier) }
          .filter { name.matches($0) && (isLong || $0.description == name.key) }
      )
      guard deleted.count == 1, let identifier = deleted.first else { throw error }
      return identifier
    }
  }

  /// Names the undo step after one record or the number of records.
  func nameStep(
    _ verb: String,
    _ identifiers: [PersistentIdentifier],
    _ snapshot: DefaultSnapshot?
  ) {
    if identifiers.count == 1, let snapshot {
      notes.stepName = "\(verb) \(context.schema.label(of: snapshot))"
    } else {
      notes.stepName = "\(verb) \(counted(identifiers.count))"
    }
  }
}

extension Schema.Entity {
  /// A record of the entity in a few words: its identifier, perhaps shortened, and its title.
  func label(of snapshot: DefaultSnapshot) -> String {
    let short = snapshot.persistentIdentifier.shortened(to: Session.prefixLength)
    let title = title(of: snapshot)
    return title.isEmpty ? short : "\(short) (\(title))"
  }

  /// The title of a record of the entity, shortened; empty if no field has one.
  func title(of snapshot: DefaultSnapshot) -> String {
    RecordTitle.text(of: snapshot.arranged(as: layout).orderedValues, in: self)
  }
}

extension Schema {
  /// A record in a few words.
  package func label(of snapshot: DefaultSnapshot) -> String {
    let identifier = snapshot.persistentIdentifier
    return entitiesByName[identifier.entityName]?.label(of: snapshot)
      ?? identifier.shortened(to: Session.prefixLength)
  }

  /// The title of a record, shortened; empty if no field has one.
  package func title(of snapshot: DefaultSnapshot) -> String {
    entitiesByName[snapshot.persistentIdentifier.entityName]?.title(of: snapshot) ?? ""
  }
}
