import OpenSwiftData

extension PayloadWriter {
  /// Appends zeros up to a multiple of 8.
  mutating func pad() { appendZeros(-count & 7) }

  /// Appends 64 bits at a time of a bitmap's rows.
  mutating func append(bits: Bitmap, _ rows: Range<Int>) {
    for start in stride(from: rows.lowerBound, to: rows.upperBound, by: 64) {
      append(fixed: bits.word(at: start, limit: rows.upperBound))
    }
  }

  /// Appends integers in as many bytes as the longest needs; returns their number.
  mutating func append<Number: FixedWidthInteger & SignedInteger>(
    shortest numbers: UnsafeBufferPointer<Number>
  ) -> UInt8 {
    var (least, greatest): (Number, Number) = (0, 0)
    for number in numbers {
      least = min(least, number)
      greatest = max(greatest, number)
    }
    func fit<Short: FixedWidthInteger>(_ type: Short.Type) -> Bool {
      Short(exactly: least) != nil && Short(exactly: greatest) != nil
    }
    if fit(Int8.self) { return append(numbers, as: Int8.self) }
    if fit(Int16.self) { return append(numbers, as: Int16.self) }
    if fit(Int32.self) { return append(numbers, as: Int32.self) }
    return append(numbers, as: Int64.self)
  }

  private mutating func append<
    Number: FixedWidthInteger & SignedInteger,
    Short: FixedWidthInteger
  >(_ numbers: UnsafeBufferPointer<Number>, as type: Short.Type) -> UInt8 {
    let short = numbers.map { Short(truncatingIfNeeded: $0).littleEndian }
    short.withUnsafeBytes { append(raw: $0) }
    return UInt8(MemoryLayout<Short>.size)
  }
}
