import OpenSwiftData

/// `sort`: sorts the table.
struct SortTable: Instruction {
  let keys: [SortKey]

  static let command = Command(
    "sort",
    usage: "[-]FIELD,…",
    summary: "sort the table; empty clears the sort"
  ) { arguments, session in
    let entity = try session.entity()
    let keys = try arguments.takeSortKeys(
      of: session.withComputedColumns(entity),
      in: session.context.schema,
      as: session.origin.isOnScreen ? .typedSortKeys : .sortKeys
    )
    return SortTable(
      keys: keys.map { key in
        var key = key
        key.attribute =
          session.origin.nameOfColumn(typed: key.attribute, of: entity) ?? key.attribute
        return key
      }
    )
  }

  func perform(in session: Session) throws -> Outcome { try session.show(.sort(keys)) }
}

extension Arguments {
  /// The fields in the remaining words, separated by commas or spaces.
  fileprivate mutating func takeSortKeys(
    of entity: Schema.Entity,
    in schema: Schema,
    as use: FieldList.Use
  ) throws -> [SortKey] {
    var keys: [SortKey] = []
    while let word = next() {
      let list = line.typed(word.start..<word.end).trimmingPrefix { $0 == "," }
      guard let last = list.lastIndex(where: { $0 != "," }) else { continue }
      keys += try FieldList.items(
        Array(String(list[...last]).utf8)[...],
        of: entity,
        in: schema,
        as: use,
        locate: { _, read in try read() }
      )
      .map { SortKey($0.name, isDescending: $0.isDescending) }
    }
    return keys
  }
}
