import Foundation

/// A growing buffer for the payload of a frame.
///
/// Numbers are little-endian or variable-length (LEB128: seven bits per byte, the last byte without
/// the upper bit; signed numbers zigzag); texts are preceded by their number of bytes.
struct PayloadWriter: ~Copyable {
  private var memory: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(capacity: Int = 4096) {
    memory = Self.resized(nil, to: max(64, capacity))
  }

  deinit { free(memory.baseAddress) }

  /// The bytes written; valid until the next change, while the writer exists.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// Lends the bytes written for the duration of the call.
  borrowing func withContent<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try body(bytes)
  }

  /// Drops everything after the first `newCount` bytes.
  mutating func shorten(to newCount: Int) {
    precondition(newCount <= count, "Shortening cannot lengthen.")
    count = newCount
  }

  /// Appends zero bytes, to be filled later.
  mutating func appendZeros(_ zeros: Int) {
    reserve(zeros)
    UnsafeMutableRawBufferPointer(rebasing: memory[count..<count + zeros]).initializeMemory(
      as: UInt8.self,
      repeating: 0
    )
    count += zeros
  }

  /// Access to a written range, for filling it in later.
  mutating func withBytes(_ body: (UnsafeMutableRawBufferPointer) -> Void) {
    body(UnsafeMutableRawBufferPointer(rebasing: memory[..<count]))
  }

  @inline(__always)
  mutating func setBits(_ bits: UInt8, at offset: Int) {
    assert(offset < count, "Only bytes that were appended can be changed.")
    memory[offset] |= bits
  }

  @inline(__always)
  mutating func append(byte: UInt8) {
    reserve(1)
    memory[count] = byte
    count += 1
  }

  @inline(__always)
  mutating func append(fixed value: UInt64) {
    reserve(8)
    memory.store(value, at: count)
    count += 8
  }

  mutating func append(fixed value: UInt32) {
    reserve(4)
    memory.store(value, at: count)
    count += 4
  }

  mutating func append(fixed value: UInt16) {
    reserve(2)
    memory.store(value, at: count)
    count += 2
  }

  @inline(__always)
  mutating func append(unsigned value: UInt64) {
    reserve(10)
    var rest = value
    while rest >= 0x80 {
      memory[count] = UInt8(truncatingIfNeeded: rest) | 0x80
      count += 1
      rest >>= 7
    }
    memory[count] = UInt8(truncatingIfNeeded: rest)
    count += 1
  }

  mutating func append(signed value: Int64) {
    append(unsigned: UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  @inline(__always)
  mutating func append(raw bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
    count += bytes.count
  }

  mutating func append(sized bytes: UnsafeRawBufferPointer) {
    append(unsigned: UInt64(bytes.count))
    append(raw: bytes)
  }

  mutating func append(text: String) {
    var text = text
    text.withUTF8 { append(sized: UnsafeRawBufferPointer($0)) }
  }

  /// Appends a text that may be missing: its size plus one, or zero.
  mutating func append(optionalText text: String?) {
    guard var text else { return append(unsigned: 0) }
    text.withUTF8 {
      append(unsigned: UInt64($0.count) + 1)
      append(raw: UnsafeRawBufferPointer($0))
    }
  }

  @inline(__always)
  private mutating func reserve(_ additional: Int) {
    guard additional > memory.count - count else { return }
    grow(additional)
  }

  @inline(never)
  private mutating func grow(_ additional: Int) {
    memory = Self.resized(memory.baseAddress, to: max(memory.count * 2, count + additional))
  }

  /// Allocates memory, or enlarges what is there: the system moves large memory without copying it.
  private static func resized(_ start: UnsafeMutableRawPointer?, to size: Int)
    -> UnsafeMutableRawBufferPointer
  {
    // As with every other allocation, nothing can be done without memory.
    guard let larger = realloc(start, size) else { fatalError("out of memory") }
    return UnsafeMutableRawBufferPointer(start: larger, count: size)
  }
}
