import OpenSwiftData

/// `view write`: writes a view into the store, where everyone who opens it finds it.
struct WriteView: Instruction {
  let name: String
  /// The view, with its entity; nil for what the table shows.
  var content: Content?

  struct Content: Hashable, Sendable {
    let entity: String
    let view: TableView
  }

  static let command = Command(
    "view write",
    usage: "NAME",
    summary: "write the columns, filter, sort and groups into the store, as a view for everyone",
    details: """
      The view becomes a record of the entity \(StoredViews.entityName), which "save" saves with the others. Only
      stores of this program have room for it. "view NAME" shows it, unless you saved another view under that name.
      """,
    changesData: true
  ) { arguments, _ in
    WriteView(name: try arguments.requireNameOfView())
  }

  func perform(in session: Session) throws -> Outcome {
    if content == nil, session.origin.isOnScreen { return .screen(.view(.write(name))) }
    let entity = try content?.entity ?? session.entity().name
    let view = try content?.view ?? session.presentView()
    try StoredViews(session).write(view, name: name, of: entity)
    return .done("wrote the view \(name) into the store; not saved yet")
  }
}

/// The views that are records of the store.
struct StoredViews {
  static let entityName = Session.viewEntityName
  private static let fields = ["entity", "name", "view"]

  private let session: Session

  /// Why a view in the store is not deleted like the others.
  static func deletionHint(_ name: String) -> String {
    "view \(name) is in the store; delete its record in \(entityName)"
  }

  init(_ session: Session) { self.session = session }

  /// The views of an entity as text, by name.
  ///
  /// Each record is judged alone: one with other values than texts must not hide the others, whose fields get another
  /// type by it in a file without a schema. It is listed under its identifier if it has no name.
  ///
  /// - Throws: The error of a store that cannot be read.
  func texts(of entity: String) throws -> [String: String] {
    guard let own = session.context.schema.entitiesByName[Self.entityName],
      Self.fields.allSatisfy({ own.fieldsByName[$0] != nil })
    else { return [:] }
    var texts: [String: String] = [:]
    let records = try session.context.fetchIdentifiers(matching: Query(Self.entityName))
    let snapshots = try session.context.snapshots(for: records, attributes: Self.fields)
    for record in records {
      guard let values = snapshots[record]?.orderedValues.map(FieldConversion.text),
        values[0] == entity
      else { continue }
      let name = values[1].isEmpty ? "\(Self.entityName) \(record)" : values[1]
      texts[name] = values[2]
    }
    return texts
  }

  /// Writes a view as an unsaved change; one with the same name is replaced.
  ///
  /// - Throws: `CommandError` for a store without room for it.
  func write(_ view: TableView, name: String, of entity: String) throws {
    let own = try ownEntity()
    let known = try session.context.fetchIdentifiers(matching: Self.query(entity, name))
    if let record = known.first, let slot = own.layout.slot(of: "view") {
      for state in try session.context.states(for: [record]) {
        state.set(.text(view.text), at: slot)
      }
    } else {
      let record = Record(entity: own)
      for (field, value) in zip(Self.fields, [entity, name, view.text]) {
        try record.set(.text(value), for: field)
      }
      session.context.insert(record)
    }
    session.notes.stepName = "write view \(name)"
  }

  /// True if the store has the entity of the views, or can get it.
  var haveRoom: Bool {
    session.context.schema.entitiesByName[Self.entityName].map(Self.suits)
      ?? (!session.context.infersTypes && session.store.allowsSchemaChanges)
  }

  /// The entity of the views, which is created if it is missing.
  private func ownEntity() throws -> Schema.Entity {
    if let own = session.context.schema.entitiesByName[Self.entityName] {
      guard Self.suits(own) else {
        throw CommandError(
          "entity \(Self.entityName) has other fields than \(Self.fields.joined(separator: ", "))"
        )
      }
      return own
    }
    guard haveRoom else {
      throw CommandError(
        "\(session.store.name) has no room for views; \"view save\", on the screen or with --plain, "
          + "keeps them next to your settings",
        code: .unsupported
      )
    }
    let fields = Self.fields.map { Schema.Attribute($0, .text, isOptional: false) }
    try session.change(.createEntity(Schema.Entity(Self.entityName, attributes: fields)))
    return try session.context.schema.entity(named: Self.entityName)
  }

  private static func suits(_ entity: Schema.Entity) -> Bool {
    fields.allSatisfy { entity.fieldsByName[$0]?.type == .text }
  }

  private static func query(_ entity: String, _ name: String) -> Query {
    let ofEntity = Filter.compare("entity", .equal, .text(entity))
    return Query(
      entityName,
      filter: .and([ofEntity, .compare("name", .equal, .text(name))])
    )
  }
}
