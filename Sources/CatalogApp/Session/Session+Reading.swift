import OpenSwiftData

/// How the file of the store is read.
extension Session {
  /// What was kept about the file, if it is read like that.
  var keptReading: KeptReading? {
    guard let location = store.location, services.usesKeptReadings,
      settings.saidReading?.location != location,
      // A file that cannot be read was reported when the store was opened.
      let kept = try? services.keptReading(of: location), kept.options == store.reading?.options
    else { return nil }
    return kept
  }

  /// The reading in one line; nil for a store that can be read in one way only.
  var readingWords: String? { store.reading?.words(keptReading.map { "kept \($0.day)" }) }
}

extension Services {
  /// How another file is read: as a command says, or else as it was kept.
  func reading(of path: String, saying options: ReadingOptions?) -> ReadingOptions {
    if let options { return options }
    guard usesKeptReadings else { return ReadingOptions() }
    // What cannot be read is no reading; opening the file reports it.
    return (try? keptReading(of: path))?.options ?? ReadingOptions()
  }
}

extension Arguments {
  /// Reads options after the word `read`; nil if the next word is another one.
  mutating func takeReading(_ keyword: String = "read") throws -> ReadingOptions? {
    guard take(keyword) else { return nil }
    let word = try require("options after \"\(keyword)\"")
    return try locating(word) { try ReadingOptions(inCommand: word.text) }
  }
}

extension ReadingOptions {
  /// The reading that a command names.
  ///
  /// - Throws: `CommandError` for an unknown key or value.
  init(inCommand text: String) throws {
    do {
      try self.init(text)
    } catch {
      throw CommandError("read: \(error.message)")
    }
  }
}
