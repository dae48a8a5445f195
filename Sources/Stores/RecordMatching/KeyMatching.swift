import OpenSwiftData

/// Finds records by the values of a key, and checks them against the other values.
final class KeyMatching {
  private let versions: MatchedVersions
  private let key: MatchingKey
  private let keys: ValueCodes
  private let single: (former: SinglePlaces, present: SinglePlaces)
  /// The other columns, and the places of rows whose values in them occur once and say something.
  private let others: [Int]
  private lazy var otherCodes = versions.codes(of: others)
  // A declared key decides alone.
  private lazy var rest =
    key.isDeclared || others.isEmpty ? ValueCodes([Int?](), []) : otherCodes
  private lazy var restPlaces = rest.once
  /// The values of all columns together.
  private(set) lazy var rows = ValueCodes(
    joining: [keys, otherCodes],
    rowCounts: versions.rowCounts
  )

  init(_ versions: MatchedVersions, _ key: MatchingKey) {
    self.versions = versions
    self.key = key
    keys = versions.codes(of: key.columns)
    single = keys.once
    others = versions.columns.indices.filter { !key.columns.contains($0) }
  }

  /// True if a former row has a key.
  func hasKey(_ row: Int) -> Bool { keys.former[row] != 0 }

  /// What became of each record; nil for those that have no key, or whose equal rows decide.
  ///
  /// - Complexity: O(n) in the number of values.
  func fates() -> [RecordFate?] {
    let copies = differingCopies()
    var fates = keys.former.indices.map { fate(of: $0, copies) }
    let contradictions = fates.count { $0.map(isContradiction) ?? false }
    let matches = fates.count { $0?.place != nil }
    // The keys were given out anew: only rows that are equal as a whole are the same.
    if contradictions >= 3, 10 * contradictions >= matches + contradictions {
      for (row, fate) in fates.enumerated() {
        guard let place = fate?.place, rows.former[row] != rows.present[place]
        else { continue }
        fates[row] = .unsure(.newKeys, place)
      }
    }
    return fates
  }

  private func isContradiction(_ fate: RecordFate) -> Bool {
    if case .unsure(.contradiction, _) = fate { true } else { false }
  }

  private func fate(of row: Int, _ copies: Copies) -> RecordFate? {
    let code = keys.former[row]
    if code == 0 { return nil }
    if single.former.isRepeated(code) { return nil }
    if single.present.isRepeated(code) {
      guard key.strength == .identifier, copies.differ(code, rows.former[row]) else {
        return nil
      }
      return .unsure(.repeatedKey, copies.first[code])
    }
    guard let place = single.present[code] else {
      let like = presentRow(withRestOf: row)
      return like == nil ? .gone(.missingKey) : .unsure(.changedKey, like)
    }
    return key.isDeclared ? .same(place) : checked(row, place)
  }

  /// Checks a candidate against the other values.
  private func checked(_ row: Int, _ place: Int) -> RecordFate {
    let likeness = versions.likeness(row, place, in: others)
    if let twin = twin(of: row), twin != place,
      single.former[keys.present[twin]] != nil || likeness.isLittle
    {
      return .unsure(.contradiction, twin)
    }
    if let source = source(of: place), source != row { return .unsure(.contradiction, place) }
    let isContradicted =
      switch key.strength {
      case .guess: likeness.isLittle
      case .name: likeness.contradictsNames
      case .identifier: likeness.contradictsIdentifiers
      }
    return isContradicted ? .unsure(.onlyKey, place) : .same(place)
  }

  // MARK: The other values

  /// True if the other values of a row say which record it is.
  private func isTelling(_ codes: (ValueCodes) -> Int32) -> Bool {
    var count = 0
    for place in others {
      let column = versions.columns[place].codes
      let code = codes(column)
      if code == 0 { continue }
      count += 1
      if count > 1 || !column.isNumber(code) { return true }
    }
    return false
  }

  private func presentRow(withRestOf row: Int) -> Int? {
    guard !rest.former.isEmpty, isTelling({ $0.former[row] }) else { return nil }
    return restPlaces.present[rest.former[row]]
  }

  /// The present row with the other values of a former one, which occur once in both versions.
  private func twin(of row: Int) -> Int? {
    guard !rest.former.isEmpty, restPlaces.former[rest.former[row]] != nil else { return nil }
    return presentRow(withRestOf: row)
  }

  /// The former row with the other values of a present one, which occur once in both versions.
  private func source(of place: Int) -> Int? {
    guard !rest.present.isEmpty, restPlaces.present[rest.present[place]] != nil,
      isTelling({ $0.present[place] })
    else { return nil }
    return restPlaces.former[rest.present[place]]
  }

  // MARK: Copies

  /// The records whose key occurs more than once in the present version.
  private struct Copies {
    /// By the code of the key, the first of them.
    var first: [Int32: Int] = [:]
    /// The code of its values; -1 if they have different ones.
    var values: [Int32: Int32] = [:]

    /// True if not all of them have these values.
    func differ(_ key: Int32, _ values: Int32) -> Bool { self.values[key] != values }
  }

  private func differingCopies() -> Copies {
    var copies = Copies()
    guard key.strength == .identifier else { return copies }
    for (place, code) in keys.present.enumerated() where single.present.isRepeated(code) {
      let values = rows.present[place]
      guard let known = copies.values[code] else {
        (copies.first[code], copies.values[code]) = (place, values)
        continue
      }
      if known != values { copies.values[code] = -1 }
    }
    return copies
  }
}
