import OpenSwiftData

/// Groups the rows of a file by entity.
struct ImportPlan {
  let session: Session
  private var names: [String] = []
  private var builderByName: [String: ImportBuilder] = [:]
  private var linksByName: [String: LinkColumns] = [:]
  private var waiting: [String: [ImportRow]] = [:]
  private var created: [Schema.Entity] = []
  private var notes: [String] = []
  /// The columns of the first row of each entity that is created from the file.
  private(set) var newHeadings: [[String]] = []

  init(session: Session) {
    self.session = session
  }

  var isEmpty: Bool { names.isEmpty }

  /// The records in the order of the file, by entity.
  var builders: [ImportBuilder] { names.compactMap { builderByName[$0] } }

  /// Notes for the user about the interpretation of values, one line each.
  var lines: [String] {
    notes
      + builders.flatMap { builder in
        builder.zonelessCounts.sorted { $0.key < $1.key }.map { name, count in
          "\(builder.entity.name).\(name): "
            + "\(counted(count, "time")) without a zone read as UTC"
        }
      }
  }

  /// Notes about fields that the schema of the file describes as links, but that became text in a new entity.
  func lostLinks(of schema: Schema?) -> [String] {
    guard let schema else { return [] }
    return builders.flatMap { builder in
      builder.entity.fields.compactMap { field in
        guard field.type.destination == nil,
          schema.entitiesByName[builder.entity.name]?.fieldsByName[field.name]?.type.destination
            != nil
        else { return nil }
        return "\(builder.entity.name).\(field.name): links kept as text; "
          + "use \"by id\" to keep identifiers and links"
      }
    }
  }

  mutating func add(_ row: ImportRow, to name: String) throws {
    if builderByName[name] == nil, waiting[name] == nil {
      names.append(name)
      if let entity = try session.context.describedEntity(name) {
        builderByName[name] = ImportBuilder(entity, session: session)
        linksByName[name] = LinkColumns(entity, in: session.context.schema)
      } else {
        waiting[name] = []
      }
    }
    if builderByName[name] == nil {
      waiting[name]?.append(row)
    } else {
      try builderByName[name]?.add(linksByName[name]?.row(row) ?? row)
    }
  }

  /// Adds all rows of separated values at once, as columns.
  ///
  /// - Returns: False, with nothing added, if they have to be added one by one.
  /// - Throws: `Interruption.Stopped`, or the error of a store that cannot be read.
  mutating func addColumns(of source: ImportSource, to name: String) throws -> Bool {
    guard let fields = DelimitedFields(source) else { return false }
    let known = try session.context.describedEntity(name)
    var inference = TypeInference()
    var expected = 0
    if known == nil {
      guard let count = try inference.add(fields) else { return false }
      expected = count
    }
    let entity = known ?? inference.entity(name)
    var builder = ImportBuilder(entity, session: session, isNew: known == nil)
    guard try builder.add(fields, expecting: expected), builder.count > 0 else { return false }
    names.append(name)
    builderByName[name] = builder
    if known == nil { note(entity, from: inference, fields.columns) }
    return true
  }

  /// Creates the missing entities.
  mutating func finish() throws {
    for name in names {
      guard let rows = waiting[name] else { continue }
      var inference = TypeInference()
      let counter = WorkCounter("examining", of: 2 * rows.count)
      for row in rows {
        inference.add(row)
        try counter.add()
      }
      let entity = inference.entity(name)
      var builder = ImportBuilder(entity, session: session, isNew: true)
      for row in rows {
        try builder.add(row)
        try counter.add()
      }
      builderByName[name] = builder
      note(entity, from: inference, rows.first?.columns)
    }
    for entity in created { try session.describe(entity) }
  }

  /// Notes an entity that is created from the file.
  private mutating func note(
    _ entity: Schema.Entity,
    from inference: TypeInference,
    _ columns: [String]?
  ) {
    created.append(entity)
    if let columns { newHeadings.append(columns) }
    notes += inference.zonelessFields(of: entity).map {
      "\(entity.name).\($0): kept as text, because its times have no zone (such as Z or +02:00)"
    }
  }
}

extension Session {
  /// Creates an entity, or gives its fields to one without any.
  ///
  /// - Throws: The error of a store that refuses it.
  func describe(_ entity: Schema.Entity) throws {
    guard context.schema.entitiesByName[entity.name] != nil else {
      _ = try change(.createEntity(entity))
      return
    }
    for field in entity.fields { _ = try change(.addAttribute(entity: entity.name, field)) }
  }
}

extension ModelContext {
  /// The entity that rows must fit; nil if it does not exist, or is that of an empty file without types.
  ///
  /// - Throws: The error of a store that cannot be read.
  func describedEntity(_ name: String) throws -> Schema.Entity? {
    guard let entity = schema.entitiesByName[name] else { return nil }
    let isBlank =
      try entity.fields.isEmpty && infersTypes
      && fetchCount(matching: Query(name)) == 0
    return isBlank ? nil : entity
  }
}
