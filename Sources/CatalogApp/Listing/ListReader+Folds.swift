import OpenSwiftData

/// Groups of the list that are folded.
extension ListReader {
  /// The number of records whose groups are read at once.
  private static let groupedRecords = 1024

  /// Folds groups of the list, which was just queried; all except their first records are then not shown.
  ///
  /// - Returns: The first record of each folded group.
  /// - Throws: The error of a store that cannot be read, `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of records, for each group that is folded by itself.
  func fold(_ folds: GroupFolds?, _ list: inout RecordList) throws -> Set<PersistentIdentifier> {
    guard let folds, !folds.isEmpty else { return [] }
    try list.count(through: .max)
    let groups =
      try folds.folded.map { try ranges(of: $0, folds.field, list) }
      ?? ranges(of: folds, list)
    let heads = try groups.flatMap { group in
      try list.identifiers(in: group.lowerBound..<(group.lowerBound + 1))
    }
    list.fold(groups)
    return Set(heads)
  }

  /// The group in which a row of the unfolded list is; nil if that record no longer exists.
  func foldedMatch(at row: Int, _ list: RecordList) throws -> FoldedMatch? {
    guard let field = list.spec?.folds?.field else { return nil }
    let found = try list.records(in: row..<(row + 1), attributes: [field], session.context).first
    return found.flatMap { found in
      let group = found.snapshot?.orderedValues.first
      return group.map { FoldedMatch(record: found.identifier, group: $0) }
    }
  }

  /// The rows of the groups with some values, in order.
  private func ranges(of values: Set<Value>, _ field: String, _ list: RecordList) throws
    -> [Range<Int>]
  {
    var ranges: [Range<Int>] = []
    for value in values {
      try Interruption.check()
      let own: Filter = value.isNull ? .isNull(field) : .compare(field, .equal, value)
      guard
        let start = try list.row(matching: own, from: 0, isForward: true, session.context),
        start < list.queriedCount
      else { continue }
      let next = try list.row(
        matching: .not(own),
        from: start,
        isForward: true,
        session.context
      )
      ranges.append(start..<min(next ?? list.queriedCount, list.queriedCount))
    }
    return ranges.sorted { $0.lowerBound < $1.lowerBound }
  }

  /// The rows of all groups that are folded, in order.
  private func ranges(of folds: GroupFolds, _ list: RecordList) throws -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var group: (start: Int, value: Value)?
    func end(at row: Int) {
      guard let group, folds.contains(group.value) else { return }
      ranges.append(group.start..<row)
    }
    for start in stride(from: 0, to: list.queriedCount, by: Self.groupedRecords) {
      try Interruption.check()
      let page = start..<min(start + Self.groupedRecords, list.queriedCount)
      let records = try list.records(in: page, attributes: [folds.field], session.context)
      for (row, record) in zip(page, records) {
        // Another program may have deleted the record.
        let value = record.snapshot?.orderedValues.first ?? .null
        if group?.value == value { continue }
        end(at: row)
        group = (row, value)
      }
    }
    end(at: list.queriedCount)
    return ranges
  }
}
