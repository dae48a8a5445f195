import Foundation
import OpenSwiftData

/// Sorts rows by sort keys, stably.
///
/// Every key gives each row a code of 64 bits with the order of the values, or of their beginnings.
/// Codes are sorted by radix; rows with equal codes by the next bytes of the value, then by the
/// next key. Small numbers of rows, and layouts without a code, are compared directly. Large numbers of rows are divided
/// by the first bits of their codes, and several threads sort the parts.
struct RowSorter {
  struct Entry {
    var code: UInt64
    var row: Int32
    var place: Int32
  }

  /// Rows that must be sorted further.
  struct SortTask {
    var range: Range<Int>
    var key: Int
    /// The bytes of a text, or the words of a UUID, that are known to be equal.
    var depth: Int
  }

  let columns: [Column]
  let keys: [SortKey]
  var rows: [Int32]
  /// Only this many of the first rows must be correct.
  let wantedCount: Int
  /// The number of threads, and of the rows from which they are used.
  let (threads, dividedCount): (Int, Int)
  private var tasks: [SortTask] = []
  private var meter = WorkMeter()

  private static let fewRows = 24

  private init(
    _ rows: [Int32],
    _ wantedCount: Int,
    _ keys: [(slot: Int, key: SortKey)],
    _ table: EntityTable,
    _ division: (threads: Int, rows: Int)
  ) {
    (threads, dividedCount) = division
    columns = keys.map { table.columns[$0.slot].dense(table.rowCount) }
    self.keys = keys.map(\.key)
    self.rows = rows
    self.wantedCount = wantedCount
  }

  /// Sorts some of the rows of another sorter on this thread.
  init(_ rows: [Int32], _ wantedCount: Int, of other: RowSorter) {
    (columns, keys, self.rows, self.wantedCount) = (other.columns, other.keys, rows, wantedCount)
    (threads, dividedCount) = (1, .max)
  }

  /// The first rows in the order of the keys; rows with equal keys keep their order.
  ///
  /// - Complexity: O(n) for each key and each seven bytes of text that tell rows apart.
  static func sorted(
    _ rows: [Int32],
    first wantedCount: Int,
    by keys: [(slot: Int, key: SortKey)],
    of table: EntityTable,
    threads: Int = DividedWork.threadCount,
    dividing dividedCount: Int = dividedCount
  ) throws -> ArraySlice<Int32> {
    var sorter = RowSorter(rows, wantedCount, keys, table, (threads, dividedCount))
    sorter.tasks.append(SortTask(range: 0..<rows.count, key: 0, depth: 0))
    try sorter.performTasks()
    return sorter.rows.prefix(wantedCount)
  }

  /// Sorts all rows, which have these codes under a key, and then those with equal codes further.
  mutating func finish(_ entries: [Entry], key: Int, depth: Int) throws {
    var entries = entries
    try Self.sort(&entries)
    for (place, entry) in entries.enumerated() { rows[place] = entry.row }
    try continueGroups(entries, SortTask(range: 0..<entries.count, key: key, depth: depth))
    try performTasks()
  }

  private mutating func performTasks() throws {
    while let task = tasks.popLast() {
      try meter.count(task.range.count >> 2)
      try perform(task)
    }
  }

  private mutating func perform(_ task: SortTask) throws {
    guard task.key < keys.count, task.range.count > 1, task.range.lowerBound < wantedCount else {
      return
    }
    if task.range.count <= Self.fewRows { return insertionSort(task.range, from: task.key) }
    let range = task.depth == 0 ? separateNulls(task) : task.range
    if range.count <= Self.fewRows { return insertionSort(range, from: task.key) }
    guard var entries = codes(range, task) else {
      return try comparisonSort(range, from: task.key)
    }
    let wanted = wantedCount - range.lowerBound
    if wanted <= 0 { return }
    if wanted < entries.count / 2 { Self.dropUnneeded(&entries, wanted) }
    let found = SortTask(range: range, key: task.key, depth: task.depth)
    if threads > 1, entries.count >= dividedCount, try sortDivided(entries, found) { return }
    try Self.sort(&entries)
    for (place, entry) in entries.enumerated() { rows[range.lowerBound + place] = entry.row }
    try continueGroups(entries, found)
  }

