/// A place in a file of lines.
package struct TextPlace: Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  package let line: Int
  /// The column in characters, from 1.
  package let column: Int

  /// Creates a place.
  package init(line: Int, column: Int) { (self.line, self.column) = (line, column) }

  package var description: String { "\(line):\(column)" }
}

/// An error at a place in a file, whose path precedes its description: `themes/mine.theme:2:8: …`.
package struct PlacedError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The place.
  package let place: TextPlace
  /// The problem and a hint.
  package let message: String

  package var description: String { "\(place): \(message)" }

  /// Creates an error.
  package init(_ message: String, at place: TextPlace) {
    (self.message, self.place) = (message, place)
  }

  /// An error of a line at the column that it names, or else at the given one.
  init(_ error: CommandError, line: Int, column: Int = 1) {
    self.init(error.message, at: TextPlace(line: line, column: error.column ?? column))
  }
}
