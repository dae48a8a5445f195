import OpenSwiftData

/// Groups of the list that are folded.
extension EffectPerformer {
  /// The maximum number of groups that are folded.
  private static let mostGroups = 2000

  /// Folds groups of the list, which was just queried; all except their first records are then not shown.
  ///
  /// - Returns: The first record of each folded group.
  /// - Throws: The error of a store that cannot be read, `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of records up to the last folded group, for each group that is folded by itself.
  func fold(_ folds: GroupFolds?, _ list: inout RecordList) throws -> Set<PersistentIdentifier> {
    guard let folds, !folds.isEmpty else { return [] }
    try list.count(through: .max)
    var groups: [Range<Int>] = []
    if let values = folds.folded {
      for value in values {
        try Interruption.check()
        let own = Self.filter(folds.field, value)
        guard
          let start = try list.row(matching: own, from: 0, isForward: true, session.context),
          start < list.queriedCount
        else { continue }
        groups.append(start..<(try end(of: own, from: start, list)))
      }
      groups.sort { $0.lowerBound < $1.lowerBound }
    } else {
      var start = 0
      while start < list.queriedCount, groups.count < Self.mostGroups {
        try Interruption.check()
        let first = try list.records(
          in: start..<(start + 1),
          attributes: [folds.field],
          session.context
        )
        // Another program may have deleted the record.
        let value = first.first?.snapshot?.orderedValues.first ?? .null
        let end = try end(of: Self.filter(folds.field, value), from: start, list)
        if folds.contains(value) { groups.append(start..<end) }
        start = end
      }
    }
    let heads = try groups.flatMap { group in
      try list.identifiers(in: group.lowerBound..<(group.lowerBound + 1))
    }
    list.hide(groups.map { ($0.lowerBound + 1)..<$0.upperBound })
    return Set(heads)
  }

  private static func filter(_ field: String, _ value: Value) -> Filter {
    value.isNull ? .isNull(field) : .compare(field, .equal, value)
  }

  /// The row after the last one of the group that begins at a row.
  private func end(of group: Filter, from start: Int, _ list: RecordList) throws -> Int {
    let next = try list.row(
      matching: .not(group),
      from: start,
      isForward: true,
      session.context
    )
    return min(next ?? list.queriedCount, list.queriedCount)
  }
}
