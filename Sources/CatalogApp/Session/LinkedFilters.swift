import OpenSwiftData

/// Predicates over the fields of linked records.
///
/// Stores do not follow links. A comparison of `author.name` becomes a list of the authors that match, with which
/// the link is compared: one query of the authors, then one of the books.
extension Session {
  /// The paths over links that occur in the text of a predicate, by their names.
  ///
  /// - Complexity: O(n) in the length of the text.
  func linkPaths(in text: Substring, of entity: Schema.Entity) -> [String: LinkPath] {
    guard text.utf8.contains(UInt8(ascii: ".")),
      entity.fields.contains(where: { $0.type.destination != nil })
    else { return [:] }
    var paths: [String: LinkPath] = [:]
    for name in Self.names(in: text) where name.contains(".") {
      // A name that is wrong is an error only where the predicate uses it.
      guard let path = try? LinkPath(name, of: entity, in: context.schema) else { continue }
      paths[name] = path
    }
    return paths
  }

  /// The words of a predicate that may name fields, and the names in backticks.
  private static func names(in text: Substring) -> Set<String> {
    var names: Set<String> = []
    for (place, part) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
      if place % 2 == 1 { names.insert(String(part)) }
      let words = part.split { character in
        !(character.isLetter || character.isNumber || "_-.".contains(character)
          || character.unicodeScalars.contains { $0.value > 0x7F })
      }
      for word in words { names.insert(String(word)) }
    }
    return names
  }

  /// The error of a predicate, which says what is wrong with a path instead of naming an unknown field.
  func explained(_ error: FilterSyntaxError, in text: String, _ entity: Schema.Entity) -> any Error
  {
    guard error.problem == .unknownField else { return error }
    let rest = text.dropFirst(error.column - 1)
    let name =
      rest.first == "`"
      ? rest.dropFirst().prefix { $0 != "`" }
      : rest.prefix { !$0.isWhitespace && !"=<>!(),[]{}&|\"'#".contains($0) }
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

  /// The filter without paths: a condition on linked records becomes a list of them.
  ///
  /// - Throws: `CommandError` for a path that is compared with a field, or the error of a store that cannot be read.
  /// - Complexity: O(n) in the number of records of the linked entities for each condition.
  func resolving(_ filter: Filter, _ paths: [String: LinkPath]) throws -> Filter {
    switch filter {
    case .and(let parts): return .and(try parts.map { try resolving($0, paths) })
    case .or(let parts): return .or(try parts.map { try resolving($0, paths) })
    case .not(let part): return .not(try resolving(part, paths))
    case .compareAttributes(let left, _, let right):
      guard let path = paths[left] ?? paths[right] else { return filter }
      throw CommandError(
        "\(path.name): a field of a linked record can only be compared with a value",
        code: .invalidPredicate
      )
    default:
      guard let names = filter.attributeNames, names.count == 1, let name = names.first,
        let path = paths[name]
      else { return filter }
      return try membership(of: path, filter.naming(path.rest))
    }
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
      let next = try LinkPath(path.rest, of: entity, in: context.schema)
      let filter = try next.map { try resolving(wanted, [path.rest: $0]) } ?? wanted
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
