/// The rows in a piece of data that was copied in binary form: after a header, the number of cells and for each its
/// length and its bytes; the number is -1 at the end.
struct CopiedRow {
  private let bytes: UnsafeRawBufferPointer
  private var place: Int

  private static let headerBytes = 19

  init(_ bytes: UnsafeRawBufferPointer, isFirst: Bool) {
    self.bytes = bytes
    place = isFirst ? Self.headerBytes : 0
  }

  /// The number of cells in the next row; nil after the last one.
  mutating func nextCount() -> Int? {
    guard place + 2 <= bytes.count else { return nil }
    let count = Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int16.self))
    place += 2
    return count < 0 ? nil : Int(count)
  }

  /// The bytes of the next cell; nil for a missing value.
  ///
  /// - Throws: `PostgresFailure` if the data ends in the middle.
  mutating func next() throws -> UnsafeRawBufferPointer? {
    guard place + 4 <= bytes.count else { throw PostgresFailure(message: "cut row") }
    let count = Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int32.self)))
    place += 4
    if count < 0 { return nil }
    guard place + count <= bytes.count else { throw PostgresFailure(message: "cut row") }
    defer { place += count }
    return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
  }
}
