import OpenSwiftData

/// Splits the bytes of a script into lines as they arrive, so that each line can run before the next is
/// read.
///
/// Lines end with LF or CR LF, the last one with the end of the script.
package struct ScriptLines {
  /// A line without its end.
  package struct Line: Hashable, Sendable {
    /// Counted from 1.
    package let number: Int
    package let text: String
  }

  /// The reason why the rest of a script cannot be read, with the line.
  package struct Failure: ScriptReadingError, Hashable, CustomStringConvertible {
    /// Counted from 1.
    package let number: Int
    /// The problem.
    package let description: String
  }

  private let limitBytes: Int
  private var buffer: [UInt8] = []
  private var start = 0
  private var searched = 0
  private var count = 0

  /// Creates a splitter that rejects lines with more bytes than the limit.
  package init(limitBytes: Int = 16 << 20) {
    self.limitBytes = limitBytes
  }

  /// Adds the bytes that were read next.
  package mutating func append(_ bytes: [UInt8]) {
    if start > 0 {
      buffer.removeFirst(start)
      searched -= start
      start = 0
    }
    buffer += bytes
  }

  /// The next complete line; nil if more bytes are needed.
  ///
  /// - Throws: `Failure` for bytes that are not UTF-8, NUL, and lines beyond the limit.
  package mutating func next() throws(Failure) -> Line? {
    guard let end = buffer[searched...].firstIndex(of: 0x0A) else {
      searched = buffer.count
      guard buffer.count - start <= limitBytes else { throw tooLong() }
      return nil
    }
    return try take(until: end, next: end + 1)
  }

  /// The last line if it has no line end; nil otherwise.
  ///
  /// - Throws: `Failure` as `next()`.
  package mutating func finish() throws(Failure) -> Line? {
    guard start < buffer.count else { return nil }
    return try take(until: buffer.count, next: buffer.count)
  }

  private mutating func take(until end: Int, next: Int) throws(Failure) -> Line {
    guard end - start <= limitBytes else { throw tooLong() }
    var bytes = buffer[start..<end]
    start = next
    searched = next
    count += 1
    if bytes.last == 0x0D { bytes.removeLast() }
    if count == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    if count == 1, let refusal = TextEncoding.refusal(of: bytes) { throw failure(refusal) }
    if let zero = bytes.firstIndex(of: 0) {
      throw failure("NUL at byte \(zero - bytes.startIndex + 1); a script must be text")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      let offset = UTF8.firstInvalidOffset(in: bytes) ?? 0
      throw failure("invalid UTF-8 at byte \(offset + 1)")
    }
    return Line(number: count, text: text)
  }

  private func tooLong() -> Failure {
    Failure(number: count + 1, description: "line longer than \(limitBytes) bytes")
  }

  private func failure(_ description: String) -> Failure {
    Failure(number: count, description: description)
  }
}
