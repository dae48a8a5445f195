import OpenSwiftData

/// Looks for the column that tells records apart.
extension ListReader {
  /// The number of records whose values are compared.
  private static let titledRecords = 100

  /// Finds the column with the best name for a title whose values differ in the first records: a field, or a member
  /// of the objects in a field; else a unique text instead of a field whose values are alike.
  ///
  /// - Complexity: O(n) in the size of the first records.
  func findTitle(of name: String) throws -> FindTitle.Reply? {
    guard list.spec?.entityName == name, facts.entityName == name else { return nil }
    let entity = try session.context.schema.entity(named: name)
    let range = 0..<min(list.count, Self.titledRecords)
    let records = try list.records(in: range, session.context).compactMap(\.snapshot?.orderedValues)
    let differing = { (names: [String]) in
      names.first { name in
        entity.layout.slot(of: name).map { slot in Self.differ(records.map { $0[slot] }) } ?? false
      }
    }
    let names = RecordTitle.titleFields(of: entity)
    let unique = entity.fields.filter { $0.isUnique && $0.type == .text }.map(\.name)
    let column =
      try differing(names).map { TableColumn($0) } ?? titleMember(records, entity)
      ?? (names.isEmpty ? nil : differing(unique) ?? names.first).map { TableColumn($0) }
    return FindTitle.Reply(column: column)
  }

  /// The member of objects with the best name for a title whose values differ; nil if there is none.
  private func titleMember(_ records: [[Value]], _ entity: Schema.Entity) throws -> TableColumn? {
    var best: (rank: Int, column: TableColumn)?
    for (slot, field) in entity.fields.enumerated() where field.type == .json {
      let objects = records.map { $0[slot] }
      var ranks: [String: Int] = [:]
      for case .json(let json) in objects where json.utf8.count <= RecordTitle.longestObject {
        for name in JSONMemberScanner(json).memberNames where ranks[name] == nil {
          ranks[name] = RecordTitle.titleRank(name)
        }
      }
      for (name, rank) in ranks.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) })
      where best.map({ rank < $0.rank }) ?? true {
        let path = JSONPath([.member(name)])
        guard Self.differ(objects.map { path.value(in: $0) }) else { continue }
        // A member whose name cannot be written as a path has no column.
        let column = (try? session.column(field.name + path.text, of: entity)) ?? nil
        if let column { best = (rank, column) }
      }
    }
    return best?.column
  }

  /// True for texts most of which are there and differ.
  private static func differ(_ values: [Value]) -> Bool {
    let texts = values.compactMap { value in
      if case .text(let text) = value, !text.isEmpty { text } else { nil }
    }
    return texts.count > 1 && texts.count * 2 >= values.count
      && Set(texts).count * 2 > texts.count
  }
}
