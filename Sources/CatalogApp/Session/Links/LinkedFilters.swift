import Foundation
import OpenSwiftData

/// Predicates over the fields of linked records and over the values inside JSON fields.
///
/// Stores do not follow paths. A comparison of `author.name` becomes a list of the authors that match, with which
/// the link is compared: one query of the authors, then one of the books. A comparison of `user.login` becomes a
/// list of the JSON values that match.
extension Session {
  /// The paths that occur in the text of a predicate, by their names.
  ///
  /// - Complexity: O(n) in the length of the text.
  func paths(in text: Substring, of entity: Schema.Entity) -> [String: FieldPath] {
    var paths: [String: FieldPath] = [:]
    for path in computedPaths(of: entity) where text.contains(path.name) { paths[path.name] = path }
    let names = FieldPath.names(in: text, of: entity)
    guard !names.isEmpty else { return paths }
    let tokens = PredicateToken.split(String(text))
    for name in names {
      // A name that is wrong is an error only where the predicate uses it.
      guard let path = try? self.path(name, of: entity, in: tokens) else { continue }
      paths[name] = path
    }
    return paths
  }

  /// The error of a predicate, which says what is wrong with a path instead of naming an unknown field.
  func explained(_ error: FilterSyntaxError, in text: String, _ entity: Schema.Entity) -> any Error
  {
    guard error.problem == .unknownField else { return error }
    let rest = text.dropFirst(error.column - 1)
    let name =
      rest.first == "`"
      ? rest.dropFirst().prefix { $0 != "`" }
      : rest.prefix { !$0.isWhitespace && !"=<>!(),{}&|\"'#".contains($0) }
    do {
      _ = try LinkPath(String(name), of: entity, in: context.schema)
      return error
    } catch {
      return CommandError(
        FailureCode.place(of: error).message,
        column: text.count - rest.count + 1,
        code: .unknownField
      )
    }
  }

  /// The filter without paths and titles: a condition on linked records or JSON values becomes a list of them.
  ///
  /// - Throws: `CommandError` for a path that is compared with a field, the error of a store that cannot be read, or
  ///   `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of records of the linked entities for each condition.
  func resolving(_ filter: Filter, _ paths: [String: FieldPath] = [:], of entity: Schema.Entity)
    throws -> Filter
  {
    let links = entity.fields.filter { $0.type.destination != nil }
    guard !paths.isEmpty || !links.isEmpty else { return filter }
    return try filter.mapConditions {
      try membership(in: $0, paths) ?? includingTitles($0, links, entity)
    }
  }

  /// The list of the linked records or JSON values that meet a condition; nil for one without a path.
  private func membership(in condition: Filter, _ paths: [String: FieldPath]) throws -> Filter? {
    switch condition {
    case .compareAttributes(let left, _, let right):
      let used = [left, right].compactMap { paths[$0] }
      guard let path = used.first else { return nil }
      if let computed = used.first(where: \.isComputed) {
        return try membership(ofRecordsOf: computed, condition, paths)
      }
      let what =
        if case .link = path { "a field of a linked record" } else { "a value inside JSON" }
      throw CommandError(
        "\(path.name): \(what) can only be compared with a value",
        code: .invalidPredicate
      )
    default:
      guard let name = condition.attributeNames?.first, let path = paths[name] else { return nil }
      switch path {
      case .link(let path): return try membership(of: path, condition.naming(path.rest))
      case .members(let path): return try membership(of: path, condition)
      case .computed: return try membership(ofRecordsOf: path, condition, paths)
      }
    }
  }

  /// The records that meet a condition on a computed column; one for which it has no value counts as null.
  ///
  /// - Complexity: O(n) in the number of records of the entity.
  private func membership(
    ofRecordsOf column: FieldPath,
    _ condition: Filter,
    _ paths: [String: FieldPath]
  ) throws -> Filter {
    guard case .computed(let computed) = column else { return condition }
    let names = (condition.attributeNames ?? []).sorted()
    let bound = try BoundFilter(condition, layout: SnapshotLayout(names))
    let entity = try context.schema.entity(named: computed.entityName)
    var found: [Value] = []
    try context.forEachPage(matching: Query(entity.name)) { page in
      try Interruption.check()
      let records = RecordFields(page)
      let columns = try names.map { name in
        try paths[name].map { try context.values(at: $0, of: records) } ?? records.values(name)
      }
      for place in 0..<page.count where bound.matches(columns.map { $0[place] }) {
        found.append(.text(records.identifiers[place].description))
      }
    }
    return .isIn(entity.identifierKey, found)
  }

