import OpenSwiftData

/// Links that are given by a value of the linked record: `author=name:"Calvino"`.
extension Session {
  /// A field of the linked entity and the text of its value, if the text of a link names one.
  func linkedField(_ text: String, of attribute: Schema.Attribute) -> (
    field: Schema.Attribute, value: String
  )? {
    guard
      let destination = attribute.type.destination.flatMap({ context.schema.entitiesByName[$0] })
    else { return nil }
    for place in text.indices where text[place] == ":" {
      guard let field = destination.fieldsByName[String(text[..<place])],
        field.type.destination == nil
      else { continue }
      return (field, String(text[text.index(after: place)...]))
    }
    return nil
  }

  /// The record with a value that the text of a link names; nil if the text is an identifier.
  ///
  /// - Throws: As `record(with:in:for:)`.
  func recordByValue(_ text: String, for attribute: Schema.Attribute) throws
    -> PersistentIdentifier?
  {
    guard let (field, value) = linkedField(text, of: attribute),
      try context.identifiers(exactly: text).isEmpty
    else { return nil }
    return try record(with: value, in: field, for: attribute)
  }

  /// The only record to which a link can refer that has a value in a field.
  ///
  /// - Throws: `CommandError` if no record or several have it, or if the text is not a valid value of the field.
  /// - Complexity: O(n) in the number of records of the linked entity; O(1) for the links of a whole file.
  func record(with text: String, in field: Schema.Attribute, for attribute: Schema.Attribute) throws
    -> PersistentIdentifier
  {
    let destination = attribute.type.destination ?? ""
    let value: Value
    do {
      value = try Value(parsing: text, as: field.type)
    } catch {
      throw CommandError("\(attribute.name): \(field.name): \(error)", code: .invalidValue)
    }
    var found: [PersistentIdentifier] = []
    for entity in context.schema.entities
    where context.schema.accepts(entity.name, for: destination) {
      found += try records(of: entity.name, with: value, in: field.name)
    }
    return try only(found, "\(field.name) \(Value.quoted(text))", attribute)
  }

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
      let query = Query(entity.name, filter: .and(conditions), limit: Self.shownCount + 1)
      found += try context.fetchIdentifiers(matching: query)
    }
    return try only(found, words.joined(separator: ", "), attribute)
  }

  /// The members of a JSON object, of which there must be one.
  private func members(of object: String, _ attribute: Schema.Attribute) throws
    -> [(name: String, cell: ImportCell)]
  {
    var (members, seen) = ([(name: String, cell: ImportCell)](), Set<String>())
    do {
      var reader = JSONReader(Array(object.utf8))
      try reader.forEachMember { name, reader in
        guard seen.insert(name).inserted else {
          throw ValueError("duplicate key \(Value.quoted(name))")
        }
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

  /// The only record of those that were found.
  private func only(
    _ found: [PersistentIdentifier],
    _ values: String,
    _ attribute: Schema.Attribute
  ) throws -> PersistentIdentifier {
    let words = "\(attribute.type.destination ?? "") with \(values)"
    guard let record = found.first else {
      throw CommandError("\(attribute.name): \(words) not found", code: .unknownRecord)
    }
    guard found.count == 1 else {
      let names = found.prefix(Self.shownCount).map(\.description).joined(separator: ", ")
      throw CommandError(
        "\(attribute.name): \(words) is ambiguous (\(names)"
          + (found.count > Self.shownCount ? ", …" : "") + "); use an identifier",
        code: .ambiguousRecord
      )
    }
    return record
  }

  private func records(of entity: String, with value: Value, in field: String) throws
    -> [PersistentIdentifier]
  {
    let limit = Self.shownCount + 1
    guard linkIndex != nil else {
      let filter = Filter.compare(field, .equal, value)
      return try context.fetchIdentifiers(matching: Query(entity, filter: filter, limit: limit))
    }
    return try linkIndex?.records(of: entity, with: value, in: field, limit: limit, context) ?? []
  }

  private static let shownCount = 3
}
