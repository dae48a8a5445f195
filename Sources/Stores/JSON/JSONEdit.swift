/// One stretch of the file that is written anew.
struct JSONEdit {
  enum Kind {
    case text([UInt8])
    case patch(section: Int, row: Int, JSONRecordPatch)
    /// New records behind others.
    case insertion(section: Int)
    /// New records where no other is left.
    case content(section: Int)
    /// Arrays for entities that had none.
    case newSections
  }

  let range: Range<Int>
  let kind: Kind
}

/// Where things lie after edits were made, in the order of the file.
struct JSONShifts {
  private var ends: [Int] = []
  private var starts: [Int] = []
  private var deltas: [Int] = []

  /// Notes that the range became so many bytes.
  mutating func note(_ range: Range<Int>, newLength: Int) {
    starts.append(range.lowerBound)
    ends.append(range.upperBound)
    deltas.append((deltas.last ?? 0) + newLength - range.count)
  }

  /// The new place of what stood at the offset; edits that end there come before it.
  ///
  /// - Complexity: O(log n) in the number of edits.
  func place(of offset: Int) -> Int {
    let count = partition(ends) { $0 <= offset }
    return count == 0 ? offset : offset + deltas[count - 1]
  }

  /// The same for the end of something: edits that begin there come behind it.
  func place(ofEnd offset: Int) -> Int {
    var count = partition(ends) { $0 <= offset }
    while count > 0, starts[count - 1] >= offset { count -= 1 }
    return count == 0 ? offset : offset + deltas[count - 1]
  }

  private func partition(_ values: [Int], _ isBefore: (Int) -> Bool) -> Int {
    if let last = values.last, isBefore(last) { return values.count }
    var low = 0
    var high = values.count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(values[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
