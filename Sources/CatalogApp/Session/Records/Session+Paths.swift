import OpenSwiftData

extension Session {
  /// Finds the path with a name, and looks at records for the type of its values.
  ///
  /// The tokens of a predicate tell the type if no record has a value.
  ///
  /// - Throws: As `FieldPath`, and the error of a store that cannot be read.
  func path(_ name: String, of entity: Schema.Entity, in tokens: [PredicateToken] = []) throws
    -> FieldPath?
  {
    switch try FieldPath(name, of: entity, in: context.schema) {
    case .members(var path)?:
      path.type = try commonType(at: path) ?? FieldPath.comparedType(of: name, in: tokens)
      return .members(path)
    case .link(var path)?:
      let linked = try context.schema.entity(named: path.destination)
      if let inner = try self.path(path.rest, of: linked) { path.type = inner.type }
      return .link(path)
    case .computed(let path)?: return .computed(path)
    case nil: return nil
    }
  }

  /// The records in which no value was found at the end of a path, in words; nil if one has a value, or if no records
  /// were searched.
  ///
  /// - Throws: The error of a store that cannot be read.
  func countWithoutValue(at path: MemberPath) throws -> String? {
    guard try commonType(at: path) == nil else { return nil }
    let query = Query(path.entityName, filter: .not(.isNull(path.field)))
    let count = try context.fetchCount(matching: query)
    if count == 0 { return nil }
    return count > Self.typedRecords
      ? "the first \(Self.typedRecords) records" : counted(count)
  }

  /// The number of records that are read to find a type.
  static let typedRecords = 500

  /// The type of the first values at the end of a path: text unless all of them are of another one; nil if there
  /// are none.
  private func commonType(at path: MemberPath) throws -> AttributeType? {
    let query = Query(
      path.entityName,
      filter: .not(.isNull(path.field)),
      limit: Self.typedRecords
    )
    let values = try context.fetchSnapshots(matching: query).map { snapshot in
      snapshot.layout.slot(of: path.field).map {
        path.path.value(in: snapshot.orderedValues[$0])
      } ?? .null
    }
    return AttributeType(common: values)
  }

  /// Converts a typed filter that names records, their titles or paths; the session looks them up.
  ///
  /// - Throws: `FilterInput.Problem` with the error and its position, or the error of a store that cannot be read.
  func filter(typed text: String, for entity: Schema.Entity) throws -> Filter {
    let paths = paths(in: text[...], of: entity)
    let known = entity.extended(
      withIdentifier: false,
      paths: paths.values.sorted { $0.name < $1.name }
    )
    let parsed = try FilterInput.filter(text, for: known, link: linked)
    do {
      return try resolving(parsed, paths, of: entity)
    } catch let error as CommandError {
      throw FilterInput.Problem(column: 1, message: error.message)
    }
  }
}

extension AttributeType {
  /// The type of values that may differ in theirs: text unless all are of another one; nil if there are none.
  init?(common values: [Value]) {
    var type: AttributeType?
    for value in values {
      let found: AttributeType
      switch value {
      case .null: continue
      case .boolean: found = .boolean
      case .integer: found = .integer
      case .decimal: found = .decimal
      case .number: found = .number
      case .json: found = .json
      default: found = .text
      }
      if let known = type, known != found {
        if !known.isNumeric || !found.isNumeric {
          type = .text
        } else {
          type = known == .number || found == .number ? .number : .decimal
        }
      } else {
        type = found
      }
      if type == .text { break }
    }
    guard let type else { return nil }
    self = type
  }
}
