/// Numbers that only text can keep as they are written.
extension String {
  /// True for numbers that identify something, such as `007` or the telephone number `+4930123456`:
  /// their zeros and signs are significant.
  package var isCode: Bool {
    let digits = utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
    if utf8.first == UInt8(ascii: "+"), digits.count > 6,
      digits.allSatisfy({ (48...57).contains($0) })
    {
      return true
    }
    guard digits.first == 48, let second = digits.dropFirst().first else { return false }
    return (48...57).contains(second)
  }

  /// True for a code, and for several digits after a plus sign, with which a file of separated values opens as text, too.
  package var isKeptAsText: Bool {
    let digits = utf8.dropFirst()
    return isCode
      || utf8.first == UInt8(ascii: "+") && digits.count > 1
        && digits.allSatisfy { (48...57).contains($0) }
  }
}
