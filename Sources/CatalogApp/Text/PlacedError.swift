import OpenSwiftData

/// A place in a file of lines.
package struct TextPlace: Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  package let line: Int
  /// The column in characters, from 1.
  package let column: Int

  package init(line: Int, column: Int) { (self.line, self.column) = (line, column) }

  package var description: String { "\(line):\(column)" }
}

/// An error at a place in a file, whose path precedes its description: `themes/mine.theme:2:8: …`.
package struct PlacedError: Error, Hashable, Sendable, CustomStringConvertible {
  package let place: TextPlace
  /// The problem and a hint.
  package let message: String

  package var description: String { "\(place): \(message)" }

  package init(_ message: String, at place: TextPlace) {
    (self.message, self.place) = (message, place)
  }

  /// The error of JSON in a file, with the line and the column in place of the byte; nil for another error.
  init?(_ error: ValueError, in bytes: [UInt8]) {
    guard let (offset, message) = error.placeInJSON else { return nil }
    let before = bytes.prefix(offset)
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    self.init(
      message,
      at: TextPlace(
        line: 1 + before.count { $0 == 0x0A },
        column: String(decoding: before[start...], as: UTF8.self).count + 1
      )
    )
  }

  /// An error of a line at the column that it names, or else at the given one.
  init(_ error: CommandError, line: Int, column: Int = 1) {
    self.init(error.message, at: TextPlace(line: line, column: error.column ?? column))
  }
}
