/// The steps of a query plan of SQLite in words.
package enum PlanWords {
  /// The words for a line of `EXPLAIN QUERY PLAN`; the line itself if it is of another kind.
  package static func words(_ line: String) -> String {
    let line = line.replacing(" main.", with: " ")
    for (start, read) in readings where line.hasPrefix(start) {
      if let found = read(line.dropFirst(start.count)) { return found }
    }
    return line
  }

  private typealias Reading = @Sendable (Substring) -> String?

  private static let readings: [(start: String, read: Reading)] = [
    ("SEARCH ", searched), ("SCAN ", scanned), ("USE TEMP B-TREE FOR ", sorted),
    ("MULTI-INDEX OR", { _ in "combines the rows of several searches:" }),
  ]

  /// Reads what follows SEARCH, as in `T USING INDEX I (a=?)`.
  private static func searched(_ rest: Substring) -> String? {
    guard let using = rest.range(of: " USING ") else { return nil }
    let table = rest[..<using.lowerBound]
    let way = rest[using.upperBound...]
    guard let condition = way.range(of: " (", isLast: true) else { return nil }
    let tested = way[condition.upperBound...].dropLast()
    let name = index(way[..<condition.lowerBound])
    guard let name else { return "finds rows of \(table) by the key: \(tested)" }
    return "finds rows of \(table) with index \(name): \(tested)"
  }

  /// Reads what follows SCAN, as in `T USING COVERING INDEX I`.
  private static func scanned(_ rest: Substring) -> String? {
    guard let using = rest.range(of: " USING ") else { return "reads all rows of \(rest)" }
    guard let name = index(rest[using.upperBound...]) else { return nil }
    return "reads all rows of \(rest[..<using.lowerBound]) in the order of index \(name)"
  }

  /// Reads what is sorted, as in `LAST 2 TERMS OF ORDER BY`.
  private static func sorted(_ rest: Substring) -> String? {
    switch rest {
    case "ORDER BY": "sorts the rows"
    case _ where rest.hasSuffix("OF ORDER BY"): "sorts the rows that are equal in the index"
    default: nil
    }
  }

  /// The index in `COVERING INDEX I`; nil for a key.
  private static func index(_ way: Substring) -> Substring? {
    for start in ["INDEX ", "COVERING INDEX "] where way.hasPrefix(start) {
      return way.dropFirst(start.count)
    }
    return nil
  }
}

extension Substring {
  /// The place of a text, the first one or the last one.
  fileprivate func range(of text: String, isLast: Bool = false) -> Range<Index>? {
    let found = ranges(of: text)
    return isLast ? found.last : found.first
  }
}
