import OpenSwiftData

extension ReadFile {
  private static let previewedRecords = 8
  private static let previewedBytes = 1 << 16
  private static let mostChoices = 5

  /// The ways to read the file, the present one first, then those that give other records.
  ///
  /// - Throws: The error of a file that cannot be read.
  static func choices(_ reading: FileReading, _ session: Session) throws -> [ReadingChoice] {
    guard let path = session.store.shownLocation, !session.store.isPipe else {
      throw CommandError("read: \(session.store.name) can be read only once; use --read")
    }
    let bytes = try session.services.beginning(of: path, byteCount: Self.previewedBytes)
    var choices: [ReadingChoice] = []
    for (title, options) in Self.alternatives(to: reading) {
      // A reading that fails is not offered.
      guard let choice = try? choice(title, options, bytes, path, session) else { continue }
      if choices.contains(where: choice.looksLike) { continue }
      choices.append(choice)
    }
    return Array(choices.prefix(Self.mostChoices))
  }

  /// The ways to read a file that may have been misread, or was refused, for the screen to offer; empty if there is no
  /// doubt.
  static func offeredChoices(_ session: Session) -> [ReadingChoice] {
    guard session.services.usesKeptReadings,
      session.settings.saidReading?.location != session.store.location,
      session.keptReading == nil,
      let reading = session.store.reading
    else { return [] }
    // If the rule refuses the file, its options are an offer that the user has not accepted yet.
    let isRefused = !reading.options.isAutomatic
    guard isRefused || !reading.doubts.isEmpty else { return [] }
    // What cannot be read again is not offered.
    let choices = (try? choices(reading, session)) ?? []
    return choices.count > 1 || isRefused ? choices : []
  }

  private static func alternatives(to reading: FileReading) -> [(String, ReadingOptions)] {
    let present = reading.options
    func other(_ change: (inout ReadingOptions) -> Void) -> ReadingOptions {
      var options = present
      change(&options)
      return options
    }
    let header =
      reading.hasHeader
      ? ("the first line is a record", other { $0.header = .no })
      : ("the first line has the names", other { $0.header = .yes })
    let delimiters = [(";", "semicolons"), (",", "commas"), ("tab", "tabs"), ("|", "bars")]
      .filter { $0.0 != reading.delimiter }
      .map { word, name in
        let byte = word == "tab" ? 0x09 : word.utf8.first ?? 0x2C
        return ("divided by \(name)", other { $0.delimiter = .byte(byte) })
      }
    let suggested = reading.suggestion.map { [("texts are numbers", $0)] } ?? []
    let rule = present.isAutomatic ? [] : [("by the rule", ReadingOptions())]
    return [("as now", present)] + rule + suggested + [header] + delimiters
      + [
        ("quotes are characters", other { $0.quote = .none }),
        ("one column", other { $0.delimiter = .none }),
      ]
  }

  /// A text as the options mean it.
  private static func shown(_ text: String, in column: String, _ options: ReadingOptions) -> String
  {
    if options.missing.words(of: column).contains(text) { return "" }
    return options.changesValues ? options.usual(text) ?? text : text
  }

  private static func choice(
    _ title: String,
    _ options: ReadingOptions,
    _ bytes: [UInt8],
    _ path: String,
    _ session: Session
  ) throws -> ReadingChoice? {
    let promised = DelimitedText.delimiter(promisedBy: session.services.plainName(of: path))
    let text = try session.services.delimitedText(bytes, promised: promised, reading: options)
    var rows = DelimitedRows(text)
    if text.hasHeader { _ = try rows.next() }
    var shown: [[String]] = []
    while shown.count < Self.previewedRecords, let row = try rows.next() {
      let texts = row.cells.map { if case .text(let text) = $0 { text } else { "" } }
      shown.append(zip(text.columns, texts).map { Self.shown($1, in: $0, options) })
    }
    let isOther = options.delimiter != .automatic && options.delimiter != .none
    guard !isOther || text.columns.count > 1 else { return nil }
    return ReadingChoice(title: title, options: options, columns: text.columns, rows: shown)
  }
}
