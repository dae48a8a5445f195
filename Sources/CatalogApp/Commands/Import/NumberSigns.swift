/// What the texts of a column tell about the signs in its numbers, as in files of separated values.
struct NumberSigns {
  private var sawDecimalComma = false
  private var sawOtherText = false
  /// True if a point of a number cannot separate thousands.
  private(set) var hasOnlyFractions = false

  /// True for a column whose numbers have a decimal comma.
  var hasDecimalComma: Bool { sawDecimalComma && !sawOtherText }

  /// True if nothing more can be learned from texts; one that cannot be a fraction tells only about decimal commas.
  func isComplete(mayBeFractions: Bool) -> Bool {
    sawOtherText && (hasOnlyFractions || !mayBeFractions)
  }

  /// Takes a text into account.
  mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
    if text.isEmpty { return }
    switch Self.kind(of: text) {
    case .other: sawOtherText = true
    case .decimalComma: sawDecimalComma = true
    case .fraction: hasOnlyFractions = true
    case .whole, .ambiguous: break
    }
  }
}

// MARK: Kinds of numbers

extension NumberSigns {
  private enum Kind {
    /// `1234`.
    case whole
    /// `1.5`, `0.125`.
    case fraction
    /// `1.234`, `1,234`.
    case ambiguous
    /// `12,50`, `1.234,56 €`.
    case decimalComma
    case other
  }

  /// Digits, perhaps with points between them.
  private struct Groups {
    var count = 1
    /// The number of digits before the first point.
    var firstDigits = 0
    var beginsWithZero = false
    /// True if there are no digits before a point or after it.
    var hasGap = false
    /// True if three digits follow each point.
    var isRegular = true

    /// True if the points can separate thousands.
    var isGrouped: Bool { count > 1 && firstDigits <= 3 && !beginsWithZero && isRegular }
  }

  /// Reads a text by the rules of `signs_of` in `CSimdjson`, by which an opened file gets the same types.
  private static func kind(of text: UnsafeBufferPointer<UInt8>) -> Kind {
    var place = text.first == UInt8(ascii: "-") ? 1 : 0
    let groups = groups(in: text, &place)
    if groups.hasGap { return .other }
    guard place < text.count else {
      if groups.count == 1 { return .whole }
      if groups.isGrouped { return .ambiguous }
      return groups.count == 2 ? .fraction : .other
    }
    guard text[place] == UInt8(ascii: ","), groups.count == 1 || groups.isGrouped else {
      return .other
    }
    let fraction = place + 1
    place = fraction
    while place < text.count, isDigit(text[place]) { place += 1 }
    let unit = UnsafeBufferPointer(rebasing: text[place...])
    guard place > fraction, unit.count <= 5,
      !unit.contains(where: { isDigit($0) || ",.".utf8.contains($0) })
    else { return .other }
    let mayBeThousands = place - fraction == 3 && groups.count == 1 && !groups.beginsWithZero
    return mayBeThousands ? .ambiguous : .decimalComma
  }

  /// The digits and points from a place on, which is their end afterwards.
  private static func groups(in text: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Groups {
    var groups = Groups()
    var start = place
    groups.beginsWithZero = place < text.count && text[place] == UInt8(ascii: "0")
    func close() {
      if place == start { groups.hasGap = true }
      if groups.count == 1 {
        groups.firstDigits = place - start
      } else if place - start != 3 {
        groups.isRegular = false
      }
    }
    while place < text.count {
      if text[place] == UInt8(ascii: ".") {
        close()
        groups.count += 1
        start = place + 1
      } else if !isDigit(text[place]) {
        break
      }
      place += 1
    }
    close()
    return groups
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
