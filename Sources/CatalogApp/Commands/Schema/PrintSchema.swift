import OpenSwiftData

/// `schema`: prints the fields of an entity.
struct PrintSchema: Instruction {
  /// The entity; nil for all of them.
  let entityName: String?

  static let command = Command(
    "schema",
    usage: "[ENTITY]",
    summary: "print the fields of an entity with their types",
    details: """
      Without ENTITY, the fields of all entities. The column "reason" tells why a field is read-only. In json, prints what --schema reads, with the entities that
      fields of ENTITY link to.
      """
  ) { arguments, session in
    let isNamed =
      !arguments.isEmpty || session.entityName != nil || session.context.schema.entities.count == 1
    return PrintSchema(entityName: isNamed ? try session.takeEntity(&arguments).name : nil)
  }

  func perform(in session: Session) throws -> Outcome {
    let isNamed = entityName != nil
    if !isNamed {
      // The fields of a view have the types that it declares until it is read, which may take any time.
      for entity in session.context.schema.entities
      where !session.context.computesRecords(of: entity.name) {
        try session.context.readTypes(of: entity.name)
      }
    }
    let entities =
      try entityName.map { [try session.context.schema.entity(named: $0)] }
      ?? session.context.schema.entities
    if session.settings.format == .json || session.settings.answersPrograms {
      return try document(entities, session.context)
    }
    let fields = entities.flatMap(\.fields)
    // Only a few stores have such fields.
    let (hasReadOnly, hasCause, hasBlob) = (
      fields.contains(where: \.isReadOnly), fields.contains(where: \.hasReadOnlyCause),
      fields.contains(where: \.isBlob)
    )
    let columns =
      ["field", "type", "required", "unique", "default"] + (hasReadOnly ? ["read-only"] : [])
      + (hasBlob ? ["blob"] : []) + (hasCause ? ["reason"] : [])
    return .table(
      OutputTable(
        columns: isNamed ? columns : ["entity"] + columns,
        rows: entities.flatMap { entity in
          entity.fields.map { attribute -> [Value] in
            var row: [Value] = isNamed ? [] : [.text(entity.name)]
            row += [
              .text(attribute.name), .text(attribute.typeSpelling),
              .boolean(!attribute.isOptional), .boolean(attribute.isUnique), attribute.defaultValue,
            ]
            if hasReadOnly { row.append(.boolean(attribute.isReadOnly)) }
            if hasBlob { row.append(.boolean(attribute.isBlob)) }
            if hasCause { row.append(attribute.readOnlyCause.map(Value.text) ?? .null) }
            return row
          }
        }
      )
    )
  }

  /// The entities and those that they link to, as a schema file.
  private func document(_ named: [Schema.Entity], _ context: ModelContext) throws -> Outcome {
    var wanted = Set(named.map(\.name))
    var open = named
    while let entity = open.popLast() {
      for name in entity.fields.compactMap(\.type.destination) where wanted.insert(name).inserted {
        open += context.schema.entitiesByName[name].map { [$0] } ?? []
      }
    }
    return try .schemaFile(Schema(context.schema.entities.filter { wanted.contains($0.name) }))
  }
}

extension Outcome {
  /// A schema as the text of a schema file.
  static func schemaFile(_ schema: Schema) throws -> Outcome {
    let lines = try SchemaFile.lines(schema)
    let json = try JSONText.compact(lines.joined(separator: "\n"))
    return .facts(Facts(lines, [("schema", json)]))
  }
}