  /// The JSON values that meet a condition on a value inside them.
  ///
  /// - Complexity: O(n) in the size of the values of the field.
  private func membership(of path: MemberPath, _ condition: Filter) throws -> Filter {
    var matching = MemberMatching(
      path,
      try BoundFilter(condition, layout: SnapshotLayout([path.name]))
    )
    let query = Query(path.entityName, attributes: [path.field])
    var column = TextColumn()
    var meter = WorkMeter()
    try context.forEachPage(matching: query) { page in
      // Another program may have removed the field.
      guard let slot = page.layout.slot(of: path.field) else { return }
      column.removeAll()
      page.append(0..<page.count, slot: slot, to: &column)
      try column.bytes.withUnsafeBufferPointer { bytes in
        var start = 0
        for place in 0..<column.count {
          let end = column.ends[place]
          try meter.count()
          if column.forms[place] != .null {
            matching.add(UnsafeBufferPointer(rebasing: bytes[start..<end]))
          }
          start = end
        }
      }
    }
    // A record without the value counts as null. If it matches, the others are easier to list.
    let list = Filter.isIn(path.field, matching.listed)
    return matching.matchesNull ? .not(list) : list
  }

  /// The records whose linked record meets a condition on the field at the end of the path.
  private func membership(of path: LinkPath, _ condition: Filter) throws -> Filter {
    let alone = try BoundFilter(condition, layout: SnapshotLayout([path.rest]))
    // A record without a link has no value there. If it matches, the others are easier to list.
    let matchesNull = alone.matches([Value.null])
    let wanted = matchesNull ? .not(condition) : condition
    var links: [Value] = []
    for entity in context.schema.entities
    where context.schema.accepts(entity.name, for: path.destination) {
      let next = try self.path(path.rest, of: entity)
      let filter = try resolving(wanted, next.map { [path.rest: $0] } ?? [:], of: entity)
      links += try context.fetchIdentifiers(matching: Query(entity.name, filter: filter))
        .map { .link($0) }
    }
    let list = Filter.isIn(path.link, links)
    return matchesNull ? .not(list) : list
  }
}

/// Collects the JSON values that meet a condition on a value inside them.
private struct MemberMatching {
  /// True if a record without the value meets the condition.
  let matchesNull: Bool
  /// The different values that meet it, or, if null does, those that do not; in the order of the records.
  private(set) var listed: [Value] = []
  /// As bytes: equal texts may be spelled with other code points, and stores compare bytes.
  private var seen: Set<[UInt8]> = []
  private let path: MemberPath
  private let condition: BoundFilter
  /// Whether values inside meet the condition, by their JSON; many records have the same one.
  private var known: [String: Bool] = [:]
  private static let knownLimit = 1 << 14

  init(_ path: MemberPath, _ condition: BoundFilter) {
    (self.path, self.condition) = (path, condition)
    matchesNull = condition.matches([Value.null])
  }

  /// Adds the value of a record.
  mutating func add(_ json: UnsafeBufferPointer<UInt8>) {
    guard let range = path.path.range(in: json) else { return }
    let found = String(decoding: UnsafeBufferPointer(rebasing: json[range]), as: UTF8.self)
    guard matches(found) != matchesNull else { return }
    guard seen.insert(Array(json)).inserted else { return }
    listed.append(.json(String(decoding: json, as: UTF8.self)))
  }

  private mutating func matches(_ found: String) -> Bool {
    let isPlain = found.utf8.allSatisfy { $0 < 0x80 }
    if isPlain, let known = known[found] { return known }
    let result = condition.matches([path.compared(Value(memberJSON: found))])
    if isPlain, known.count < Self.knownLimit { known[found] = result }
    return result
  }
}

extension Filter {
  /// The condition on one field under another name.
  fileprivate func naming(_ name: String) -> Filter {
    switch self {
    case .compare(_, let comparison, let value): .compare(name, comparison, value)
    case .between(_, let low, let high): .between(name, low, high)
    case .isIn(_, let values): .isIn(name, values)
    case .text(_, let match): .text(name, match)
    case .isNull: .isNull(name)
    case .constant, .compareAttributes, .anyText, .and, .or, .not: self
    }
  }
}
