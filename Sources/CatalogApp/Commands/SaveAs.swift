import OpenSwiftData

/// `saveas`: copies everything to another store.
struct SaveAs: Instruction {
  let location: String

  static let command = Command(
    "saveas",
    usage: "LOCATION",
    summary: "copy everything, including unsaved changes, to another store",
    details: """
      LOCATION is a path or KIND:PATH, as on the command line; it must not contain any records. Files for
      other programs, such as .csv, are written by export. Records get new identifiers there. JSON members
      outside the schema (see check) are not copied. The current store stays open, with its unsaved
      changes.
      """,
    progress: "saveas …",
    takesFile: true
  ) { arguments, session in
    let location = try arguments.require("location").text
    try arguments.finish()
    guard !session.isReadOnly else {
      throw CommandError("saveas: read-only store (opened with --read-only)")
    }
    return SaveAs(location: location)
  }

  func perform(in session: Session) throws -> Outcome {
    let (count, lost) = try session.copyEverything(to: location)
    session.notes.hasWritten = true
    session.noteCopied()
    var lines = ["saved \(Session.counted(count)) to \(location)"]
    if lost > 0 {
      lines.append(
        "skipped \(Session.counted(lost, "link")) to records that do not exist; run \"check\" to list them"
      )
    }
    return .lines(lines)
  }
}

extension Session {
  /// Copies all records into a store without records.
  ///
  /// - Returns: Their number, and that of the dangling links.
  /// - Throws: `CommandError` if there is nothing to copy or the store has records, `SaveFailure` if it
  ///   cannot be written.
  fileprivate func copyEverything(to location: String) throws -> (count: Int, lostLinks: Int) {
    try requireOther(location)
    guard !context.schema.entities.isEmpty else {
      throw CommandError("nothing to copy: no entities yet")
    }
    for entity in context.schema.entities {
      try entity.requireRoom(for: try context.fetchCount(matching: Query(entity.name)))
    }
    let opened = try services.open(location, schema: context.schema, isReadOnly: false)
    guard opened.isLasting else {
      throw CommandError(
        "\(Value.quoted(location)): a memory store is not written; use a file name such as films.json or films.catlog"
      )
    }
    let target = ModelContext(opened.container)
    target.author = services.author
    try requireNoRecords(in: target, location)
    let copied = try SaveFailure.describing("not saved to \(location)") {
      try copyColumns(to: opened.container)
    }
    if let copied { return (copied.count, copied.lostLinks) }
    try SaveFailure.describing("not saved to \(location)") { try createEntities(in: target) }
    var copy = StoreCopy(from: context, to: target)
    for entity in context.schema.entities { try copy.insertRecords(of: entity) }
    for entity in context.schema.entities { try copy.setLinks(of: entity) }
    try SaveFailure.describing("not saved to \(location)") { try target.save() }
    return (copy.count, copy.lostLinks)
  }

  /// Lets the store at the location take the records over; nil if it cannot.
  ///
  /// Unsaved changes are known to the context only.
  private func copyColumns(to container: ModelContainer) throws -> CopiedRecords? {
    guard !context.hasChanges, context.container.stores.count == 1, container.stores.count == 1,
      let source = context.container.stores[0] as? any QueryableStore,
      let target = container.stores[0] as? any CopyingStore
    else { return nil }
    return try target.copyRecords(of: source, author: services.author)
  }

  /// Checks that the location is not the open store.
  private func requireOther(_ location: String) throws {
    guard let own = self.location, try services.isSame(own, location) else { return }
    throw CommandError("\(Value.quoted(location)) is the open store; run \"save\" to write to it")
  }

  private func requireNoRecords(in target: ModelContext, _ location: String) throws {
    for entity in target.schema.entities
    where try target.fetchCount(matching: Query(entity.name)) > 0 {
      throw CommandError(
        "\(Value.quoted(location)) already has \(entity.name) records; choose another location"
      )
    }
  }

  private func createEntities(in target: ModelContext) throws {
    var missing: [Schema.Entity] = []
    for entity in context.schema.entities {
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

/// Copies records from one context into another, a batch at a time.
private struct StoreCopy {
  private let source: ModelContext
  private let target: ModelContext
  private var records: [PersistentIdentifier: Record] = [:]
  /// The number of dangling links, which are not copied.
  private(set) var lostLinks = 0

  init(from source: ModelContext, to target: ModelContext) {
    self.source = source
    self.target = target
  }

  var count: Int { records.count }

  /// Inserts the records of an entity without their links.
  mutating func insertRecords(of entity: Schema.Entity) throws {
    let copied = try target.schema.entity(named: entity.name)
    let slots = entity.fields.indices.filter { entity.fields[$0].type.destination == nil }
    for batch in try source.fetchIdentifiers(matching: Query(entity.name)).batches {
      let snapshots = try source.snapshots(for: Array(batch))
      for identifier in batch {
        guard let snapshot = snapshots[identifier] else { continue }
        try requireSame(snapshot, entity)
        let values = snapshot.orderedValues
        let record = Record(entity: copied)
        let state = record.persistentState
        for slot in slots { state.set(values[slot], at: slot) }
        target.insert(record)
        records[identifier] = record
      }
    }
  }

  /// Fails if another program has changed the fields since the copy began.
  private func requireSame(_ snapshot: DefaultSnapshot, _ entity: Schema.Entity) throws {
    guard snapshot.layout != entity.layout else { return }
    throw CommandError(
      "another program changed the fields of \(entity.name) during the copy; try again"
    )
  }

  /// Sets the links of an entity to the copies of their targets; dangling links are dropped and
  /// counted.
  mutating func setLinks(of entity: Schema.Entity) throws {
    let slots = entity.fields.indices.filter { entity.fields[$0].type.destination != nil }
    guard !slots.isEmpty else { return }
    for batch in try source.fetchIdentifiers(matching: Query(entity.name)).batches {
      let snapshots = try source.snapshots(for: Array(batch))
      for identifier in batch {
        guard let snapshot = snapshots[identifier],
          let state = records[identifier]?.persistentState
        else { continue }
        try requireSame(snapshot, entity)
        let values = snapshot.orderedValues
        for slot in slots {
          lostLinks += values[slot].linkedIdentifiers.filter { records[$0] == nil }.count
          state.set(copied(values[slot]), at: slot)
        }
      }
    }
  }

  private func copied(_ value: Value) -> Value {
    switch value {
    case .link(let link): records[link].map { .link($0.persistentModelID) } ?? .null
    case .links(let links): .links(links.compactMap { records[$0]?.persistentModelID })
    default: value
    }
  }
}
