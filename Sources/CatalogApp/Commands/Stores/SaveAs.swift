import OpenSwiftData

/// `saveas`: copies everything to another store.
struct SaveAs: Instruction {
  let location: String
  /// True if a store that exists is replaced.
  var replaces = false

  static let command = Command(
    "saveas",
    usage: "LOCATION [replace]",
    summary: "copy everything, including unsaved changes, to another store",
    details: """
      LOCATION is a path or KIND:PATH, as on the command line; it must not contain any records, unless the
      word "replace" or the option --replace lets the copy take its place. A .csv or .tsv
      file holds one entity and no links; export writes a part of the records. Records keep their identifiers if both
      stores are logs, JSON catalogs, SQLite databases made by catalog, or memory; unsaved records, and those of files
      from other programs, get new ones. JSON members outside the schema (see check) are not copied. The current store
      stays open, with its unsaved changes; on the screen, the copy of a compressed file is opened. If another program
      has removed the open file, the copy can take its place.
      """,
    progress: "saveas …",
    takesFile: true
  ) { arguments, session in
    let location = try arguments.require("location").text
    let replaces = arguments.takeReplace(in: session)
    guard !session.store.isReadOnly || session.store.isView else {
      throw CommandError(
        "saveas: read-only store (opened with \(session.store.readOnlyOption))",
        code: .readOnly
      )
    }
    return SaveAs(location: location, replaces: replaces)
  }

  func perform(in session: Session) throws -> Outcome {
    guard session.settings.saving != .never else { return .note("would save to \(location)") }
    let (count, lost) = try copy(session)
    session.notes.hasWritten = true
    session.store.noteCopied()
    // A copy that took the place of the open file has the unsaved changes, too.
    if session.origin.isOnScreen, lost == 0, try isOpen(location, session) {
      return .screen(.open(location: location, isDiscarding: true))
    }
    // Only the copy can be edited.
    if session.origin.isOnScreen, session.store.unsavableReason != nil, lost == 0 {
      return .screen(.open(location: location))
    }
    let shown = DisplayText(LocationText.withoutPasswords(location)).plain
    var lines = ["saved \(counted(count)) to \(shown)"]
    if lost > 0 {
      lines.append(
        "skipped \(counted(lost, "link")) to records that do not exist; run \"check\" to list them"
      )
    }
    lines += hiddenValues(of: session)
    return .lines(lines)
  }

  /// What the copy lacks because no field shows it, one line each.
  private func hiddenValues(of session: Session) -> [String] {
    let lines =
      session.store.textBackedStores.compactMap(\.hiddenValues)
      + session.store.copyingStores.flatMap { $0.hiddenMembers(of: nil) + $0.partsBesidesRecords }
    return lines.map { "not copied: \($0)" }
  }

  /// Copies all records into a store, and keeps that its first line has names if these do not look like names.
  ///
  /// - Throws: As `copyEverything(to:reading:)`.
  private func copy(_ session: Session) throws -> (count: Int, lostLinks: Int) {
    func copy(_ reading: ReadingOptions?) throws -> (count: Int, lostLinks: Int) {
      guard replaces else { return try copyEverything(to: location, reading, session) }
      try requireOther(location, session)
      return try session.services.replaceStore(at: location) {
        try copyEverything(to: $0, reading, session)
      }
    }
    do {
      return try copy(nil)
    } catch let failure as SaveFailure
      where (failure.cause as? PersistenceError)?.code == .unsupported
    {
      // The first error tells the reason.
      guard let copied = try? copy(.namingColumns) else { throw failure }
      ReadFile.keepNames(of: location, as: "saveas", session)
      return copied
    }
  }

