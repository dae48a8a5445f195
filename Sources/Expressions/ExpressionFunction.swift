import OpenSwiftData

/// The functions of expressions.
package enum ExpressionFunction: String, CaseIterable, Sendable {
  // Text
  case trim, clean, lower, upper, title, fold, length, left, right, mid, replace, sub, extract,
    split, join,
    concat
  case pad, `repeat`
  // Numbers
  case abs, round, floor, ceil, min, max, sqrt, log, pow, sign
  // Conversion
  case text, integer, decimal, number, boolean, date, datetime, json, format, `try`
  // Days
  case year, month, day, hour, minute, second, quarter, weekday, week, start, days, unix, unixms,
    today, now
  // JSON and others
  case keys, type, has, hash, uuid

  /// The numbers of values that the function takes.
  var counts: ClosedRange<Int> {
    switch self {
    case .today, .now, .uuid: 0...0
    case .clean, .lower, .upper, .title, .fold, .length, .abs, .floor, .ceil, .sqrt, .sign, .text,
      .integer,
      .number, .boolean, .json, .try, .year, .month, .day, .hour, .minute, .second, .quarter,
      .weekday,
      .week, .days, .unix, .unixms, .keys, .type, .datetime, .hash:
      1...1
    case .trim, .decimal: 1...2
    case .left, .right, .split, .join, .repeat, .log, .pow, .format, .start, .has: 2...2
    case .mid, .extract: 2...3
    case .replace, .sub: 3...3
    case .pad: 2...4
    case .round: 1...3
    case .date: 1...3
    case .min, .max: 2...Int.max
    case .concat: 1...Int.max
    }
  }

  /// What each function does, with an example, for help.
  package var summary: (usage: String, text: String) {
    switch self {
    case .trim: ("trim(t [, chars])", "removes white space, or these characters, at both ends")
    case .clean: ("clean(t)", "trims, joins runs of white space, removes invisible characters")
    case .lower: ("lower(t)", "small letters")
    case .upper: ("upper(t)", "capital letters")
    case .title: ("title(t)", "each word with a capital letter and small ones")
    case .fold: ("fold(t)", "small letters without accents")
    case .length: ("length(t)", "the number of characters, or of the elements of JSON")
    case .left: ("left(t, n)", "the first n characters")
    case .right: ("right(t, n)", "the last n characters")
    case .mid: ("mid(t, start [, n])", "n characters from a place on, counted from 1")
    case .replace: ("replace(t, a, b)", "the text with b in all places of a")
    case .sub:
      (
        "sub(t, \"re\", \"new\")",
        "replaces all matches of a regular expression; $1 is its first group"
      )
    case .extract:
      ("extract(t, \"re\" [, n])", "the first match of a regular expression, or its group")
    case .split: ("split(t, sep)", "the parts between a separator, as JSON: split(name, \" \")[0]")
    case .join: ("join(array, sep)", "the elements of a JSON array as one text")
    case .concat: ("concat(x, …)", "all values as one text; null is nothing")
    case .pad: ("pad(x, n [, fill [, \"right\"]])", "fills to n characters, on the left")
    case .repeat: ("repeat(t, n)", "the text n times")
    case .abs: ("abs(x)", "the number without its sign")
    case .round: ("round(x [, n [, \"even\"]])", "n digits after the point, half away from zero")
    case .floor: ("floor(x)", "the whole number below")
    case .ceil: ("ceil(x)", "the whole number above")
    case .min: ("min(x, y, …)", "the smallest value")
    case .max: ("max(x, y, …)", "the largest value")
    case .sqrt: ("sqrt(x)", "the square root")
    case .log: ("log(x, base)", "the logarithm")
    case .pow: ("pow(x, y)", "the power")
    case .sign: ("sign(x)", "-1, 0 or 1")
    case .text: ("text(x)", "the value as text")
    case .integer: ("integer(x)", "the value as a whole number")
    case .decimal:
      ("decimal(x [, \"comma\"])", "the value as a decimal number; \"comma\" reads 1.234,56")
    case .number: ("number(x)", "the value as a binary number")
    case .boolean: ("boolean(x)", "the value as true or false")
    case .date: ("date(x [, \"dmy\"]), date(y, m, d)", "the value as a day")
    case .datetime: ("datetime(x)", "the value as a moment in UTC")
    case .json: ("json(x)", "the value as JSON")
    case .format:
      ("format(x, \"0.00\")", "a number or a day in a form, such as #,##0.00, 0% or %d.%m.%Y")
    case .try: ("try(x)", "the value, or null where it fails")
    case .year: ("year(d)", "the year")
    case .month: ("month(d)", "the month, 1 to 12")
    case .day: ("day(d)", "the day of the month")
    case .hour: ("hour(t)", "the hour in UTC")
    case .minute: ("minute(t)", "the minute")
    case .second: ("second(t)", "the second")
    case .quarter: ("quarter(d)", "the quarter, 1 to 4")
    case .weekday: ("weekday(d)", "1 for Monday to 7 for Sunday")
    case .week: ("week(d)", "the week of ISO 8601")
    case .start: ("start(d, \"month\")", "the first day of a year, quarter, month or week")
    case .days: ("days(duration)", "the whole days: days(today() - born)")
    case .unix: ("unix(t)", "seconds since 1970 of a moment, or the moment of seconds")
    case .unixms: ("unixms(t)", "the same in milliseconds")
    case .today: ("today()", "the day of the command")
    case .now: ("now()", "the moment of the command")
    case .keys: ("keys(j)", "the names of the members of JSON")
    case .type: ("type(x)", "the name of the type")
    case .has: ("has(j, x)", "true if JSON has the member or the element")
    case .hash: ("hash(x)", "16 hexadecimal digits, the same for equal texts (XXH64)")
    case .uuid: ("uuid()", "a random UUID for each record")
    }
  }

  /// What to write in place of a function that other languages have.
  static let foreignNames = [
    "coalesce": "a ?? b", "ifnull": "a ?? b", "nvl": "a ?? b", "iif": "if … then … else …",
    "substr": "mid",
    "substring": "mid", "len": "length", "ceiling": "ceil", "avg": "mean",
    "trunc": "integer(floor(x))",
    "strftime": "format", "to_char": "format", "concat_ws": "join", "ucase": "upper",
    "lcase": "lower",
    "regexp_replace": "sub", "regexp_extract": "extract",
    "cast": "integer(x), decimal(x), date(x) or text(x)",
    "date_trunc": "start", "power": "pow",
  ]

  static let names = allCases.map(\.rawValue) + SummaryFunction.allCases.map(\.rawValue)

  /// Finds a function by its name in any case.
  init(named name: String, at offset: Int) throws(SyntaxProblem) {
    let lowered = name.lowercased()
    if let function = ExpressionFunction(rawValue: lowered) {
      self = function
      return
    }
    var hint = "see \"help functions\""
    if let own = Self.foreignNames[lowered] {
      hint = "write \(own)"
    } else if let near = Suggestion.nearest(to: lowered, among: Self.names) {
      hint = "did you mean \"\(near)\"?"
    }
    throw SyntaxProblem(
      offset: offset,
      message: "unknown function \(Value.quoted(name)); \(hint)",
      isAboutFunction: true
    )
  }

  /// Refuses a number of values that the function does not take.
  func check(count: Int, at offset: Int) throws(SyntaxProblem) {
    if counts.contains(count) { return }
    let message =
      switch self {
      case .log where count == 1: "log needs its base: log(x, 10)"
      default:
        "\(rawValue) takes \(Self.words(counts)), found \(count)"
      }
    throw SyntaxProblem(offset: offset, message: message)
  }

  static func words(_ counts: ClosedRange<Int>) -> String {
    let (low, high) = (counts.lowerBound, counts.upperBound)
    if high == .max { return "\(low) or more values" }
    let numbers = low == high ? "\(low)" : "\(low) to \(high)"
    return high == 0 ? "no values" : "\(numbers) value\(high == 1 ? "" : "s")"
  }
}
