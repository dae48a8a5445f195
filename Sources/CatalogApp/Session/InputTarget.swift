import OpenSwiftData

extension Session {
  /// Reads the records that the standard input names, if the next word is `-`; empty input names none.
  ///
  /// - Throws: `CommandError` with the line of an unknown identifier, or for records of several entities.
  func takeInputTarget(_ arguments: inout Arguments) throws -> [PersistentIdentifier]? {
    guard let word = arguments.peek, !word.isQuoted, word.text == "-" else { return nil }
    _ = arguments.next()
    let records = try inputIdentifiers()
    let entities = Set(records.map(\.entityName))
    guard entities.count <= 1 else {
      throw CommandError(
        "-: records of several entities (\(entities.sorted().joined(separator: ", ")))"
      )
    }
    return records
  }

  /// The records that the lines of the standard input name; a heading `id` is skipped.
  private func inputIdentifiers() throws -> [PersistentIdentifier] {
    let bytes = try readInput("-")
    var seen: Set<PersistentIdentifier> = []
    var found: [PersistentIdentifier] = []
    for (place, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    {
      let text = String(decoding: line, as: UTF8.self).filter { !$0.isWhitespace }
      if text.isEmpty || place == 0 && text.wholeMatch(of: /_*id/) != nil { continue }
      do {
        let identifier = try liveIdentifier(text)
        if seen.insert(identifier).inserted { found.append(identifier) }
      } catch let error as CommandError {
        throw CommandError("-:\(place + 1): \(error.message)", code: error.code)
      }
    }
    return found
  }

  /// Reads a whole file; `-` is the standard input.
  ///
  /// - Throws: `PersistenceError` with the path and the reason; `CommandError` for a second reading of the standard
  ///   input, or if it is the script.
  func readInput(_ path: String) throws -> [UInt8] {
    guard path == "-" else { return try services.readFile(path) }
    guard !hasReadInput else { throw CommandError("-: standard input was already read") }
    let bytes = try services.readStandardInput()
    hasReadInput = true
    return bytes
  }
}
