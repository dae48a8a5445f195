import OpenSwiftData

extension Arguments {
  /// True if a JSON object begins at the next word.
  var startsObject: Bool {
    guard let word = peek, word.text.hasPrefix("{") else { return false }
    return line.text.utf8.dropFirst(word.start).first == UInt8(ascii: "{")
  }

  /// Reads a JSON object that begins at the next word, and passes its members to the closure.
  ///
  /// - Throws: `CommandError` with the column of text that is not JSON, or of a member that the closure refuses.
  mutating func takeObject(_ member: (String, JSONReader.Item) throws -> Void) throws {
    guard let first = peek else { return }
    let bytes = Array(line.text.utf8.dropFirst(first.start))
    var reader = JSONReader(bytes)
    do {
      try reader.forEachMember { name, reader in
        _ = reader.isAtEnd
        let place = first.start + reader.position
        let item = try reader.next()
        try locating(first, at: place) { try member(name, item) }
      }
    } catch let error as ValueError {
      let (place, message) = error.placeInJSON ?? (reader.position, error.description)
      throw CommandError(
        message,
        column: line.column(of: first.start + min(place, bytes.count)),
        code: .invalidValue
      )
    }
    let end = first.start + reader.position
    while let word = peek, word.start < end {
      guard word.end <= end else {
        throw CommandError("expected a space after }", column: line.column(of: end))
      }
      _ = next()
    }
  }
}
