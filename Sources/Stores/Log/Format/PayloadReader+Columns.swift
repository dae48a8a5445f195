import OpenSwiftData

extension PayloadError {
  static let badColumn = PayloadError(reason: "invalid column")
  static let unknownColumn = PayloadError(
    reason: "unknown column encoding",
    isNewer: true
  )
}

extension PayloadReader {
  /// Reads numbers of a fixed size.
  mutating func numbers<Number: FixedWidthInteger>(
    _ count: Int,
    as type: Number.Type
  ) throws(PayloadError) -> [Number] {
    let size = MemoryLayout<Number>.size
    guard count <= remaining / size else { throw .endsEarly }
    let bytes = try raw(count * size)
    return Array<Number>(unsafeUninitializedCapacity: count) { numbers, initialized in
      if count > 0 { UnsafeMutableRawBufferPointer(numbers).copyMemory(from: bytes) }
      #if _endian(big)
        for place in 0..<count { numbers[place] = Number(littleEndian: numbers[place]) }
      #endif
      initialized = count
    }
  }

  mutating func words(_ count: Int) throws(PayloadError) -> [UInt64] {
    try numbers(count, as: UInt64.self)
  }

  /// Reads signed integers of this size as longer ones.
  mutating func integers<Number: FixedWidthInteger>(_ count: Int, bytes width: UInt8)
    throws(PayloadError) -> [Number]
  {
    switch width {
    case 1: try numbers(count, as: Int8.self).map { Number(truncatingIfNeeded: $0) }
    case 2: try numbers(count, as: Int16.self).map { Number(truncatingIfNeeded: $0) }
    case 4: try numbers(count, as: Int32.self).map { Number(truncatingIfNeeded: $0) }
    case 8: try numbers(count, as: Int64.self).map { Number(truncatingIfNeeded: $0) }
    default: throw .unknownColumn
    }
  }

  /// Appends bits to a bitmap; those after the last one must be zero.
  mutating func bits(_ count: Int, to bitmap: inout Bitmap) throws(PayloadError) {
    let words = try words((count + 63) / 64)
    if count & 63 != 0, let last = words.last, last >> UInt64(count & 63) != 0 {
      throw PayloadError(reason: "unexpected bits after the last record")
    }
    words.withUnsafeBufferPointer { bitmap.append(words: $0, count: count) }
  }

  /// Skips zeros up to a multiple of 8.
  mutating func skipPadding() throws(PayloadError) {
    guard !isAtEnd else { return }
    let padding = try raw(min(-position & 7, remaining))
    guard padding.allSatisfy({ $0 == 0 }) else { throw .badColumn }
  }
}
