import OpenSwiftData

/// A range of the file and what replaces it.
struct JSONEdit {
  enum Kind {
    case text([UInt8])
    /// Another text of a record, by its patch in the plan.
    case patch(section: Int, row: Int)
    /// New records at a place between existing ones, or after the last one.
    case insertion(JSONInsertion)
    /// New records in an array that has no other ones left.
    case content(section: Int)
    /// Arrays for entities without one.
    case newSections
  }

  let range: Range<Int>
  let kind: Kind

  /// The order at a record without any byte: new records before it, its own text, and those after it.
  var rank: Int {
    if case .insertion(let insertion) = kind { insertion.isFirst ? 0 : 2 } else { 1 }
  }
}

/// New records that follow each other in the file.
struct JSONInsertion {
  let section: Int
  /// The places among the new records of the section, in the order of the file.
  let records: [Int]
  /// True if they are written before an existing record instead of after one.
  let isFirst: Bool
}

/// Maps offsets before the edits to offsets after them, in file order.
struct JSONShifts {
  private var ends: [Int] = []
  private var starts: [Int] = []
  private var deltas: [Int] = []

  /// Notes that the range now has the given length.
  mutating func note(_ range: Range<Int>, newLength: Int) {
    starts.append(range.lowerBound)
    ends.append(range.upperBound)
    deltas.append((deltas.last ?? 0) + newLength - range.count)
  }

  /// The new position of what was at the offset; edits that end there count as before it.
  ///
  /// - Complexity: O(log n) in the number of edits.
  func place(of offset: Int) -> Int {
    let count = partition(ends) { $0 <= offset }
    return count == 0 ? offset : offset + deltas[count - 1]
  }

  /// The same for an end position: edits that begin there count as after it.
  func place(ofEnd offset: Int) -> Int {
    var count = partition(ends) { $0 <= offset }
    while count > 0, starts[count - 1] >= offset { count -= 1 }
    return count == 0 ? offset : offset + deltas[count - 1]
  }

  private func partition(_ values: [Int], _ isBefore: (Int) -> Bool) -> Int {
    if let last = values.last, isBefore(last) { return values.count }
    return values.indices.partitioningIndex { !isBefore(values[$0]) }
  }
}
