/// What the texts of a column tell about the signs in its numbers, as in files of separated values.
struct NumberSigns {
  private var sawDecimalComma = false
  private var sawOtherText = false
  /// True if a point of a number cannot separate thousands.
  private(set) var hasOnlyFractions = false

  /// True for a column whose numbers have a decimal comma.
  var hasDecimalComma: Bool { sawDecimalComma && !sawOtherText }

  /// Takes a text into account.
  mutating func add(_ text: String) {
    // Nothing more can be learned from most columns.
    if sawOtherText && hasOnlyFractions || text.isEmpty { return }
    let number = Number(text)
    switch number.kind {
    case .other: sawOtherText = true
    case .decimalComma: sawDecimalComma = true
    case .fraction: hasOnlyFractions = true
    case .whole, .ambiguous: break
    }
  }

  /// A number with points and a comma.
  private struct Number {
    enum Kind {
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

    let kind: Kind

    /// Reads a text by the rules of `signs_of` in `CSimdjson`, by which an opened file gets the same types.
    init(_ text: String) {
      var text = text
      kind = text.withUTF8 { Self.kind($0) }
    }

    private static func kind(_ text: UnsafeBufferPointer<UInt8>) -> Kind {
      var rest = text[...]
      if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
      let whole = rest.prefix { isDigit($0) || $0 == UInt8(ascii: ".") }
      let groups = whole.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard groups.allSatisfy({ !$0.isEmpty }) else { return .other }
      let isWhole = groups.count == 1
      let isGrouped =
        !isWhole && groups[0].count <= 3 && groups[0].first != UInt8(ascii: "0")
        && groups.dropFirst().allSatisfy { $0.count == 3 }
      rest = rest.dropFirst(whole.count)
      guard let comma = rest.popFirst() else {
        return isWhole ? .whole : isGrouped ? .ambiguous : groups.count == 2 ? .fraction : .other
      }
      let digits = rest.prefix(while: isDigit)
      let unit = rest.dropFirst(digits.count)
      let isUnit = unit.count <= 5 && !unit.contains { isDigit($0) || ",.".utf8.contains($0) }
      guard comma == UInt8(ascii: ","), isWhole || isGrouped, !digits.isEmpty, isUnit else {
        return .other
      }
      let mayBeThousands = digits.count == 3 && isWhole && groups[0].first != UInt8(ascii: "0")
      return mayBeThousands ? .ambiguous : .decimalComma
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
  }
}
