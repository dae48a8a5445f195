import OpenSwiftData

/// Links that are given as JSON objects with values of the linked record.
extension Session {
  /// The record that a JSON object names by values of its fields: `{"name": "Calvino"}`; nil for one that names null.
  ///
  /// - Throws: `CommandError` for text that is not such an object, and as `record(with:in:for:)`.
  func record(named object: String, for attribute: Schema.Attribute) throws -> PersistentIdentifier?
  {
    let destination = try context.schema.entity(named: attribute.type.destination ?? "")
    let members = try members(of: object, attribute)
    if let (name, cell) = members.first, name == destination.identifierKey {
      guard members.count == 1, case .text(let text) = cell else {
        throw CommandError(
          "\(attribute.name): expected the identifier alone, as in {\(JSONText.quoted(name)): \"…\"}",
          code: .invalidValue
        )
      }
      return try linked(text, from: attribute)
    }
    var conditions: [Filter] = []
    var words: [String] = []
    for (name, cell) in members {
      let (field, value) = try linkedValue(name, cell, of: destination, for: attribute)
      if members.count == 1 {
        if value.isNull { return nil }
        if field.type.destination == nil {
          return try record(with: value.text, in: field, for: attribute)
        }
      }
      conditions.append(value.isNull ? .isNull(name) : .compare(name, .equal, value))
      words.append("\(name) \(value.isNull ? "null" : Value.quoted(value.text))")
    }
    var found: [PersistentIdentifier] = []
    for entity in context.schema.entities
    where context.schema.accepts(entity.name, for: destination.name) {
      let query = Query(
        entity.name,
        filter: .and(conditions),
        limit: Schema.Attribute.shownLinks + 1
      )
      found += try context.fetchIdentifiers(matching: query)
    }
    return try attribute.only(found, with: words.joined(separator: ", "))
  }

  /// The members of a JSON object, of which there must be one.
  private func members(of object: String, _ attribute: Schema.Attribute) throws
    -> [(name: String, cell: ImportCell)]
  {
    var members: [(name: String, cell: ImportCell)] = []
    do {
      var reader = JSONReader(Array(object.utf8))
      try reader.forEachMember { name, reader in
        members.append((name, ImportCell(try reader.next())))
      }
      guard reader.isAtEnd else { throw ValueError("unexpected text after the object") }
      guard !members.isEmpty else {
        throw ValueError("expected a value of the linked record in {}")
      }
    } catch let error as ValueError {
      throw CommandError("\(attribute.name): \(error)", code: .invalidValue)
    }
    return members
  }

  /// A value of a linked record as its field has it.
  private func linkedValue(
    _ name: String,
    _ cell: ImportCell,
    of destination: Schema.Entity,
    for attribute: Schema.Attribute
  ) throws -> (field: Schema.Attribute, value: Value) {
    do {
      let field = try destination.attribute(named: name)
      return (field, try value(json: cell, for: field))
    } catch let error as PersistenceError {
      throw CommandError("\(attribute.name): \(error.message)", code: FailureCode(error))
    } catch let error as ValueError {
      throw CommandError("\(attribute.name): \(name): \(error)", code: .invalidValue)
    }
  }
}
