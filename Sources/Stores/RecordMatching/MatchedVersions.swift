import OpenSwiftData

/// Two versions of a table, with the columns that both have, in the order of the former version.
struct MatchedVersions {
  /// A column of both versions; its values are numbered when that is needed first.
  final class PairedColumn {
    let name: String
    let former: Column
    private let number: () -> ValueCodes
    private(set) lazy var codes = number()
    /// True if its values number the rows in both versions.
    let isNumbering: Bool

    init(
      _ name: String,
      _ former: Column,
      isNumbering: Bool = false,
      codes: @escaping () -> ValueCodes
    ) {
      (self.name, self.former, self.isNumbering, number) = (name, former, isNumbering, codes)
    }
  }

  private(set) var columns: [PairedColumn] = []
  /// The rows of the former table, in the order of the file.
  let oldRows: [Int32]
  let newRows: [Int32]
  /// The number of the rows.
  var rowCounts: (former: Int, present: Int) { (oldRows.count, newRows.count) }
  /// The name of the entity.
  let entityName: String

  /// In wider tables the values of all further columns count as one.
  private static let columnLimit = Column.wideFieldCount

  /// Pairs the columns of two tables.
  ///
  /// - Parameters:
  ///   - old: The former table.
  ///   - oldRows: Its rows in the order of the file.
  ///   - new: The present table.
  ///   - newRows: Its rows.
  ///   - names: The fields that are in both files; nil for all that the tables have in common.
  ///   - keys: Fields that are needed one by one, however many there are.
  /// - Complexity: O(n) in the number of values, expected.
  init(
    _ old: EntityTable,
    _ oldRows: [Int32],
    _ new: EntityTable,
    _ newRows: [Int32],
    fields names: Set<String>? = nil,
    keys: Set<String> = []
  ) {
    (self.oldRows, self.newRows) = (oldRows, newRows)
    entityName = old.entity.name
    var pairs = old.entity.fields.indices.compactMap {
      slot -> (name: String, old: Int, new: Int)? in
      let name = old.entity.fields[slot].name
      guard names?.contains(name) ?? true else { return nil }
      return new.entity.layout.slot(of: name).map { (name, slot, $0) }
    }
    if pairs.count > Self.columnLimit, !keys.isEmpty {
      pairs = pairs.filter { keys.contains($0.name) } + pairs.filter { !keys.contains($0.name) }
    }
    for pair in pairs.prefix(Self.columnLimit) {
      let former = old.columns[pair.old]
      let present = new.columns[pair.new]
      let isNumbering =
        RowNumbers.isName(pair.name)
        && RowNumbers.count(oldRows, in: former) && RowNumbers.count(newRows, in: present)
      columns.append(
        PairedColumn(pair.name, former, isNumbering: isNumbering) {
          ValueCodes(former, oldRows, present, newRows)
        }
      )
    }
    let rest = pairs.dropFirst(Self.columnLimit)
    if let first = rest.first {
      columns.append(
        PairedColumn(first.name, Column(ValueKind.json, isWide: true)) {
          ValueCodes(
            Self.digests(rest.map { old.columns[$0.old] }, old.rowCount, oldRows),
            Self.digests(rest.map { new.columns[$0.new] }, new.rowCount, newRows)
          )
        }
      )
    }
  }

  /// The same without columns that number the rows in both versions: these say nothing about a record.
  var withoutNumbering: MatchedVersions {
    var versions = self
    versions.columns.removeAll(where: \.isNumbering)
    return versions
  }

  /// 128 bits for the values of many columns, most of which are empty; nil for none.
  private static func digests(_ columns: [Column], _ rowCount: Int, _ rows: [Int32]) -> [[UInt64]?]
  {
    var digests = Array(repeating: [] as [UInt64], count: rowCount)
    for (place, column) in columns.enumerated() {
      for row in column.presentRows(in: 0..<rowCount) {
        let hash = Column.hash(of: .text(column.value(at: Int(row)).spelledAlike))
        let mixed = (hash ^ UInt64(place)) &* 0x9E37_79B9_7F4A_7C15
        let former = digests[Int(row)]
        digests[Int(row)] =
          former.isEmpty
          ? [mixed, hash]
          : [(former[0] ^ mixed) &* 0x0000_0100_0000_01B3, former[1] &* 31 &+ mixed ^ hash >> 32]
      }
    }
    return rows.map { digests[Int($0)].isEmpty ? nil : digests[Int($0)] }
  }

  /// The values of some columns together.
  func codes(of places: [Int]) -> ValueCodes {
    ValueCodes(joining: places.map { columns[$0].codes }, rowCounts: rowCounts)
  }

  /// The place of a column.
  func column(named name: String) -> Int? { columns.firstIndex { $0.name == name } }

  /// How much a former and a present row agree in some columns.
  func likeness(_ old: Int, _ new: Int, in places: [Int]) -> RecordLikeness {
    var likeness = RecordLikeness()
    for place in places {
      let codes = columns[place].codes
      let (one, other) = (codes.former[old], codes.present[new])
      if one == 0, other == 0 { continue }
      likeness.add(
        isEqual: one == other,
        isWord: !(codes.isNumber(one) && codes.isNumber(other))
      )
    }
    return likeness
  }

  /// The columns in which a former and a present row have a value, and those of them in which the values are equal.
  func compare(_ old: Int, _ new: Int, in places: [Int]) -> (shared: Int, equal: [Int]) {
    var shared = 0
    var equal: [Int] = []
    for place in places {
      let codes = columns[place].codes
      let (one, other) = (codes.former[old], codes.present[new])
      if one == 0, other == 0 { continue }
      shared += 1
      if one == other { equal.append(place) }
    }
    return (shared, equal)
  }
}

/// Columns that number the rows.
enum RowNumbers {
  private static let names: Set<String> = [
    "no", "nr", "num", "number", "row", "rank", "pos", "position", "place", "index",
  ]

  /// True for a name that a column of row numbers has.
  static func isName(_ name: String) -> Bool {
    name.isEmpty || name == "#" || name.hasPrefix("Unnamed") || names.contains(name.lowercased())
  }

  /// True if the values of the rows are 0, 1, 2, … or 1, 2, 3, …, in any order.
  static func count(_ rows: [Int32], in column: Column) -> Bool {
    var seen = Set<Int>(minimumCapacity: rows.count)
    for row in rows {
      guard let number = column.wholeNumber(at: Int(row)), (0...rows.count).contains(number),
        seen.insert(number).inserted
      else { return false }
    }
    return !rows.isEmpty && !(seen.contains(0) && seen.contains(rows.count))
  }
}

extension Column {
  /// The whole number in a row, perhaps as a text; nil for anything else.
  func wholeNumber(at row: Int) -> Int? {
    if isNull(row) { return nil }
    switch kind {
    case .integer: return Int(truncatingIfNeeded: words[place(of: row) ?? row])
    case .text:
      return withText(at: row) { text in
        SpelledNumber(text)?.isWhole == true ? Int(String(decoding: text, as: UTF8.self)) : nil
      }
    default: return nil
    }
  }
}
