import OpenSwiftData

/// What a user should know about a file of separated values that was opened.
struct DelimitedFindings {
  private let document: JSONDocument

  init(_ document: JSONDocument) { self.document = document }

  /// Everything, one line each; empty for JSON.
  func notes(_ source: JSONSource, path: String) -> [String] {
    guard let dialect = document.dialect else { return [] }
    var lines: [String] = []
    if dialect.header == nil, !dialect.columns.isEmpty {
      let count = dialect.columns.count
      lines.append("no header line: the columns are named column1 to column\(count)")
    }
    if dialect.encoding == .windows1252 {
      lines.append("read as \(dialect.encoding.name), because it is not UTF-8; saved as it was")
    }
    return lines.map { "\(path): \($0)" } + problems(source, path: path)
  }

  /// What other programs may stumble over, one line each.
  func problems(_ source: JSONSource, path: String) -> [String] {
    guard let dialect = document.dialect else { return [] }
    var lines = dialect.notes
    let ragged = document.ragged
    if ragged.shortCount > 0, let line = line(of: ragged.firstShort, source) {
      lines.append(
        "line \(line): fewer values than columns, in \(Self.records(ragged.shortCount)); "
          + "the others are missing values"
      )
    }
    if ragged.longCount > 0, let line = line(of: ragged.firstLong, source) {
      lines.append(
        "line \(line): more values than columns, in \(Self.records(ragged.longCount)); "
          + "they are kept but not shown"
      )
    }
    return lines.map { "\(path): \($0)" }
  }

  /// The line of an offset; nil if the file has changed.
  private func line(of offset: Int, _ source: JSONSource) -> Int? {
    try? source.position(of: offset).line
  }

  private static func records(_ count: Int) -> String {
    count == 1 ? "1 record" : "\(count) records"
  }
}

extension DelimitedDialect {
  /// Rejects values that the file cannot hold.
  ///
  /// - Throws: `PersistenceError` with the record and the reason.
  func check(_ changes: ChangeSet, path: String) throws {
    for snapshot in changes.inserted where snapshot.layout.names.isEmpty {
      throw PersistenceError(
        .invalidValue,
        "\(path): a record needs a column; add a field to \(snapshot.persistentIdentifier.entityName)"
      )
    }
    for snapshot in changes.inserted + changes.updated.map(\.after) {
      for (slot, value) in snapshot.orderedValues.enumerated() {
        guard case .text(let text) = value, let reason = refusal(of: text) else { continue }
        throw PersistenceError(
          .invalidValue,
          "\(snapshot.persistentIdentifier.entityName).\(snapshot.layout.names[slot]): "
            + "\(Value.quoted(Value.shortened(text))) \(reason)"
        )
      }
    }
  }

  /// Rejects a file that would be read differently: without its first record, one without a header may seem to have
  /// one.
  ///
  /// - Throws: `PersistenceError`; `JSONDamage` for a header that cannot be read.
  func checkBeginning(of source: JSONSource, _ configuration: JSONStoreConfiguration) throws {
    guard source.sizeBytes > 0 else { return }
    let found = try DelimitedSniffer.dialect(of: source, hasTabs: configuration.hasTabs)
    guard !readsLike(found) else { return }
    throw PersistenceError(
      .unsupported,
      "\(configuration.path): the file would then be read with other columns, because "
        + (header == nil ? "it has no header line" : "its first lines decide how it is read")
        + "; nothing was saved; use saveas to make a new file"
    )
  }

  private func refusal(of text: String) -> String? {
    if !prefersQuotes, text.utf8.contains(0) {
      return "contains a NUL character, which a file without quotes cannot hold"
    }
    if encoding.canEncode(text) { return nil }
    return "cannot be written in \(encoding.name), the encoding of the file; "
      + "use saveas to make a file in UTF-8"
  }
}

extension DelimitedEncoding {
  /// The error for bytes that are not UTF-8 among others that are.
  static let mixedMessage =
    "invalid UTF-8, but other characters of the file are UTF-8: two encodings in one file"

  /// True if UTF-8 text has characters beyond ASCII, in spite of bytes that are not UTF-8.
  func hasOtherCharacters(_ bytes: [UInt8]) -> Bool {
    var place = 0
    while let lead = bytes[place...].firstIndex(where: { $0 >= 0xC2 && $0 <= 0xF4 }) {
      let length = lead + (bytes[lead] >= 0xF0 ? 4 : bytes[lead] >= 0xE0 ? 3 : 2)
      if length <= bytes.count, String(validating: bytes[lead..<length], as: UTF8.self) != nil {
        return true
      }
      place = lead + 1
    }
    return false
  }
}
