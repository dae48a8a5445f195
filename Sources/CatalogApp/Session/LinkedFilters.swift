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
    let names = FieldPath.names(in: text, of: entity)
    guard !names.isEmpty else { return [:] }
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
  /// - Throws: As `resolving(_:_:)`.
  /// - Complexity: As `resolving(_:_:)`.
  func resolving(_ filter: Filter, _ paths: [String: FieldPath], of entity: Schema.Entity) throws
    -> Filter
  {
    try includingTitles(paths.isEmpty ? filter : resolving(filter, paths), of: entity)
  }

  /// The filter without paths: a condition on linked records or JSON values becomes a list of them.
  ///
  /// - Throws: `CommandError` for a path that is compared with a field, or the error of a store that cannot be read.
  /// - Complexity: O(n) in the number of records of the linked entities for each condition.
  private func resolving(_ filter: Filter, _ paths: [String: FieldPath]) throws -> Filter {
    switch filter {
    case .and(let parts): return .and(try parts.map { try resolving($0, paths) })
    case .or(let parts): return .or(try parts.map { try resolving($0, paths) })
    case .not(let part): return .not(try resolving(part, paths))
    case .compareAttributes(let left, _, let right):
      guard let path = paths[left] ?? paths[right] else { return filter }
      let what =
        if case .link = path { "a field of a linked record" } else { "a value inside JSON" }
      throw CommandError(
        "\(path.name): \(what) can only be compared with a value",
        code: .invalidPredicate
      )
    default:
      guard let names = filter.attributeNames, names.count == 1, let name = names.first,
        let path = paths[name]
      else { return filter }
      switch path {
      case .link(let path): return try membership(of: path, filter.naming(path.rest))
      case .members(let path): return try membership(of: path, filter)
      }
    }
  }

  /// The JSON values that meet a condition on a value inside them.
  ///
  /// - Complexity: O(n) in the size of the different values of the field.
  private func membership(of path: MemberPath, _ condition: Filter) throws -> Filter {
    let bound = try BoundFilter(condition, layout: SnapshotLayout([path.name]))
    // A record without the value counts as null. If it matches, the others are easier to list.
    let matchesNull = bound.matches([Value.null])
    let counts = try context.valueCounts(of: path.field, matching: Query(path.entityName))
    var meter = WorkMeter()
    let listed = try counts.keys.filter { value in
      try meter.count()
      return bound.matches([path.comparedValue(in: value)]) != matchesNull
    }
    let list = Filter.isIn(path.field, listed.sorted { $0.compare($1) == .orderedAscending })
    return matchesNull ? .not(list) : list
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
