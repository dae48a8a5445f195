import OpenSwiftData

/// The words of formats, as commands and the file with views write them.
extension ColumnFormat {
  /// The words that can be given, for messages and the help.
  package static let words =
    [
      "plain", "thousands", "percent", "bytes", "money", "money=SIGN", "yesno",
    ] + DateStyle.allCases.map(\.rawValue) + ["decimals=N", "left", "right", "center"]

  /// Reads words such as `thousands decimals=2 left`; `plain` starts over.
  ///
  /// - Throws: `CommandError` that names the wrong word and the possible ones.
  package init(words: [String]) throws(CommandError) {
    for word in words { try apply(word) }
  }

  private mutating func apply(_ word: String) throws(CommandError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].lowercased()
    let value = parts.count > 1 ? String(parts[1]) : nil
    switch (name, value) {
    case ("plain", nil): self = ColumnFormat()
    case ("thousands", nil): style = .thousands
    case ("percent", nil): style = .percent
    case ("bytes", nil): style = .bytes
    case ("money", _): style = .money(value ?? "")
    case ("yesno", nil): style = .yesNo
    case ("left", nil): alignment = .left
    case ("right", nil): alignment = .right
    case ("center", nil): alignment = .center
    case ("decimals", let value?):
      guard let number = Int(value), (0...18).contains(number) else {
        throw CommandError("decimals: \(Value.quoted(value)) is not a number from 0 to 18")
      }
      decimals = number
    default:
      guard value == nil, let date = DateStyle(rawValue: name) else {
        throw CommandError(
          "unknown format \(Value.quoted(word)); \(Suggestion.text(for: word, among: Self.words))"
        )
      }
      style = .date(date)
    }
  }

  /// Why values of a type cannot be shown in this format; nil if they can.
  func problem(for type: AttributeType) -> String? {
    let isNumeric: Bool
    switch style {
    case .plain: isNumeric = decimals != nil
    case .thousands, .percent, .bytes, .money: isNumeric = true
    case .yesNo: return type == .boolean ? nil : Self.mismatch("yesno", type)
    case .date(let date):
      return type == .date || type == .datetime ? nil : Self.mismatch(date.rawValue, type)
    }
    guard isNumeric, !type.isNumeric else { return nil }
    return Self.mismatch(text.split(separator: " ").first.map(String.init) ?? "", type)
  }

  private static func mismatch(_ word: String, _ type: AttributeType) -> String {
    let fitting =
      switch type {
      case .integer, .number, .decimal: ["thousands", "percent", "bytes", "money", "decimals=N"]
      case .boolean: ["yesno"]
      case .date, .datetime: DateStyle.allCases.map(\.rawValue)
      default: [] as [String]
      }
    let expected = (["plain"] + fitting + ["left", "right", "center"]).joined(separator: ", ")
    return "a \(type) column cannot be shown as \(Value.quoted(word)); expected \(expected)"
  }

  /// The words that make this format; empty for values as they are.
  package var text: String {
    var words: [String] = []
    switch style {
    case .plain: break
    case .thousands: words.append("thousands")
    case .percent: words.append("percent")
    case .bytes: words.append("bytes")
    case .money(let sign): words.append(sign.isEmpty ? "money" : "money=\(sign)")
    case .yesNo: words.append("yesno")
    case .date(let style): words.append(style.rawValue)
    }
    if let decimals { words.append("decimals=\(decimals)") }
    switch alignment {
    case .left: words.append("left")
    case .right: words.append("right")
    case .center: words.append("center")
    case nil: break
    }
    return words.joined(separator: " ")
  }
}
