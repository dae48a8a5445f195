import OpenSwiftData

extension EntryReader {
  /// Reads `12,50`, `1,000.50`, `1 000`, `€ 5`, `5 EUR`, `1.2m`, and `50%` if that is allowed; nil for a text that is not a
  /// number.
  func number(_ text: String, as type: AttributeType) -> EntryReading? {
    guard let parts = NumberParts(text) else {
      // 1e3
      return (try? Value(reading: text, as: type)).map { .value($0) }
    }
    guard readsPercent || !parts.isPercentage else { return nil }
    let points = { (isWhole: Bool) in
      convention?.decimalMark.map(parts.points(mark:)) ?? parts.points(isWhole: isWhole)
    }
    var meanings = parts.meanings(points(type == .integer)) { text in
      // 2.000 is 2 as well.
      (try? Value(parsing: text, as: type))
        ?? (parts.hasPoint ? try? Value(reading: text, as: type) : nil)
    }
    if meanings.isEmpty, convention != nil || parts.hasPoint {
      // 1,000.00 is a whole number, too; 1,00 may be another one.
      meanings = parts.meanings(points(false)) { try? Value(reading: $0, as: type) }
    }
    return EntryReading(meanings)
  }
}

/// The parts of a number as people write it.
private struct NumberParts {
  /// The character that separates the fraction from the whole number.
  struct Point {
    let character: Character?
    /// How a text with this point was read.
    let reading: String
  }

  private let isNegative: Bool
  /// Digits, commas and points, with a space for each other separator of groups.
  private let digits: String
  /// The power of ten that a word or letter such as `k` stands for.
  private let power: Int

  private static let powers: [String: Int] = [
    "%": -2, "": 0, "k": 3, "thousand": 3, "m": 6, "mio": 6, "million": 6, "b": 9, "bn": 9,
    "billion": 9,
  ]
  private static let currencies: Set<Character> = ["$", "€", "£", "¥", "₹", "₽", "₩", "₺", "₴"]
  private static let currencyCodes: Set<String> = ["usd", "eur", "gbp", "chf", "jpy"]

  /// Takes a text apart; nil if it has other parts.
  init?(_ text: String) {
    var rest = text.filter { !Self.currencies.contains($0) }[...]
    rest = rest.drop(while: \.isWhitespace)
    let code = rest.prefix(while: \.isLetter)
    if Self.currencyCodes.contains(code.lowercased()) {
      rest = rest.dropFirst(code.count).drop(while: \.isWhitespace)
    }
    isNegative = rest.first == "-" || rest.first == "−"
    if isNegative || rest.first == "+" { rest = rest.dropFirst() }
    rest = rest.drop { $0.isWhitespace }
    let isGap = { (character: Character) in character.isWhitespace || "'’_".contains(character) }
    let number = rest.prefix { isGap($0) || ($0.isASCII && $0.isNumber) || ",.".contains($0) }
    let word = rest.dropFirst(number.count).lowercased().filter { !$0.isWhitespace }
    guard let power = Self.currencyCodes.contains(word) ? 0 : Self.powers[word],
      number.contains(where: \.isNumber)
    else { return nil }
    digits = number.split(whereSeparator: isGap).joined(separator: " ")
    self.power = power
  }

  var isPercentage: Bool { power < 0 }

  var hasPoint: Bool { digits.contains(".") }

  /// The ways to read commas and points, the usual one first.
  func points(isWhole: Bool) -> [Point] {
    let none = Point(character: nil, reading: "with thousands")
    let comma = Point(character: ",", reading: "with a decimal comma")
    let point = Point(character: ".", reading: "with a decimal point")
    switch (digits.contains(","), digits.contains(".")) {
    case (false, false): return [none]
    case (true, false):
      // In a field for whole numbers only a multiple such as 1,5k has a fraction.
      return isWhole && power == 0 ? [none] : [none, comma]
    case (false, true):
      // The table writes percentages with a decimal point.
      return isPercentage ? [point] : power == 0 ? [none, point] : [point, none]
    case (true, true):
      guard let comma1 = digits.lastIndex(of: ","), let point1 = digits.lastIndex(of: ".") else {
        return []
      }
      return [comma1 > point1 ? comma : point]
    }
  }

  /// The only way to read commas and points if one of them is always before the fraction.
  func points(mark: Character) -> [Point] {
    [Point(character: digits.contains(mark) ? mark : nil, reading: "")]
  }

  /// The different values that the number has with one of the points before its fraction.
  func meanings(_ points: [Point], _ value: (_ exact: String) -> Value?) -> [EntryMeaning] {
    var meanings: [EntryMeaning] = []
    for point in points {
      guard let value = exactText(point: point).flatMap(value),
        !meanings.contains(where: { $0.value == value })
      else { continue }
      meanings.append(EntryMeaning(value, point.reading))
    }
    return meanings
  }

  /// The number in its exact form; nil if it is not written in that way.
  func exactText(point: Point) -> String? {
    var whole = digits[...]
    var fraction: Substring = ""
    if let character = point.character {
      guard let place = digits.firstIndex(of: character) else { return nil }
      whole = digits[..<place]
      fraction = digits[digits.index(after: place)...]
      guard !fraction.isEmpty, fraction.allSatisfy(\.isNumber) else { return nil }
    }
    guard let joined = Self.joiningGroups(whole),
      let number = DigitText((isNegative ? "-0" : "0") + joined + "." + fraction)
    else { return nil }
    let exact = number.shifted(by: power)
    // As many decimals as were typed stay, so that 12.50 keeps its zero; a multiple has none to keep.
    return power == 0 ? exact.text : exact.trimmed
  }

  /// A whole number without separators between groups of three digits; nil for other groups.
  private static func joiningGroups(_ whole: Substring) -> String? {
    let separator = whole.first { !$0.isNumber }
    guard let separator else { return String(whole) }
    let groups = whole.split(separator: separator, omittingEmptySubsequences: false)
    guard let first = groups.first, (1...3).contains(first.count), first.allSatisfy(\.isNumber),
      // 0,500 is a fraction.
      first.first != "0" || separator == " ",
      groups.dropFirst().allSatisfy({ $0.count == 3 && $0.allSatisfy(\.isNumber) })
    else { return nil }
    return groups.joined()
  }
}
