import DataStoreTesting

/// A JSON value for comparisons: numbers by their digits, texts by their scalars.
///
/// It has a parser of its own, so that the stores are not judged by their own code.
enum LockstepJSON: Hashable, Sendable {
  case null
  case literal(String)
  /// The scalars of a text; canonically equivalent texts differ.
  case text([UInt32])
  case array([LockstepJSON])
  case object([Member])

  struct Member: Hashable, Sendable {
    let name: [UInt32]
    let value: LockstepJSON
  }

  static func string(_ text: String) -> LockstepJSON { .text(text.unicodeScalars.map(\.value)) }

  /// The member of an object; nil if it is missing.
  subscript(name: String) -> LockstepJSON? {
    guard case .object(let members) = self else { return nil }
    let wanted = name.unicodeScalars.map(\.value)
    return members.first { $0.name == wanted }?.value
  }

  /// The text, if it is one.
  var string: String? {
    guard case .text(let scalars) = self else { return nil }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars.compactMap { Unicode.Scalar($0) })
    return String(text)
  }

  /// Compact JSON.
  var written: String {
    switch self {
    case .null: "null"
    case .literal(let digits): digits
    case .text: Self.quoted(string ?? "")
    case .array(let items): "[" + items.map(\.written).joined(separator: ",") + "]"
    case .object(let members):
      "{"
        + members.map { LockstepJSON.text($0.name).written + ":" + $0.value.written }
        .joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

/// Reads JSON that is known to be right; nil if it is not.
struct LockstepReader {
  private var scalars: ArraySlice<Unicode.Scalar>

  static func read(_ text: String) -> LockstepJSON? {
    var reader = LockstepReader(scalars: Array(text.unicodeScalars)[...])
    guard let value = reader.value() else { return nil }
    reader.skip()
    return reader.scalars.isEmpty ? value : nil
  }

  private mutating func skip() {
    scalars = scalars.drop { $0 == " " || $0 == "\n" || $0 == "\r" || $0 == "\t" }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    skip()
    guard scalars.first == scalar else { return false }
    scalars.removeFirst()
    return true
  }

  private mutating func value() -> LockstepJSON? {
    if take("\"") { return text().map { .text($0) } }
    if take("[") { return items("]") { $0.value() }.map { .array($0) } }
    if take("{") { return items("}") { $0.member() }.map { .object($0) } }
    let word = scalars.prefix { !",]} \n\r\t".unicodeScalars.contains($0) }
    scalars.removeFirst(word.count)
    let digits = String(String.UnicodeScalarView(word))
    return digits.isEmpty ? nil : digits == "null" ? .null : .literal(digits)
  }

  private mutating func member() -> LockstepJSON.Member? {
    guard take("\""), let name = text(), take(":"), let value = value() else { return nil }
    return .init(name: name, value: value)
  }

  private mutating func items<T>(
    _ end: Unicode.Scalar,
    _ item: (inout LockstepReader) -> T?
  ) -> [T]? {
    var items: [T] = []
    if take(end) { return items }
    repeat {
      guard let item = item(&self) else { return nil }
      items.append(item)
    } while take(",")
    return take(end) ? items : nil
  }

  private mutating func text() -> [UInt32]? {
    var units: [UInt16] = []
    while let scalar = scalars.popFirst() {
      if scalar == "\"" {
        return String(decoding: units, as: UTF16.self).unicodeScalars.map(\.value)
      }
      guard scalar == "\\" else {
        units += Array(String(scalar).utf16)
        continue
      }
      guard let escape = scalars.popFirst() else { return nil }
      switch escape {
      case "n": units.append(10)
      case "t": units.append(9)
      case "r": units.append(13)
      case "b": units.append(8)
      case "f": units.append(12)
      case "u":
        let digits = String(String.UnicodeScalarView(scalars.prefix(4)))
        guard let unit = UInt16(digits, radix: 16) else { return nil }
        scalars.removeFirst(4)
        units.append(unit)
      default: units += Array(String(escape).utf16)
      }
    }
    return nil
  }
}

/// The value of a field in the model.
enum LockstepCell: Hashable {
  case missing
  case value(LockstepJSON)
  /// Records by their tags.
  case links([Int])

  /// A list of links that is empty equals no value.
  var normalized: LockstepCell { self == .links([]) ? .missing : self }
}

/// A type of values: its name in a field definition, and a generator of values.
enum LockstepType: String, CaseIterable, Sendable {
  case text, integer, number, decimal, boolean, date, datetime, uuid, json

  /// A random value in the form in which it is printed, which can also be typed.
  func random(_ random: inout SeededGenerator) -> LockstepJSON {
    switch self {
    case .text: return .string(Self.texts[random.below(Self.texts.count)])
    case .integer:
      let edges = ["9223372036854775807", "-9223372036854775808", "0", "-1", "9007199254740993"]
      return .literal(
        random.chance(30) ? edges[random.below(edges.count)] : "\(random.below(2000) - 1000)"
      )
    case .number:
      let quarters = random.below(8000) - 4000
      let fraction = ["", ".25", ".5", ".75"][abs(quarters) % 4]
      let sign = quarters < 0 ? "-" : ""
      return .literal("\(sign)\(abs(quarters) / 4)\(fraction)")
    case .decimal: return .literal(Self.decimal(&random))
    case .boolean: return .literal(random.chance(50) ? "true" : "false")
    case .date: return .string(Self.date(&random))
    case .datetime: return .string(Self.moment(&random))
    case .uuid:
      let digits = (0..<32).map { _ in String(random.below(16), radix: 16) }
      let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits[$0].joined() }
      return .string(parts.joined(separator: "-"))
    case .json: return Self.documents[random.below(Self.documents.count)]
    }
  }

  private static let texts = [
    "", "a", "Up", "true", "null", "5", "-0.5", "2009-05-29", "a b", "a,b;c", "it's", "\"", "\\",
    "\\n",
    "$x", "$'a'", "#", " ", "line\nfeed", "cr\r\nlf", "tab\there", "é", "e\u{301}", "漢字", "👩‍🚀",
    "\u{1B}[1m",
    "\u{202E}x", "=1+1", "'", "`", "{\"a\":1}", "[1]", "NaN", "1e5", "\u{FEFF}b", "\u{0}", "a=b",
    "5f3c2d10-0000-4000-8000-000000000000", "2015-09-24T13:56:34.185Z",
  ]

  private static let documents: [LockstepJSON] = [
    .string("5"), .string("null"), .string(""), .string("true"), .string("[1]"), .literal("5"),
    .literal("true"), .null, .array([]), .object([]), .string("a\"b\\\n"),
    .array([.null, .string("5"), .literal("5"), .array([.literal("-0")])]),
    .object([
      .init(name: "b".unicodeScalars.map(\.value), value: .string("null")),
      .init(name: "a".unicodeScalars.map(\.value), value: .array([.string("é")])),
    ]),
    .string("2015-09-24T13:56:34.185Z"), .literal("4687322605740829.4255"),
  ]

  /// Up to 34 digits, without zeros that printing omits.
  private static func decimal(_ random: inout SeededGenerator) -> String {
    func digits(_ count: Int, _ random: inout SeededGenerator) -> String {
      (0..<count).map { _ in String(random.below(10)) }.joined()
    }
    let whole = digits(1 + random.below(17), &random).drop { $0 == "0" }
    var fraction = digits(random.below(17), &random)
    while fraction.hasSuffix("0") { fraction.removeLast() }
    let text = (whole.isEmpty ? "0" : String(whole)) + (fraction.isEmpty ? "" : ".\(fraction)")
    return text != "0" && random.chance(30) ? "-" + text : text
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static func date(_ random: inout SeededGenerator) -> String {
    let edges = ["0001-01-01", "9999-12-31", "2000-02-29", "1970-01-01"]
    if random.chance(20) { return edges[random.below(edges.count)] }
    return "\(1900 + random.below(200))-\(two(1 + random.below(12)))-\(two(1 + random.below(28)))"
  }

  private static func moment(_ random: inout SeededGenerator) -> String {
    let edges = [
      "9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00Z", "2015-09-24T13:56:34.185Z",
      "1969-12-31T23:59:59.999999Z",
    ]
    if random.chance(20) { return edges[random.below(edges.count)] }
    let time = [24, 60, 60].map { two(random.below($0)) }.joined(separator: ":")
    // Printed with as many groups of three digits as it needs.
    var fraction = (0..<3 * random.below(3)).map { _ in String(random.below(10)) }.joined()
    // A datetime keeps every millisecond, and microseconds in these two centuries.
    let day = date(&random)
    if !day.hasPrefix("19"), !day.hasPrefix("20") { fraction = String(fraction.prefix(3)) }
    while fraction.hasSuffix("000") { fraction.removeLast(3) }
    return day + "T\(time)" + (fraction.isEmpty ? "" : ".\(fraction)") + "Z"
  }
}
