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
    if sawOtherText, hasOnlyFractions { return }
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

    init(_ text: String) {
      var rest = Substring(text)
      if rest.first == "-" { rest.removeFirst() }
      let whole = Self.take(&rest) { $0 == "." }
      let groups = whole.split(separator: ".", omittingEmptySubsequences: false)
      guard groups.allSatisfy({ !$0.isEmpty }) else {
        kind = .other
        return
      }
      let isGrouped =
        groups.count > 1 && groups[0].count <= 3 && groups[0].first != "0"
        && groups.dropFirst().allSatisfy { $0.count == 3 }
      if rest.isEmpty {
        kind =
          groups.count == 1
          ? .whole : isGrouped ? .ambiguous : groups.count == 2 ? .fraction : .other
        return
      }
      guard rest.first == ",", groups.count == 1 || isGrouped else {
        kind = .other
        return
      }
      rest.removeFirst()
      let digits = Self.take(&rest) { _ in false }
      // A unit may follow.
      guard !digits.isEmpty, rest.utf8.count <= 5, !rest.contains(where: { ",.".contains($0) })
      else {
        kind = .other
        return
      }
      let mayBeThousands = digits.count == 3 && groups.count == 1 && groups[0].first != "0"
      kind = mayBeThousands ? .ambiguous : .decimalComma
    }

    /// Removes and returns the digits at the beginning, and what the closure allows between them.
    private static func take(_ text: inout Substring, _ isAllowed: (Character) -> Bool) -> Substring
    {
      let digits = text.prefix { $0.isASCII && $0.isNumber || isAllowed($0) }
      text = text.dropFirst(digits.count)
      return digits
    }
  }
}
