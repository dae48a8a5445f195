import CDelimited

extension ReadingOptions {
  /// True if values are read in another way than usual.
  package var changesValues: Bool {
    !missing.isEmpty || hasDecimalComma || thousands != .none || dates != .iso
  }

  /// The sign before the decimals, and that between groups of digits, 0 for none.
  package var numberSigns: (decimal: UInt8, group: UInt8) {
    let group: UInt8 =
      switch thousands {
      case .none: 0
      case .point: UInt8(ascii: ".")
      case .comma: UInt8(ascii: ",")
      case .apostrophe: UInt8(ascii: "'")
      case .space: UInt8(ascii: " ")
      }
    return (UInt8(ascii: hasDecimalComma ? "," : "."), group)
  }

  /// The order of dates, as the reader of values numbers it.
  package var dateForm: UInt8 {
    let form =
      switch dates {
      case .iso: CATALOG_DATES_ISO
      case .dayMonthYear: CATALOG_DATES_DMY
      case .monthDayYear: CATALOG_DATES_MDY
      case .yearMonthDay: CATALOG_DATES_YMD
      }
    return UInt8(form)
  }

  /// A number in the usual spelling, or a date; nil for a text that is none.
  ///
  /// `.5` is `0.5`, `1.` is `1`, `+5` is `5`, and with a decimal comma `1.234,50` is `1234.50`.
  package func usual(_ text: String) -> String? {
    let signs = numberSigns
    let forms = catalog_value_forms(decimal: signs.decimal, group: signs.group, dates: dateForm)
    var text = text
    return text.withUTF8 { bytes -> String? in
      guard let base = bytes.baseAddress else { return nil }
      return withUnsafeTemporaryAllocation(
        of: UInt8.self,
        capacity: CATALOG_FORM_BYTES
      ) {
        output in
        guard let start = output.baseAddress else { return nil }
        var count = catalog_number_form(base, bytes.count, forms, start)
        if count == 0 { count = catalog_date_form(base, bytes.count, forms, start) }
        return count == 0 ? nil : String(decoding: output[..<count], as: UTF8.self)
      }
    }
  }

  /// A value that is read back as the same one.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - former: How the value is spelled that it replaces, or another one of its column; nil for none.
  ///   - digits: The digits of a number in the usual form; nil for those of its text.
  /// - Returns: Its text; nil for the usual one.
  package func text(of value: Value, like former: String?, digits: String? = nil) -> String? {
    switch value {
    case .integer, .number, .decimal:
      guard changesNumbers else { return nil }
      return numberText(digits ?? value.text, isGrouped: former.map(isGrouped) ?? false)
    case .date(let date):
      guard dates != .iso else { return nil }
      return dateText(date.description, like: former)
    default: return nil
    }
  }

  /// True if numbers have another form than usual.
  package var changesNumbers: Bool { hasDecimalComma || thousands != .none }

  private var groupMark: String { thousands == .space ? " " : thousands.rawValue }

  private func isGrouped(_ text: String) -> Bool {
    guard thousands != .none else { return false }
    return text.contains(groupMark)
      || thousands == .space && text.contains { "\u{A0}\u{202F}".contains($0) }
  }

  private func numberText(_ text: String, isGrouped: Bool) -> String {
    guard text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 0x2D || $0 == 0x2E }) else {
      return text.replacing(".", with: hasDecimalComma ? "," : ".")
    }
    let parts = text.split(separator: ".", maxSplits: 1)
    var whole = String(parts[0])
    if isGrouped {
      let sign = whole.hasPrefix("-") ? "-" : ""
      var digits = Substring(whole.dropFirst(sign.count))
      var groups: [Substring] = []
      while digits.count > 3 {
        groups.insert(digits.suffix(3), at: 0)
        digits = digits.dropLast(3)
      }
      whole = sign + ([digits] + groups).joined(separator: groupMark)
    }
    return whole + (parts.count > 1 ? (hasDecimalComma ? "," : ".") + parts[1] : "")
  }

  /// A date with the mark and the zeros of another one.
  private func dateText(_ date: String, like former: String?) -> String {
    let parts = date.split(separator: "-").map(String.init)
    let mark = former?.drop { $0 == " " }.first { !$0.isNumber } ?? "."
    let former = former?.split { !$0.isNumber }.map(String.init) ?? []
    let order =
      switch dates {
      case .iso, .yearMonthDay: [0, 1, 2]
      case .dayMonthYear: [2, 1, 0]
      case .monthDayYear: [1, 2, 0]
      }
    // A number of one digit tells that there are no zeros before others.
    let isBare = former.contains { $0.count == 1 }
    return order.map { place in
      isBare && parts[place].hasPrefix("0") && place > 0
        ? String(parts[place].dropFirst()) : parts[place]
    }.joined(separator: String(mark))
  }
}
