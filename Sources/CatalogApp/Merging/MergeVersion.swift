package import OpenSwiftData

/// The records of one entity in one of the three files of a merge.
package struct MergeVersion: Sendable {
  /// The fields, in the order of the file.
  let fields: [String]
  /// The types that the values of the file have shown.
  let types: [String: AttributeType]
  /// The records, in the order of the file, with the texts of all values as the file has them.
  let records: [DefaultSnapshot]
  /// The same records by their identifiers.
  let byIdentifier: [PersistentIdentifier: DefaultSnapshot]

  /// A file that does not exist yet.
  static let none = MergeVersion(fields: [], types: [:], records: [])

  private init(fields: [String], types: [String: AttributeType], records: [DefaultSnapshot]) {
    (self.fields, self.types, self.records) = (fields, types, records)
    byIdentifier = Dictionary(
      records.map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Reads the records as texts, or as JSON if the file has types of values.
  ///
  /// - Parameters:
  ///   - name: The entity.
  ///   - context: The file; its fields hold any values from then on.
  ///   - fields: The fields of JSON that the context is to know besides its own.
  /// - Throws: The error of a file that cannot be read.
  /// - Complexity: O(n) in the number of values.
  init(_ name: String, in context: ModelContext, adding fields: [String]) throws {
    let entity = try Self.texts(of: name, in: context, adding: fields)
    self.init(
      fields: try context.schema.entity(named: name).fields.map(\.name),
      types: Dictionary(entity.fields.map { ($0.name, $0.type) }, uniquingKeysWith: { $1 }),
      records: try context.fetchSnapshots(matching: Query(name))
    )
  }

  /// Lets the fields hold any values, which are the texts of the file then, or JSON if it has types of values.
  ///
  /// - Returns: The entity as it was before.
  /// - Throws: The error of a file that cannot be read.
  @discardableResult
  package static func texts(
    of name: String,
    in context: ModelContext,
    adding fields: [String] = []
  ) throws -> Schema.Entity {
    try context.settleTypes(for: Query(name))
    let entity = try context.schema.entity(named: name)
    let hasOnlyTexts = context.hasOnlyTexts
    let wanted = entity.fields.map(\.name) + (hasOnlyTexts ? [] : fields)
    let type: AttributeType = hasOnlyTexts ? .text : .json
    _ = try context.widenTypes(
      toHold: [name: Dictionary(wanted.map { ($0, type) }, uniquingKeysWith: { $1 })]
    )
    return entity
  }

  /// The members of a JSON object that are no records; none for another value.
  ///
  /// - Throws: The error of a text that is not JSON.
  /// - Complexity: O(n × m) in the length of the text and the number of members.
  package static func membersBeside(_ names: [String], in json: String) throws -> [String] {
    let whole = JSONMemberScanner(try Value(parsing: json, as: .json).text)
    return whole.memberNames.sorted().compactMap { name in
      var member = whole
      guard !names.contains(name), member.enter(.member(name)) else { return nil }
      return "\(name):\(member.value)"
    }
  }

  /// True if a record has another value than in the version before, in any field that both have, or one in a new field.
  func isChanged(_ record: DefaultSnapshot, since former: DefaultSnapshot) -> Bool {
    record.spelledAlike(in: fields) != former.spelledAlike(in: fields)
  }

  /// True if a record has a value in the field.
  func hasValues(in field: String) -> Bool {
    records.contains { !($0[field] ?? .null).spelledAlike.isEmpty }
  }
}

extension DefaultSnapshot {
  /// The values of some fields as they are compared.
  func spelledAlike(in fields: [String]) -> [String] {
    fields.map { self[$0]?.spelledAlike ?? "" }
  }
}
