import OpenSwiftData

/// Finds the records of a table in another version of its file, which has no identifiers.
///
/// 1. The fields of a declared key decide alone.
/// 2. Otherwise the former version is searched for a key.
/// 3. The same key is the same record, unless the other values contradict that.
/// 4. Without a key, a row that is equal as a whole is the same record.
/// 5. A changed row without a key is the same record only if it stands alone between the same neighbors, most of its
///    values agree, and what agrees occurs once in both versions.
/// 6. All others are gone or not certain.
///
/// `docs/decisions/0040-which-record-it-is.md` gives the reasons.
struct RowMatching {
  /// For each former row, in the order of the file, what became of its record.
  private(set) var fates: [RecordFate]
  /// The key that was used; nil for none.
  let key: MatchingKey?
  /// The names of the fields of the key.
  let keyFields: [String]
  /// The rows that commands have named by fields.
  private var named: [NamedRows] = []

  /// Former rows that were named by the values of fields, which alone decide.
  struct NamedRows {
    let fields: [String]
    let rows: Set<Int>
  }

  /// Compares the rows of two tables of one entity, given in the order of their files.
  ///
  /// - Parameters:
  ///   - old: The former table.
  ///   - oldRows: Its rows.
  ///   - new: The present table.
  ///   - newRows: Its rows.
  ///   - fields: The fields that are in both files; nil for all that the tables have in common.
  ///   - declared: The fields of the key that the schema has named; empty for none.
  ///   - named: The rows that commands have named; by several sets of fields, they must be the same by all of them.
  /// - Complexity: O(n) in the number of values, expected.
  init(
    _ old: EntityTable,
    _ oldRows: [Int32],
    _ new: EntityTable,
    _ newRows: [Int32],
    fields: Set<String>? = nil,
    declared: [String] = [],
    named: [NamedRows] = []
  ) {
    let keys = Set(declared + named.flatMap(\.fields))
    let versions = MatchedVersions(old, oldRows, new, newRows, fields: fields, keys: keys)
    self.init(versions, declared: declared)
    decide(named, versions)
  }

  private init(_ all: MatchedVersions, declared: [String]) {
    let versions = declared.isEmpty ? all.withoutNumbering : all
    let count = versions.rowCounts.former
    let columns = declared.compactMap { versions.column(named: $0) }
    let isKeyGone = columns.count != declared.count
    if versions.columns.isEmpty || isKeyGone {
      fates = Array(
        repeating: .unsure(isKeyGone ? .keyFieldGone : .otherColumns, nil),
        count: count
      )
      (key, keyFields) = (nil, declared)
      return
    }
    let key =
      declared.isEmpty
      ? KeyChoice(versions).key
      : MatchingKey(columns: columns, strength: .identifier, isDeclared: true)
    self.key = key
    keyFields = key?.columns.map { versions.columns[$0].name } ?? []
    var found = OpenFates(versions)
    let keyed = key.map { KeyMatching(versions, $0) }
    if let keyed { found.fates = keyed.fates() }
    if found.fates.contains(where: { $0 == nil }) {
      let keyCodes = key.map { versions.codes(of: $0.columns) }
      EqualRows(versions, keyed?.rows).match(&found)
      LikeRows(versions, keyCodes).match(&found)
    }
    fates = found.closed { row in
      key?.strength == .identifier && keyed.map { $0.hasKey(row) } ?? false
    }
  }

  /// Lets the fields by which rows were named decide which these are; no other row is the same then.
  private mutating func decide(_ named: [NamedRows], _ versions: MatchedVersions) {
    self.named = named.filter { !$0.rows.isEmpty }
    if self.named.isEmpty { return }
    var decided = OpenFates(versions)
    for named in self.named {
      let others = RowMatching(versions, declared: named.fields).fates
      decided.agree(with: others.indices.map { named.rows.contains($0) ? others[$0] : nil })
    }
    var rows: [Int: Int] = [:]
    for (row, fate) in decided.fates.enumerated() {
      guard let place = fate?.place else { continue }
      guard let other = rows.updateValue(row, forKey: place) else { continue }
      for row in [row, other] { decided.fates[row] = .unsure(.keysDisagree, place) }
    }
    for row in fates.indices {
      if let fate = decided.fates[row] {
        fates[row] = fate
      } else if let place = fates[row].place, rows[place] != nil {
        fates[row] = .unsure(.keysDisagree, place)
      }
    }
  }

  /// The fields that decided about a former row.
  func keyFields(ofRow row: Int) -> [String] {
    named.first { $0.rows.contains(row) }?.fields ?? keyFields
  }

  /// For each present row the place of the former row of the same record; nil for a new record.
  func formerPlaces(_ count: Int) -> [Int?] {
    var places = Array(repeating: nil as Int?, count: count)
    for (former, fate) in fates.enumerated() {
      if let place = fate.place { places[place] = former }
    }
    return places
  }
}

/// The fates that are known so far.
struct OpenFates {
  /// For each former row; nil while it is open.
  var fates: [RecordFate?]
  private let presentCount: Int

  init(_ versions: MatchedVersions) {
    fates = Array(repeating: nil, count: versions.rowCounts.former)
    presentCount = versions.rowCounts.present
  }

  /// Keeps what another key finds as well.
  mutating func agree(with others: [RecordFate?]) {
    for (place, other) in others.enumerated() where fates[place] != other {
      guard let known = fates[place], let other else {
        fates[place] = fates[place] ?? other
        continue
      }
      switch (known, other) {
      case (.unsure, _): break
      case (_, .unsure): fates[place] = other
      default: fates[place] = .unsure(.keysDisagree, known.place ?? other.place)
      }
    }
  }

  /// The former rows of known records by their own places, and by those of the present rows.
  var known: (former: [Int?], present: [Int?]) {
    var former = Array(repeating: nil as Int?, count: fates.count)
    var present = Array(repeating: nil as Int?, count: presentCount)
    for (row, fate) in fates.enumerated() {
      guard let place = fate?.place else { continue }
      former[row] = row
      present[place] = row
    }
    return (former, present)
  }

  /// The fates when no rule is left.
  ///
  /// Without a sure key a record is gone only if no row of the present version is left over.
  func closed(hasSureKey: (Int) -> Bool) -> [RecordFate] {
    let knownCount = fates.count { $0?.place != nil }
    let isLeftOver = knownCount < presentCount
    return fates.enumerated().map { row, fate in
      let fate = fate ?? .gone(.replaced)
      guard case .gone(let reason) = fate, isLeftOver, !hasSureKey(row) else { return fate }
      return .unsure(reason == .missingKey ? .missingKey : .replaced, nil)
    }
  }
}

/// Rows by their nearest known neighbors before and after them.
struct RowNeighbors {
  /// The former rows of the neighbors; -1 and -2 for the ends.
  struct Pair: Hashable {
    let before: Int
    let after: Int
    /// True if no row is known on either side.
    var isWholeFile: Bool { before == -1 && after == -2 }
  }

  private(set) var pairs: [Pair] = []

  /// Finds the neighbors of each row, given the known former rows.
  ///
  /// - Complexity: O(n).
  init(_ known: [Int?]) {
    var before: [Int] = []
    var last = -1
    for row in known {
      before.append(last)
      last = row ?? last
    }
    pairs = before.map { Pair(before: $0, after: -2) }
    last = -2
    for place in known.indices.reversed() {
      pairs[place] = Pair(before: before[place], after: last)
      last = known[place] ?? last
    }
  }
}
