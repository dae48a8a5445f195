import OpenSwiftData

/// What the lines before a table look like, and its first line.
extension DelimitedCandidate {
  /// The number of leading lines that begin with `#`, unless all do.
  var commentCount: Int {
    guard sample.options.comment == .automatic, sample.options.skippedLines == nil else { return 0 }
    let sign = UInt8(ascii: "#")
    let count = rows.prefix { sample.bytes[$0.range].first == sign }.count
    return count == rows.count ? 0 : count
  }

  /// The most frequent number of values after the first line; of several, that of the first line, or the greatest.
  func usualCount(after comments: Int) -> Int {
    let first = rows[comments].width
    let others = rows[(comments + 1)...].map(\.width)
    let counts = Dictionary(grouping: others.isEmpty ? [first] : others) { $0 }
    let best = counts.max { one, two in
      (one.value.count, one.key == first ? 1 : 0, one.key)
        < (two.value.count, two.key == first ? 1 : 0, two.key)
    }
    return best?.key ?? first
  }

  /// True if an empty line stands before a record.
  func isGap(before place: Int) -> Bool {
    sample.hasEmptyLine(rows[place - 1].range.lowerBound..<rows[place].range.lowerBound)
  }

  /// The first line with the usual number of values, if it plainly has names and almost all lines after it are alike.
  var plainHeader: Int? {
    let limit = max(1, min(rows.count - 1, Self.leadLimit))
    guard let place = (1..<limit).first(where: { rows[$0].width == usual }), usual >= 2 else {
      return nil
    }
    let rest = rows[place...]
    let first = rows[0].width
    guard rest.count >= 2, rest.count(where: { $0.width == usual }) * 10 >= rest.count * 9,
      first < usual
    else { return nil }
    let votes = HeaderVotes(rows[place].cells, rows[(place + 1)...])
    let areShort = rows[..<place].allSatisfy { $0.width <= max(1, usual - 2) }
    let isSolid =
      votes.areSolid
      || usual >= 3 && rest.count >= 3 && areShort && votes.weakSigns > 0
    guard isSolid else { return nil }
    if place == 1, first > 1, usual - first == 1,
      HeaderVotes(rows[0].cells, rows[1...], offset: 1).forNames > votes.forNames
    {
      return nil
    }
    let isProse = first == 1 && !votes.areSolid && haveBlanks(rest)
    return isProse ? nil : place
  }

  /// The first line with the usual number of values, if all after it are alike: counts before data, or a title.
  var regularData: Int? {
    let limit = max(1, min(rows.count - 2, Self.leadLimit))
    guard let place = (1..<limit).first(where: { rows[$0].width == usual }), usual >= 3 else {
      return nil
    }
    let rest = rows[place...]
    let most = place == 1 ? max(1, usual / 2) : 1
    guard rest.count >= 3, rest.allSatisfy({ $0.width == usual }),
      rows[..<place].allSatisfy({ $0.width <= most })
    else { return nil }
    let hasCounts = rows[0].width >= 2 && rows[0].cells.contains { $0.seen.kind != nil }
    return isGap(before: place) || hasCounts ? place : nil
  }

  /// True if every value after a delimiter begins with a blank.
  private func haveBlanks(_ rows: ArraySlice<Row>) -> Bool {
    rows.allSatisfy { $0.cells.dropFirst().allSatisfy(\.beginsWithBlank) }
  }

  /// True if the first value of each line is the name of a row, as R writes them.
  var hasRowNames: Bool {
    let body = rows[1...]
    let firsts = body.map(\.cells[0].seen)
    let names = rows[0].cells
    guard Set(firsts.map { Array($0.bytes) }).count == firsts.count else { return false }
    let votes = HeaderVotes(names, body, offset: 1)
    if votes.forNames == 0, names.contains(where: { $0.seen.kind != nil }) { return false }
    if names.count >= 2 { return firsts.count >= 2 }
    if body.contains(where: { $0.cells.dropFirst().contains(where: \.beginsWithBlank) }) {
      return false
    }
    let areNumbered =
      firsts.count > 2 && firsts.enumerated().allSatisfy { $1 == SeenText("\($0 + 1)") }
    return votes.forNames > 0
      && (names[0].isQuoted || areNumbered || firsts.allSatisfy { $0.kind == nil })
  }
}