  /// Moves the rows without a value to the front or the end.
  ///
  /// - Returns: The range of the other rows.
  private mutating func separateNulls(_ task: SortTask) -> Range<Int> {
    let nulls = columns[task.key].nulls
    if nulls.isEmpty { return task.range }
    let slice = rows[task.range]
    let empty = slice.filter { nulls[Int($0)] }
    if empty.isEmpty { return task.range }
    let full = slice.filter { !nulls[Int($0)] }
    let isFirst = keys[task.key].nullsFirst
    rows.replaceSubrange(task.range, with: isFirst ? empty + full : full + empty)
    let middle = task.range.lowerBound + (isFirst ? empty.count : full.count)
    let (front, back) = (task.range.lowerBound..<middle, middle..<task.range.upperBound)
    tasks.append(SortTask(range: isFirst ? front : back, key: task.key + 1, depth: 0))
    return isFirst ? back : front
  }

  /// Continues sorting where rows have the same code.
  private mutating func continueGroups(_ entries: [Entry], _ task: SortTask) throws {
    let flip: UInt64 = keys[task.key].isDescending ? .max : 0
    let layout = columns[task.key].layout
    let start = task.range.lowerBound
    var first = 0
    while first < entries.count {
      var end = first + 1
      while end < entries.count, entries[end].code == entries[first].code { end += 1 }
      if end - first > 1 {
        let step = Self.stepBeyond(entries[first].code ^ flip, layout, task.depth)
        let group = SortTask(
          range: (start + first)..<(start + end),
          key: step == nil ? task.key + 1 : task.key,
          depth: step.map { task.depth + $0 } ?? 0
        )
        // Only a few rows at a time: a list of all would be as long as the rows.
        if end - first <= Self.fewRows { try perform(group) } else { tasks.append(group) }
      }
      first = end
    }
  }

  /// How much deeper to compare values with the same code; nil if they are equal.
  private static func stepBeyond(_ code: UInt64, _ layout: ValueKind.Layout, _ depth: Int)
    -> Int?
  {
    switch layout {
    case .bytes: code & 0xFF > 7 ? 7 : nil
    case .pair: depth == 0 ? 1 : nil
    default: nil
    }
  }
}

// MARK: Codes

extension RowSorter {
  /// The codes of the rows under a key; nil for layouts without one.
  private func codes(_ range: Range<Int>, _ task: SortTask) -> [Entry]? {
    let column = columns[task.key]
    let words = column.words
    let sign = UInt64(1) << 63
    switch column.layout {
    case .whole: return entries(range, task) { words[$0] ^ sign }
    case .float:
      return entries(range, task) { row in
        // Positive and negative zero are equal.
        let number = Double(bitPattern: words[row]) + 0
        let bits = (number.isNaN ? .nan : number).bitPattern
        return bits & sign == 0 ? bits | sign : ~bits
      }
    case .days: return entries(range, task) { UInt64(bitPattern: Int64(column.days[$0])) ^ sign }
    case .flag: return entries(range, task) { column.flags[$0] ? 1 : 0 }
    case .pair: return entries(range, task) { words[2 * $0 + task.depth] }
    case .bytes: return textEntries(range, task, column)
    case .decimal: return decimalEntries(range, task, column)
    case .link, .links: return nil
    }
  }

  @inline(__always)
  private func entries(_ range: Range<Int>, _ task: SortTask, _ code: (Int) -> UInt64) -> [Entry] {
    let flip: UInt64 = keys[task.key].isDescending ? .max : 0
    return [Entry](unsafeUninitializedCapacity: range.count) { buffer, count in
      for place in range {
        let row = rows[place]
        buffer[count] = Entry(code: code(Int(row)) ^ flip, row: row, place: Int32(count))
        count += 1
      }
    }
  }

