import OpenSwiftData

/// What a user should know about a file of separated values that was opened.
struct DelimitedFindings {
  private let document: JSONDocument

  init(_ document: JSONDocument) { self.document = document }

  /// Everything, one line each; empty for JSON.
  ///
  /// `isSaved` is false for a text that is not a file, to which nothing is saved.
  func notes(_ source: JSONSource, path: String, isSaved: Bool = true) -> [String] {
    guard let dialect = document.dialect else { return [] }
    var lines: [String] = []
    if dialect.header == nil, !dialect.columns.isEmpty {
      let count = dialect.columns.count
      lines.append("no header line: the columns are named column1 to column\(count)")
    }
    if dialect.encoding == .windows1252 {
      let how = isSaved ? "; saved as it was" : ""
      lines.append("read as \(dialect.encoding.name), because it is not UTF-8\(how)")
    }
    lines += dialect.forms.hints
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
    for snapshot in changes.inserted { try check(snapshot, before: nil) }
    for update in changes.updated { try check(update.after, before: update.before) }
  }

  private func check(_ snapshot: DefaultSnapshot, before: DefaultSnapshot?) throws {
    for (slot, value) in snapshot.orderedValues.enumerated() {
      guard case .text(let text) = value, value != before?.orderedValues[slot],
        let reason = refusal(of: text)
          ?? forms.refusal(of: text, in: snapshot.layout.names[slot])
      else { continue }
      throw PersistenceError(
        .invalidValue,
        "\(snapshot.persistentIdentifier.entityName).\(snapshot.layout.names[slot]): "
          + "\(Value.quoted(Value.shortened(text))) \(reason)"
      )
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

  /// Rejects a file that would be read in another encoding.
  ///
  /// - Throws: `PersistenceError`.
  func checkEncoding(of file: JSONSource, path: String) throws {
    let start = try file.bytes(in: 0..<min(4, file.sizeBytes))
    guard encoding != .utf8, !start.isEmpty else { return }
    let expected = encoding == .windows1252 ? .utf8 : encoding
    var isKept = DelimitedEncoding(startingWith: start) == expected
    if isKept, encoding == .windows1252 {
      let bytes = try file.bytes(in: 0..<file.sizeBytes)
      isKept = bytes.allSatisfy { $0 < 0x80 } || DelimitedEncoding.isWindows1252(bytes)
    }
    guard !isKept else { return }
    throw PersistenceError(
      .unsupported,
      "\(path): the file would then no longer be read as \(encoding.name); nothing was saved; "
        + "use saveas to make a file in UTF-8"
    )
  }

  private func refusal(of text: String) -> String? {
    if !prefersQuotes, text.utf8.contains(0) {
      return "contains a NUL character, which a file without quotes cannot hold"
    }
    let advice = "use saveas to make a file in UTF-8"
    guard encoding.canEncode(text) else {
      return "cannot be written in \(encoding.name), the encoding of the file; \(advice)"
    }
    return encoding.ambiguity(in: text).map {
      "cannot be written in \(encoding.name), the encoding of the file, because "
        + "\(Value.quoted($0.text)) would be read as \(Value.quoted($0.reading)) in UTF-8; \(advice)"
    }
  }
}

extension DelimitedEncoding {
  /// The error for bytes that are not UTF-8 among others that are.
  static let mixedMessage =
    "invalid UTF-8, but other characters of the file are UTF-8: two encodings in one file"
}