  /// Copies all records into a store without records.
  ///
  /// - Returns: Their number, and that of the dangling links.
  /// - Throws: `CommandError` if there is nothing to copy or the store has records, `SaveFailure` if it
  ///   cannot be written.
  private func copyEverything(
    to location: String,
    _ reading: ReadingOptions?,
    _ session: Session
  ) throws -> (count: Int, lostLinks: Int) {
    let (context, services) = (session.context, session.services)
    try requireOther(location, session)
    guard !context.schema.entities.isEmpty else {
      throw CommandError("nothing to copy: no entities yet")
    }
    for entity in context.schema.entities {
      try entity.requireRoom(for: try countForCopy(of: entity, context))
    }
    let schema = context.schema.ofCopy
    let opened = try services.open(location, schema: schema, isReadOnly: false, reading: reading)
    defer { opened.container.close() }
    guard opened.isLasting else {
      throw CommandError(
        "\(Value.quoted(location)): a memory store is not written; use a file name such as films.json or films.catlog"
      )
    }
    let target = ModelContext(opened.container)
    target.author = services.author
    try requireNoRecords(in: target, location)
    try requirePlace(for: schema, in: target, location)
    let copied = try SaveFailure.describing("not saved to \(location)") {
      try copyColumns(to: opened.container, session)
    }
    if let copied { return (copied.count, copied.lostLinks) }
    try SaveFailure.describing("not saved to \(location)") {
      try createEntities(in: target, schema)
    }
    var copy = try StoreCopy(of: context, to: target)
    do {
      for entity in context.schema.entities {
        try copy.add(entity, as: target.schema.entity(named: entity.name).layout)
      }
      try SaveFailure.describing("not saved to \(location)") {
        do {
          try target.saveNew(copy.records)
        } catch let error as PersistenceError
          where [.notUnique, .invalidValue].contains(error.code)
        {
          // That error names the copies, this one the records.
          try context.requireStorable(uniqueIn: context.schema.entities)
          throw error
        }
      }
    } catch let stopped as Interruption.Stopped {
      copy.releaseRecords()
      throw stopped
    }
    return (copy.records.count, copy.lostLinks)
  }

  /// The number of records of an entity, whose fields then have types for all of their values.
  ///
  /// - Throws: `CommandError` if another program has replaced or damaged the file, and its records, which unsaved changes
  ///   build on, cannot be read.
  private func countForCopy(of entity: Schema.Entity, _ context: ModelContext) throws -> Int {
    do {
      try context.settleTypes(for: Query(entity.name))
      return try context.fetchCount(matching: Query(entity.name))
    } catch let error as PersistenceError where [.conflict, .damaged].contains(error.code) {
      let rest = context.hasChanges ? "; run \"changes\" first to list your unsaved changes" : ""
      throw CommandError("cannot copy records: \(error)\(rest)", code: FailureCode(error))
    }
  }

  /// Copies the records by columns if the store at the location can; nil otherwise.
  private func copyColumns(to container: ModelContainer, _ session: Session) throws
    -> CopiedRecords?
  {
    // Only the context knows unsaved changes.
    guard !session.context.hasChanges, session.context.container.stores.count == 1,
      container.stores.count == 1,
      let source = session.context.container.stores[0] as? any QueryableStore,
      let target = container.stores[0] as? any CopyingStore
    else { return nil }
    return try target.copyRecords(of: source, author: session.services.author)
  }

  /// True if a location is the open store.
  private func isOpen(_ location: String, _ session: Session) throws -> Bool {
    try session.store.location.map { try session.services.isSame($0, location) } ?? false
  }

  /// Checks that the location is not the open store, unless another program has removed its file.
  private func requireOther(_ location: String, _ session: Session) throws {
    guard let own = session.store.location, try isOpen(location, session) else { return }
    // A file that was not written yet has nothing to save but the entities.
    if session.services.isMissing(own), !session.context.isUnwritten,
      !session.context.schema.entities.isEmpty
    {
      return
    }
    throw CommandError("\(Value.quoted(location)) is the open store; run \"save\" to write to it")
  }

  private func requireNoRecords(in target: ModelContext, _ location: String) throws {
    for entity in target.schema.entities
    where try target.fetchCount(matching: Query(entity.name)) > 0 {
      throw CommandError(
        "\(Value.quoted(location)) already has \(entity.name) records; \(Session.replacementHint)"
      )
    }
  }

  /// Checks that a file that exists can have the entities, too: one for a single entity is named after it.
  private func requirePlace(for schema: Schema, in target: ModelContext, _ location: String) throws
  {
    let missing = schema.entities.filter { target.schema.entitiesByName[$0.name] == nil }
    guard !missing.isEmpty, let present = target.schema.entities.first else { return }
    do {
      for case let store as any StagingStore in target.container.stores {
        try store.check(missing.map { .createEntity($0) })
      }
    } catch let error as PersistenceError where error.code == .unsupported {
      throw CommandError(
        "\(Value.quoted(location)) already exists, with the entity \(present.name); "
          + "remove it, or choose another location",
        code: .unsupported
      )
    }
  }

  private func createEntities(in target: ModelContext, _ schema: Schema) throws {
    var missing: [Schema.Entity] = []
    for entity in schema.entities {
      guard let present = target.schema.entitiesByName[entity.name] else {
        missing.append(entity)
        continue
      }
      guard present.layout == entity.layout else {
        throw CommandError("entity \(entity.name) has different fields in the target store")
      }
    }
    let canStage = try target.canStageSchema()
    for entity in missing {
      if canStage {
        try target.stage(.createEntity(entity))
      } else {
        try target.apply(.createEntity(entity))
      }
    }
  }
}