  /// Seven bytes of the text, big-endian, then their number: 8 if the text continues.
  private func textEntries(_ range: Range<Int>, _ task: SortTask, _ column: Column) -> [Entry] {
    column.words.withUnsafeBufferPointer { words in
      column.bytes.withUnsafeBytes { bytes in
        entries(range, task) { row in
          let span = Span(packed: words[row])
          let start = span.start + task.depth
          let count = span.count - task.depth
          assert(count >= 0, "only texts that go on are looked at further")
          if start + 8 <= bytes.count {
            let word = UInt64(
              bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            )
            let mask = count >= 7 ? ~UInt64(0xFF) : ~(.max >> UInt64(8 * count))
            return word & mask | UInt64(min(count, 8))
          }
          var word: UInt64 = 0
          for offset in 0..<7 {
            word = word << 8 | (offset < count ? UInt64(bytes[start + offset]) : 0)
          }
          return word << 8 | UInt64(min(count, 8))
        }
      }
    }
  }

  /// The mantissas for the smallest exponent that occurs; nil if one overflows 64 bits.
  private func decimalEntries(_ range: Range<Int>, _ task: SortTask, _ column: Column) -> [Entry]? {
    var smallest = Int(Int8.max)
    for place in range {
      let exponent = column.exponents[Int(rows[place])]
      if exponent == CompactDecimal.largeMark { return nil }
      smallest = min(smallest, Int(exponent))
    }
    var fits = true
    let result = entries(range, task) { row in
      let decimal = CompactDecimal(
        mantissa: Int64(bitPattern: column.words[row]),
        exponent: column.exponents[row]
      )
      guard let mantissa = decimal.mantissa(withExponent: smallest) else {
        fits = false
        return 0
      }
      return UInt64(bitPattern: mantissa) ^ 1 << 63
    }
    return fits ? result : nil
  }
}

// MARK: Sorting codes

extension RowSorter {
  /// Sorts by code, then by position.
  private static func sort(_ entries: inout [Entry]) throws {
    if entries.count < 400 {
      entries.sort { ($0.code, $0.place) < ($1.code, $1.place) }
    } else {
      try radixSort(&entries)
    }
  }

  /// Digit by digit from the last, leaving out the bits in which all codes agree.
  private static func radixSort(_ entries: inout [Entry]) throws {
    let varying = varyingBits(entries)
    guard varying != 0 else { return }
    let low = varying.trailingZeroBitCount
    let bitCount = 64 - varying.leadingZeroBitCount - low
    let digitBits = entries.count < 1 << 15 ? 8 : 11
    var other = entries
    for digit in 0..<((bitCount + digitBits - 1) / digitBits) {
      let shift = UInt64(low + digit * digitBits)
      let mask = UInt64(1) << UInt64(digitBits) - 1
      if varying >> shift & mask == 0 { continue }
      try Interruption.check()
      var starts = [Int](repeating: 0, count: 1 << digitBits)
      entries.withUnsafeBufferPointer { source in
        other.withUnsafeMutableBufferPointer { target in
          starts.withUnsafeMutableBufferPointer { starts in
            scatter(source, target, starts, shift, mask)
          }
        }
      }
      swap(&entries, &other)
    }
  }

  static func scatter(
    _ source: UnsafeBufferPointer<Entry>,
    _ target: UnsafeMutableBufferPointer<Entry>,
    _ starts: UnsafeMutableBufferPointer<Int>,
    _ shift: UInt64,
    _ mask: UInt64
  ) {
    for entry in source { starts[Int(entry.code >> shift & mask)] += 1 }
    var sum = 0
    for place in starts.indices {
      let count = starts[place]
      starts[place] = sum
      sum += count
    }
    for entry in source {
      let digit = Int(entry.code >> shift & mask)
      target[starts[digit]] = entry
      starts[digit] += 1
    }
  }

  static func varyingBits(_ entries: [Entry]) -> UInt64 {
    var varying: UInt64 = 0
    let first = entries[0].code
    for entry in entries { varying |= entry.code ^ first }
    return varying
  }

