/// The steps of a query plan of SQLite in words.
///
/// The lines are those of `where.c`, `wherecode.c`, `select.c` and `expr.c` of SQLite; see <https://sqlite.org/eqp.html>.
package enum PlanWords {
  /// The words for a line of `EXPLAIN QUERY PLAN`; the line itself if it is of another kind.
  ///
  /// Nil for a query without a name whose rows are taken as they come, such as one that numbers the rows of a view.
  package static func words(_ line: String) -> String? {
    let line = line.replacing(" main.", with: " ")
    if line.hasPrefix("CO-ROUTINE (") || line.hasPrefix("SCAN (subquery-") { return nil }
    for (suffix, addition) in joins where line.hasSuffix(suffix) {
      return plainWords(String(line.dropLast(suffix.count))) + addition
    }
    return plainWords(line)
  }

  private static let joins = [
    (" LEFT-JOIN", ", or none for a row without any"), (" EXISTS", ", until there is one"),
  ]

  private static func plainWords(_ line: String) -> String {
    for (start, read) in readings where line.hasPrefix(start) {
      if let found = read(line.dropFirst(start.count)) { return found }
    }
    return line
  }

  private typealias Reading = @Sendable (Substring) -> String?

  /// The longer beginnings come first.
  private static let readings: [(start: String, read: Reading)] = [
    ("SEARCH ", searched), ("SCAN ", scanned), ("USE TEMP B-TREE FOR ", sorted),
    ("MULTI-INDEX OR", { _ in "combines the rows of several searches:" }),
    ("INDEX ", { "search \($0):" }),
    ("CO-ROUTINE ", { "takes the rows of \($0) one after the other:" }),
    ("MATERIALIZE ", { "makes all rows of \(table($0)) first:" }),
    ("CORRELATED SCALAR SUBQUERY", { _ in "finds a value for each row:" }),
    ("CORRELATED LIST SUBQUERY", { _ in "makes a list for each row:" }),
    ("SCALAR SUBQUERY", { _ in "finds a value once:" }),
    ("LIST SUBQUERY", { _ in "makes a list once:" }),
    ("REUSE LIST SUBQUERY", { _ in "uses the same list" }),
    ("REUSE SUBQUERY", { _ in "uses the same value" }),
    ("USING ROWID SEARCH ON TABLE ", { "takes the list from the keys of \(beforeFor($0))" }),
    ("USING INDEX ", { "takes the list from index \(beforeFor($0))" }),
    ("COMPOUND QUERY", { _ in "combines several queries:" }),
    ("LEFT-MOST SUBQUERY", { _ in "the rows of the first query:" }),
    ("UNION ALL", { _ in "and the rows of the next one:" }),
    ("UNION USING TEMP B-TREE", { _ in "and the rows of the next one, each once:" }),
    ("EXCEPT USING TEMP B-TREE", { _ in "without the rows of the next one:" }),
    ("INTERSECT USING TEMP B-TREE", { _ in "and of these the rows of the next one:" }),
    ("MERGE (", { _ in "combines two sorted queries:" }),
    ("LEFT", { _ in "the rows of the first query:" }),
    ("RIGHT-JOIN ", { "adds the rows of \($0) that were not found:" }),
    ("RIGHT", { _ in "the rows of the second query:" }),
    ("SETUP", { _ in "begins with:" }),
    ("RECURSIVE STEP", { _ in "continues from each row with:" }),
    ("BLOOM FILTER ON ", { "prepares a quick test for the rows of \($0)" }),
  ]

  /// What precedes `FOR IN-OPERATOR`.
  private static func beforeFor(_ rest: Substring) -> Substring {
    rest.range(of: " FOR ", isLast: true).map { rest[..<$0.lowerBound] } ?? rest
  }

  /// The name of a table; a query without a name has a number.
  private static func table(_ name: Substring) -> Substring {
    name.hasPrefix("(subquery-") ? "a subquery" : name
  }

  /// Reads what follows SEARCH, as in `T USING INDEX I (a=?)`.
  private static func searched(_ rest: Substring) -> String? {
    guard let using = rest.range(of: " USING ") else { return nil }
    let table = table(rest[..<using.lowerBound])
    let way = rest[using.upperBound...]
    guard let condition = way.range(of: " (", isLast: true) else { return nil }
    let tested = way[condition.upperBound...].dropLast()
    let name = way[..<condition.lowerBound]
    if name.hasPrefix("AUTOMATIC ") {
      return "finds rows of \(table) with an index made for this query: \(tested)"
    }
    guard let name = index(name) else { return "finds rows of \(table) by the key: \(tested)" }
    return "finds rows of \(table) with index \(name): \(tested)"
  }

  /// Reads what follows SCAN, as in `T USING COVERING INDEX I`.
  private static func scanned(_ rest: Substring) -> String? {
    if rest == "CONSTANT ROW" { return "makes one row without a table" }
    if rest.hasSuffix(" CONSTANT ROWS") { return "makes rows without a table" }
    if let module = rest.range(of: " VIRTUAL TABLE INDEX ") {
      return "reads rows of the virtual table \(rest[..<module.lowerBound])"
    }
    guard let using = rest.range(of: " USING ") else { return "reads all rows of \(rest)" }
    guard let name = index(rest[using.upperBound...]) else { return nil }
    return "reads all rows of \(rest[..<using.lowerBound]) in the order of index \(name)"
  }

  /// Reads what is sorted, as in `LAST 2 TERMS OF ORDER BY`.
  private static func sorted(_ rest: Substring) -> String? {
    switch rest {
    case "ORDER BY": "sorts the rows"
    case "GROUP BY": "sorts the rows into groups"
    case "DISTINCT": "keeps equal rows once"
    case _ where rest.hasSuffix("OF ORDER BY"): "sorts the rows that are equal in the index"
    case _ where rest.hasSuffix("(DISTINCT)"): "keeps equal values once"
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