/// The records of a context as new records, whose links refer to each other.
///
/// Records keep their keys between stores that keep identifiers, unless they are unsaved.
private struct StoreCopy {
  private let source: ModelContext
  /// The scopes of the entities in the target, for keys that are kept; nil for new keys.
  private let scopes: [String: IdentifierScope]?
  /// The identifiers of the copies of the records that links may refer to.
  private var copies: [PersistentIdentifier: PersistentIdentifier] = [:]
  /// The copies so far.
  private(set) var records: [DefaultSnapshot] = []
  /// The number of dangling links, which are not copied.
  private(set) var lostLinks = 0

  /// Numbers the records that links may refer to, in the order in which they will be copied.
  init(of source: ModelContext, to target: ModelContext) throws {
    self.source = source
    let schema = source.schema
    scopes = try Self.scopes(schema, source, target)
    guard schema.entities.contains(where: { $0.fields.contains { $0.type.destination != nil } })
    else { return }
    for entity in schema.entities {
      let scope = IdentifierScope(store: nil, entity: entity.name)
      let identifiers = try source.fetchIdentifiers(matching: Query(entity.name))
      var meter = WorkMeter()
      for (place, identifier) in identifiers.enumerated() {
        try meter.count()
        copies[identifier] = copy(of: identifier, UInt64(place) + 1, scope)
      }
    }
  }

  /// The scopes in the target; nil if one of the stores does not keep identifiers.
  private static func scopes(_ schema: Schema, _ source: ModelContext, _ target: ModelContext)
    throws -> [String: IdentifierScope]?
  {
    let stores = source.container.stores + target.container.stores
    guard stores.allSatisfy(\.isIdentifierKeeping) else { return nil }
    var scopes: [String: IdentifierScope] = [:]
    for entity in schema.entities {
      scopes[entity.name] = try target.identifierScope(of: entity.name)
    }
    return scopes
  }

  /// The identifier of a copy: with the same key, or the temporary one with this number.
  private func copy(
    of identifier: PersistentIdentifier,
    _ serial: UInt64,
    _ scope: IdentifierScope
  ) -> PersistentIdentifier {
    guard !identifier.isTemporary, let kept = scopes?[identifier.entityName] else {
      return scope.temporaryIdentifier(serial, context: 0)
    }
    return kept.identifier(withKeyOf: identifier)
  }

  /// Releases the copies of a command that was stopped.
  mutating func releaseRecords() {
    Leftovers.release(records)
    records = []
  }

  /// Adds the records of an entity in the layout that it has in the target.
  ///
  /// - Throws: `CommandError` if another program has changed it since the copy began.
  mutating func add(_ entity: Schema.Entity, as layout: SnapshotLayout) throws {
    let slots = entity.fields.indices.filter { entity.fields[$0].type.destination != nil }
    records.reserveCapacity(
      records.count + (try source.fetchCount(matching: Query(entity.name)))
    )
    let scope = IdentifierScope(store: nil, entity: entity.name)
    var serial: UInt64 = 0
    var meter = WorkMeter()
    try source.forEachSnapshot(matching: Query(entity.name)) { snapshot in
      try meter.count()
      guard snapshot.layout == entity.layout else { throw Self.changed(entity) }
      serial += 1
      let new = copy(of: snapshot.persistentIdentifier, serial, scope)
      guard copies.isEmpty || copies[snapshot.persistentIdentifier] == new else {
        throw Self.changed(entity)
      }
      var values = snapshot.orderedValues
      for slot in slots { values[slot] = copied(values[slot]) }
      records.append(
        DefaultSnapshot(
          persistentIdentifier: new,
          layout: layout,
          orderedValues: values
        )
      )
    }
    guard try source.schema.entity(named: entity.name) == entity else { throw Self.changed(entity) }
  }

  private static func changed(_ entity: Schema.Entity) -> CommandError {
    CommandError("another program changed \(entity.name) during the copy; try again")
  }

  private mutating func copied(_ value: Value) -> Value {
    lostLinks += value.linkedIdentifiers.count { copies[$0] == nil }
    return switch value {
    case .link(let link): copies[link].map { .link($0) } ?? .null
    case .links(let links): .links(links.compactMap { copies[$0] })
    default: value
    }
  }
}