  /// Keeps the entries that can be among the first rows, in their order.
  private static func dropUnneeded(_ entries: inout [Entry], _ wanted: Int) {
    let varying = varyingBits(entries)
    guard varying != 0 else { return }
    let shift = UInt64(max(0, 64 - varying.leadingZeroBitCount - 11))
    var counts = [Int](repeating: 0, count: 2048)
    for entry in entries { counts[Int(entry.code >> shift & 2047)] += 1 }
    var last = 0
    var sum = counts[0]
    while sum < wanted {
      last += 1
      sum += counts[last]
    }
    entries.removeAll { Int($0.code >> shift & 2047) > last }
  }
}

// MARK: Comparing rows

extension RowSorter {
  private mutating func insertionSort(_ range: Range<Int>, from key: Int) {
    Self.insertionSort(&rows, range, columns, keys, key)
  }

  private static func insertionSort(
    _ rows: inout [Int32],
    _ range: Range<Int>,
    _ columns: [Column],
    _ keys: [SortKey],
    _ key: Int
  ) {
    for place in range.dropFirst() {
      let row = rows[place]
      var free = place
      while free > range.lowerBound, compare(row, rows[free - 1], columns, keys, key) < 0 {
        rows[free] = rows[free - 1]
        free -= 1
      }
      rows[free] = row
    }
  }

  private mutating func comparisonSort(_ range: Range<Int>, from key: Int) throws {
    let (columns, keys) = (columns, keys)
    var meter = WorkMeter()
    let sorted = try rows[range].enumerated().sorted { left, right in
      try meter.count()
      let order = Self.compare(left.element, right.element, columns, keys, key)
      return order == 0 ? left.offset < right.offset : order < 0
    }
    rows.replaceSubrange(range, with: sorted.map(\.element))
  }

  /// Negative, zero or positive if the left row comes before, with or after the right one.
  private static func compare(
    _ leftRow: Int32,
    _ rightRow: Int32,
    _ columns: [Column],
    _ keys: [SortKey],
    _ first: Int
  ) -> Int {
    let (left, right) = (Int(leftRow), Int(rightRow))
    for key in first..<columns.count {
      let leftIsNull = columns[key].nulls[left]
      if leftIsNull || columns[key].nulls[right] {
        if leftIsNull == columns[key].nulls[right] { continue }
        return leftIsNull == keys[key].nullsFirst ? -1 : 1
      }
      let order = compare(left, right, columns, key)
      if order != 0 { return keys[key].isDescending ? -order : order }
    }
    return 0
  }

  // The columns are passed as an array and an index: passing a column would copy it, which retains
  // each of its arrays for every comparison.
  @inline(__always)
  private static func compare(_ left: Int, _ right: Int, _ columns: [Column], _ key: Int) -> Int {
    func order<T: Comparable>(_ one: T, _ other: T) -> Int {
      one < other ? -1 : one == other ? 0 : 1
    }
    switch columns[key].layout {
    case .whole:
      return order(
        Int64(bitPattern: columns[key].words[left]),
        Int64(bitPattern: columns[key].words[right])
      )
    case .float:
      let one = Double(bitPattern: columns[key].words[left])
      let other = Double(bitPattern: columns[key].words[right])
      // NaN comes after all numbers.
      return one.isNaN || other.isNaN
        ? (one.isNaN ? 1 : 0) - (other.isNaN ? 1 : 0) : order(one, other)
    case .days: return order(columns[key].days[left], columns[key].days[right])
    case .bytes:
      let one = Span(packed: columns[key].words[left])
      let other = Span(packed: columns[key].words[right])
      return columns[key].bytes.withUnsafeBufferPointer { bytes in
        TextOrder.compare(
          UnsafeBufferPointer(rebasing: bytes[one.range]),
          UnsafeBufferPointer(rebasing: bytes[other.range])
        )
      }
    default: return columns[key].value(at: left).compare(columns[key].value(at: right)).rawValue
    }
  }
}
