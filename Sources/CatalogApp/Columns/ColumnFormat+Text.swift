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
    case ("thousands", nil): try set(.thousands)
    case ("percent", nil): try set(.percent)
    case ("bytes", nil): try set(.bytes)
    case ("money", _): try set(.money(value ?? ""))
    case ("yesno", nil): try set(.yesNo)
    case ("left", nil): try align(.left)
    case ("right", nil): try align(.right)
    case ("center", nil): try align(.center)
    case ("decimals", let value?):
      guard let number = Int(value), (0...18).contains(number) else {
        throw CommandError("decimals: \(Value.quoted(value)) is not a number from 0 to 18")
      }
      decimals = number
    default:
      guard value == nil, let date = DateStyle(rawValue: name) else {
        throw CommandError(Suggestion.message("unknown format", word, among: Self.words))
      }
      try set(.date(date))
    }
  }

  /// Sets the style, of which there can be one; `thousands` may also be given with those that group digits anyway.
  private mutating func set(_ new: Style) throws(CommandError) {
    let former = style
    if former == .plain || former == .thousands && new.groupsDigits {
      style = new
    } else if former != new, !(new == .thousands && former.groupsDigits) {
      throw Self.contradiction(former.text, new.text)
    }
  }

  private mutating func align(_ new: DisplayText.Alignment) throws(CommandError) {
    if let alignment, alignment != new {
      throw Self.contradiction(Self.text(of: alignment), Self.text(of: new))
    }
    alignment = new
  }

  private static func contradiction(_ first: String, _ second: String) -> CommandError {
    CommandError("\(first) and \(second) cannot be combined; give one of them")
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
    let article = type == .integer ? "an" : "a"
    return "\(article) \(type) column cannot be shown as \(Value.quoted(word)); "
      + "expected \(expected)"
  }

  /// The words that make this format; empty for values as they are.
  package var text: String {
    var words = style == .plain ? [] : [style.text]
    if let decimals { words.append("decimals=\(decimals)") }
    if let alignment { words.append(Self.text(of: alignment)) }
    return words.joined(separator: " ")
  }

  private static func text(of alignment: DisplayText.Alignment) -> String {
    switch alignment {
    case .left: "left"
    case .right: "right"
    case .center: "center"
    }
  }
}

extension ColumnFormat.Style {
  /// The word for it.
  fileprivate var text: String {
    switch self {
    case .plain: "plain"
    case .thousands: "thousands"
    case .percent: "percent"
    case .bytes: "bytes"
    case .money(let sign): sign.isEmpty ? "money" : "money=\(sign)"
    case .yesNo: "yesno"
    case .date(let style): style.rawValue
    }
  }

  /// True if it writes digits in groups of three.
  fileprivate var groupsDigits: Bool {
    switch self {
    case .thousands, .percent, .money: true
    default: false
    }
  }
}
