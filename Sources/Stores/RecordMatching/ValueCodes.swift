import OpenSwiftData

/// The values of a column, or of several together, in two versions of a table, as numbers: equal values have the same
/// number.
///
/// Values are equal if they are spelled alike, so that a value stays the same when the type of its column changes.
/// 0 stands for no value.
struct ValueCodes: Sendable {
  /// The code of each former row, in the order of the rows.
  private(set) var former: [Int32] = []
  /// The code of each present row.
  private(set) var present: [Int32] = []
  /// The number of codes, including that of no value.
  private(set) var count = 1
  /// By code, whether the value is a number; see `isNumber(_:)`.
  private var numbers: [Bool] = []
  private var areNumbers = false

  /// Numbers the values of two columns in these rows.
  ///
  /// - Complexity: O(n) in the number of rows, expected.
  init(_ old: Column, _ oldRows: [Int32], _ new: Column, _ newRows: [Int32]) {
    areNumbers = old.kind.isNumeric && new.kind.isNumeric
    if old.kind == new.kind, old.hasBits {
      fill(old, oldRows, new, newRows) { column, row in column.bits(at: row) }
    } else {
      fill(old, oldRows, new, newRows) { $0.spelling(at: $1) }
    }
  }

  /// Numbers digests of the rows.
  init<Key: Hashable>(_ former: [Key?], _ present: [Key?]) {
    var codes: [Key: Int32] = [:]
    self.former = former.map { code($0, &codes) }
    self.present = present.map { code($0, &codes) }
  }

  private mutating func fill<Key: Hashable>(
    _ old: Column,
    _ oldRows: [Int32],
    _ new: Column,
    _ newRows: [Int32],
    _ key: (Column, Int) -> Key?
  ) {
    var codes: [Key: Int32] = [:]
    former.reserveCapacity(oldRows.count)
    present.reserveCapacity(newRows.count)
    numbers = [false]
    for row in oldRows { former.append(code(key(old, Int(row)), &codes)) }
    for (place, row) in newRows.enumerated() {
      // Most rows are where they were, counted from the beginning or from the end.
      let end = place + oldRows.count - newRows.count
      if old.kind == new.kind {
        if place < oldRows.count, new.equals(Int(row), old, Int(oldRows[place])) {
          present.append(former[place])
          continue
        }
        if oldRows.indices.contains(end), new.equals(Int(row), old, Int(oldRows[end])) {
          present.append(former[end])
          continue
        }
      }
      present.append(code(key(new, Int(row)), &codes))
    }
  }

  private mutating func code<Key: Hashable>(_ key: Key?, _ codes: inout [Key: Int32]) -> Int32 {
    guard let key else { return 0 }
    if let known = codes[key] { return known }
    let code = Int32(count)
    codes[key] = code
    count += 1
    if let text = key as? String { numbers.append(SpelledNumber(text.utf8) != nil) }
    return code
  }

  /// Numbers the values of several columns together; rows without any of them have the code 0.
  ///
  /// - Complexity: O(nk) for n rows and k columns, expected.
  init(joining columns: [ValueCodes], rowCounts: (former: Int, present: Int)) {
    guard let first = columns.first else {
      former = Array(repeating: 0, count: rowCounts.former)
      present = Array(repeating: 0, count: rowCounts.present)
      return
    }
    self = first
    for column in columns.dropFirst() { join(column) }
  }

  /// Adds a column to those that are joined.
  private mutating func join(_ column: ValueCodes) {
    var codes: [UInt64: Int32] = [:]
    codes.reserveCapacity(max(count, column.count))
    var next: Int32 = 1
    func joined(_ code: Int32, _ other: Int32) -> Int32 {
      if code == 0, other == 0 { return 0 }
      let pair = UInt64(UInt32(bitPattern: code)) << 32 | UInt64(UInt32(bitPattern: other))
      if let known = codes[pair] { return known }
      defer { next += 1 }
      codes[pair] = next
      return next
    }
    for row in former.indices { former[row] = joined(former[row], column.former[row]) }
    for row in present.indices { present[row] = joined(present[row], column.present[row]) }
    count = Int(next)
  }

  /// True if the code stands for a number or for no value.
  func isNumber(_ code: Int32) -> Bool {
    code == 0 || areNumbers || (Int(code) < numbers.count && numbers[Int(code)])
  }

  /// Where the codes occur once.
  var once: (former: SinglePlaces, present: SinglePlaces) {
    (SinglePlaces(former, count), SinglePlaces(present, count))
  }
}

/// For each code, the place of the only row that has it.
struct SinglePlaces: Sendable {
  /// -1 for none, -2 for several.
  private var places: [Int32]

  /// - Complexity: O(n).
  init(_ codes: [Int32], _ count: Int) {
    places = Array(repeating: -1, count: count)
    for (place, code) in codes.enumerated() {
      places[Int(code)] = places[Int(code)] == -1 ? Int32(place) : -2
    }
  }

  /// The place of the only row with the code; nil for none, for several, and for no value.
  subscript(code: Int32) -> Int? {
    let place = places[Int(code)]
    return code == 0 || place < 0 ? nil : Int(place)
  }

  /// True if several rows have the code.
  func isRepeated(_ code: Int32) -> Bool { code != 0 && places[Int(code)] == -2 }
}

extension Column {
  /// True if equal values have equal bits.
  fileprivate var hasBits: Bool {
    switch layout {
    case .whole, .float, .flag, .days: true
    default: false
    }
  }

  /// The bits of a value; nil if there is none.
  fileprivate func bits(at row: Int) -> UInt64? {
    guard let place = place(of: row), !nulls[place] else { return nil }
    switch layout {
    case .flag: return flags[place] ? 1 : 0
    case .days: return UInt64(bitPattern: Int64(days[place]))
    default: return words[place] == 1 << 63 && layout == .float ? 0 : words[place]
    }
  }

  /// The text of a value as it is compared with a column of another kind; nil if there is none.
  fileprivate func spelling(at row: Int) -> String? {
    if isNull(row) { return nil }
    let text = value(at: row).spelledAlike
    return text.isEmpty ? nil : text
  }
}
