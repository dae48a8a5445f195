import OpenSwiftData

extension Column {
  /// Appends rows without a value to a dense column.
  ///
  /// - Complexity: O(n).
  mutating func appendNulls(_ added: Int) {
    precondition(!isWide, "a wide column leaves them out")
    nulls.append(repeating: true, count: added)
    count += added
    switch layout {
    case .whole, .float, .bytes, .links: words += repeatElement(0, count: added)
    case .pair: words += repeatElement(0, count: 2 * added)
    case .decimal:
      words += repeatElement(0, count: added)
      exponents += repeatElement(0, count: added)
    case .flag: flags.append(repeating: false, count: added)
    case .days: days += repeatElement(0, count: added)
    case .link: identifiers += repeatElement(Self.noIdentifier, count: added)
    }
  }

  /// True if the arrays hold zeros for rows without a value.
  func hasZeros(whereNullFrom start: Int) -> Bool {
    for row in start..<count where nulls[row] {
      switch layout {
      case .whole, .float, .bytes, .links: if words[row] != 0 { return false }
      case .pair: if words[2 * row] | words[2 * row + 1] != 0 { return false }
      case .decimal: if words[row] != 0 || exponents[row] != 0 { return false }
      case .flag: if flags[row] { return false }
      case .days: if days[row] != 0 { return false }
      case .link: break
      }
    }
    return true
  }
}
