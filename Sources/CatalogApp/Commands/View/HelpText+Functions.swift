import Expressions

extension HelpText {
  /// The language of expressions on one page, for `help functions` and docs/scripts.md.
  ///
  /// A test runs each line with an arrow, one after the other, on the sample films.
  package static let functions =
    [
      "FIELD:=EXPRESSION computes a value from the record as it was before the command, in set, insert and upsert.",
      "  set where title = \"Up\" boxOfficeMillions:=round(boxOfficeMillions * 1.1, 1) → ",
      "  count where boxOfficeMillions = 808.6 → 1",
      "",
      "  + - * / // %               // is the quotient rounded down, % the remainder: 7 % 3",
      "  7.5%                       right after a number: 0.075",
      "  x ?? y                     x, or y where x is null",
      "  if P then x else y         also elif; P is a condition as after where",
      "  (P)                        a condition in parentheses is true or false",
      "  2009-05-29, 30d            days and durations in y, mo, w, d, h, min or s: day + 1mo, days(a - b)",
      "  user.login, tags[0]        values inside JSON; tags[-1] is the last one",
      "  tags[*], items[*].price    every element: true if one meets the condition (tags[*] = \"new\"); by and freq count each",
      "  $NAME                      a parameter, as a text: decimal($rate)",
      "  set where true favourite:=(boxOfficeMillions > 900) → ",
      "  count where favourite = true → 6",
      "",
      "Integers and decimals are exact; / gives a decimal with up to 20 digits after the point. Null in arithmetic and in",
      "functions gives null. Texts are joined by concat, never by +. A text becomes a number only by a function.",
      "",
      "Where an expression has no value, as after a division by zero, the command changes nothing and names the first",
      "records; with \"missing\" at its end such values become null, with \"skip\" these records stay as they are.",
      "  set where true releaseYear:=2000 / (releaseYear - releaseYear) skip → ",
      "",
      "Expressions can also be columns, keys and sort keys of lists and exports; \"as NAME\" names one. \"by\" makes a row of",
      "each group, in the order of the keys, \"having\" leaves out groups, and \"limit N per K\" takes the first N of each K.",
      "  list sort -length(title) limit 5 fields title, length(title) as letters",
      "  list by releaseYear // 10 * 10 as decade having n > 5 fields decade, count() as n, sum(boxOfficeMillions) as total",
      "  list by director sort -total limit 3 fields director, sum(boxOfficeMillions) as total, list(title) as films",
      "  list fields count() as films, max(releaseYear) as latest, median(runningTimeMinutes) as minutes",
      "  list sort -boxOfficeMillions limit 1 per director fields director, title",
      "  list sort releaseDate per director fields director, title, days(releaseDate - prev(releaseDate)) as gap",
      "  list sort releaseDate fields title, running(boxOfficeMillions) as so_far",
      "  pivot director by releaseYear // 10 * 10 sum(boxOfficeMillions) sort -count() limit 3",
      "  list sample 3 seed 7 fields title",
      "In set, sort gives the order in which they number records or fill a missing value with the one before it.",
      "  set where true sort releaseDate per director runningTimeMinutes:=row() → ",
      "  set where true sort releaseDate director:=fill(director) → ",
      "",
    ] + lines(ExpressionFunction.allCases.map(\.summary)) + [
      "", "Of the records of a group, or of all records if all columns are such functions:",
    ] + lines(SummaryFunction.ofGroups) + [
      "",
      "Of the records of a list or of set in their order, separately for each value after \"per\":",
    ] + lines(SummaryFunction.ofOrder)

  /// True for the name of a function.
  static func isFunction(_ name: String) -> Bool {
    ExpressionFunction(rawValue: name) != nil || SummaryFunction(rawValue: name) != nil
  }

  /// The other words of the language that help explains.
  private static let words: Set<Substring> = [
    "as", "between", "by", "contains", "distinct", "fields", "having", "in", "join", "like",
    "limit",
    "matches", "missing", "per", "sample", "skip",
  ]

  /// The lines that contain a word of the language, or call a function; empty for any other text.
  static func lines(about word: String) -> [String] {
    let lines = (functions + predicates).filter { $0.hasPrefix("  ") }
    if isFunction(word) {
      return lines.filter { $0.contains(" \(word)(") || $0.contains("=\(word)(") }
    }
    guard words.contains(word[...]) else { return [] }
    return lines.filter { line in
      line.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains(word[...])
    }
  }

  /// A line for each function.
  private static func lines(_ functions: [(usage: String, text: String)]) -> [String] {
    let width = functions.map(\.usage.count).max() ?? 0
    return functions.map { usage, text in
      "  \(usage)\(String(repeating: " ", count: width - usage.count))  \(text)"
    }
  }
}
