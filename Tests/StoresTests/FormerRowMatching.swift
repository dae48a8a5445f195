@testable import Stores

/// The rule by which records were found before, reduced to rows of texts; tests plant it to see that they fail.
///
/// An equal row is the same record. Between two such rows, those that agree in the most values, and in at least half,
/// count as one changed record; what is left is matched by the first column whose values differ in both versions.
struct FormerRowMatching {
  private let old: [[String]]
  private let new: [[String]]
  /// For each new row the former one.
  private var former: [Int?]

  init(_ old: [[String]], _ new: [[String]]) {
    (self.old, self.new) = (old, new)
    former = Array(repeating: nil, count: new.count)
    let head = zip(old, new).prefix { $0 == $1 }.count
    let rest = min(old.count, new.count) - head
    let tail = zip(old.reversed(), new.reversed()).prefix(rest).prefix { $0 == $1 }.count
    for place in 0..<head { former[place] = place }
    for place in 0..<tail { former[new.count - 1 - place] = old.count - 1 - place }
    let olds = head..<(old.count - tail)
    let news = head..<(new.count - tail)
    let taken = matchEqual(olds, news)
    matchBetween(olds, news, taken)
    matchByKey()
  }

  /// What became of each former row.
  var fates: [RecordFate] {
    var fates = Array(repeating: RecordFate.gone(.replaced), count: old.count)
    for (place, row) in former.enumerated() {
      if let row { fates[row] = .same(place) }
    }
    return fates
  }

  private func likeness(_ row: Int, _ place: Int) -> Int {
    if old[row].count == 1 { return 1 }
    let pairs = zip(old[row], new[place]).filter { !($0.isEmpty && $1.isEmpty) }
    let same = pairs.count { $0 == $1 }
    return 2 * same >= pairs.count ? same : 0
  }

  private mutating func matchEqual(_ olds: Range<Int>, _ news: Range<Int>) -> Set<Int> {
    var places: [[String]: [Int]] = [:]
    for row in olds.reversed() { places[old[row], default: []].append(row) }
    var taken: Set<Int> = []
    for place in news {
      guard let row = places[new[place]]?.popLast() else { continue }
      taken.insert(row)
      former[place] = row
    }
    return taken
  }

  private mutating func matchBetween(_ olds: Range<Int>, _ news: Range<Int>, _ taken: Set<Int>) {
    var place = news.lowerBound
    var next = olds.lowerBound
    while place < news.upperBound {
      if let row = former[place] {
        next = row + 1
        place += 1
        continue
      }
      let end = news[place...].first { former[$0] != nil } ?? news.upperBound
      let last = max(next, olds.upperBound)
      let oldEnd = (next..<last).first { taken.contains($0) } ?? last
      matchAlike(next..<oldEnd, place..<end)
      place = end
    }
  }

  private mutating func matchAlike(_ olds: Range<Int>, _ news: Range<Int>) {
    var left = Array(olds)
    for place in news {
      let alike = left.map { likeness($0, place) }
      guard let best = alike.max(), best > 0, let found = alike.firstIndex(of: best) else {
        continue
      }
      former[place] = left.remove(at: found)
    }
  }

  private mutating func matchByKey() {
    let known = Set(former.compactMap { $0 })
    let olds = old.indices.filter { !known.contains($0) }
    let news = new.indices.filter { former[$0] == nil }
    guard let width = old.first?.count, width > 1, !olds.isEmpty, !news.isEmpty else { return }
    for column in 0..<width where isKey(column, old) && isKey(column, new) {
      let found = news.compactMap { place in
        olds.first { old[$0][column] == new[place][column] }.map { (place, $0) }
      }
      if found.isEmpty { continue }
      for (place, row) in found { former[place] = row }
      return
    }
  }

  private func isKey(_ column: Int, _ rows: [[String]]) -> Bool {
    let values = rows.map { $0[column] }
    return !values.contains("") && Set(values).count == values.count
  }
}
