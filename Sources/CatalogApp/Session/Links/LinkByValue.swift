import OpenSwiftData

/// Links that are given by a value of the linked record: `author=name:"Calvino"`.
extension Session {
  /// The record with a value that the text of a link names; nil if the text is an identifier.
  ///
  /// - Throws: As `record(with:in:for:)`.
  func recordByValue(_ text: String, for attribute: Schema.Attribute) throws
    -> PersistentIdentifier?
  {
    guard let (field, value) = attribute.linkedField(text, in: context.schema),
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
    var found = try records(of: destination, with: value, in: field.name)
    // Entities with the same fields can be linked, too, but the declared one is meant.
    for entity in found.isEmpty ? context.schema.entities : []
    where entity.name != destination && context.schema.accepts(entity.name, for: destination) {
      found += try records(of: entity.name, with: value, in: field.name)
    }
    return try attribute.only(found, with: "\(field.name) \(Value.quoted(text))")
  }

  private func records(of entity: String, with value: Value, in field: String) throws
    -> [PersistentIdentifier]
  {
    let limit = Schema.Attribute.shownLinks + 1
    return try fetchIdentifiers(Query(entity, filter: .compare(field, .equal, value), limit: limit))
  }
}

extension Schema.Attribute {
  /// A field of the linked entity and the text of its value, if the text of a link names one.
  func linkedField(_ text: String, in schema: Schema) -> (
    field: Schema.Attribute, value: String
  )? {
    guard
      let destination = type.destination.flatMap({ schema.entitiesByName[$0] })
    else { return nil }
    for place in text.indices where text[place] == ":" {
      guard let field = destination.fieldsByName[String(text[..<place])],
        field.type.destination == nil
      else { continue }
      return (field, String(text[text.index(after: place)...]))
    }
    return nil
  }

  /// Checks the field of a text such as `name:Calvino`, which names no record.
  ///
  /// - Throws: `CommandError` if the linked entity does not have it.
  func requireLinkedField(_ text: String, in schema: Schema) throws {
    guard let colon = text.firstIndex(of: ":"), String(text[..<colon]).isParameterName,
      let destination = type.destination.flatMap({ schema.entitiesByName[$0] })
    else { return }
    do {
      _ = try destination.attribute(named: String(text[..<colon]))
    } catch {
      throw CommandError("\(name): \(error)", code: FailureCode(error))
    }
  }

  /// The only record of those that were found.
  func only(_ found: [PersistentIdentifier], with values: String) throws -> PersistentIdentifier {
    let words = "\(type.destination ?? "") with \(values)"
    guard let record = found.first else {
      throw CommandError("\(name): \(words) not found", code: .unknownRecord)
    }
    guard found.count == 1 else {
      let names = found.prefix(Self.shownLinks).map(\.description).joined(separator: ", ")
      throw CommandError(
        "\(name): \(words) is ambiguous (\(names)"
          + (found.count > Self.shownLinks ? ", …" : "") + "); use an identifier",
        code: .ambiguousRecord
      )
    }
    return record
  }

  /// The number of records that a message names.
  static var shownLinks: Int { 3 }
}
