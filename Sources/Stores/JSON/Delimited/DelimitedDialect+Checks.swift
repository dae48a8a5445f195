import OpenSwiftData

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
      if value == before?.orderedValues[slot] { continue }
      let place = columns.firstIndex(of: snapshot.layout.names[slot]) ?? 0
      let text: String
      switch value {
      case .text(let new): text = new
      case .null where syntax.joinsDelimiters: text = ""
      default: continue
      }
      let column = snapshot.layout.names[slot]
      guard let reason = refusal(of: text, at: place) ?? forms.refusal(of: text, in: column) else {
        continue
      }
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
  func checkBeginning(
    of source: JSONSource,
    _ configuration: JSONStoreConfiguration,
    isSmall: Bool
  ) throws {
    guard source.sizeBytes > 0 else { return }
    let reading = DelimitedReading(
      source: source,
      promised: configuration.promisedDelimiter,
      options: configuration.reading,
      encoding: encoding
    )
    // Quotes in tabbed files and backslashes are decided by the whole file.
    let isWhole = isSmall && (syntax.delimiter == 0x09 || syntax.escape != nil)
    let found = try isWhole ? reading.dialect() : reading.dialectOfBeginning()
    guard try !reads(source, like: found.dialect, found.evidence, isWhole: isWhole) else { return }
    throw PersistenceError(
      .unsupported,
      "\(configuration.path): the file would then be read with other columns, because "
        + (header == nil ? "it has no header line" : "its first lines decide how it is read")
        + "; nothing was saved; use saveas to make a new file"
    )
  }

  /// True if a file is read in the same way by a dialect that was found out: its types may differ, its records do not.
  private func reads(
    _ source: JSONSource,
    like other: DelimitedDialect,
    _ evidence: DelimitedEvidence,
    isWhole: Bool
  ) throws -> Bool {
    // Without any record there is nothing to read.
    if other.columns.isEmpty { return header == nil }
    guard start == other.start, (header == nil) == (other.header == nil),
      header == nil || columns == other.columns,
      columns.count == 1 && other.columns.count == 1
        || syntax.delimiter == other.syntax.delimiter,
      syntax.returnEndsLine == other.syntax.returnEndsLine, syntax.trims == other.syntax.trims,
      hasTrailingDelimiter == other.hasTrailingDelimiter || !hasTrailingDelimiter
    else { return false }
    let isSame =
      syntax.quote == other.syntax.quote && syntax.escape == other.syntax.escape
      && (syntax.hasEscapes == other.syntax.hasEscapes || !isWhole)
    if isSame { return true }
    // What is not in the file makes no difference.
    let bytes = try source.bytes(in: 0..<source.sizeBytes)
    let marks = [syntax.quote, other.syntax.quote].compactMap(\.self)
    let isQuoted = syntax.quote != other.syntax.quote && marks.contains(where: bytes.contains)
    let isEscaped = bytes.contains(UInt8(ascii: "\\"))
    return !isQuoted && !isEscaped
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

  private func refusal(of text: String, at place: Int) -> String? {
    if !prefersQuotes, text.utf8.contains(0) {
      return "contains a NUL character, which a file without quotes cannot hold"
    }
    if let reason = refusalWithoutQuotes(of: text, at: place) { return reason }
    let advice = "use saveas to make a file in UTF-8"
    guard encoding.canEncode(text) else {
      return "cannot be written in \(encoding.name), the encoding of the file; \(advice)"
    }
    return encoding.ambiguity(in: text).map {
      "cannot be written in \(encoding.name), the encoding of the file, because "
        + "\(Value.quoted($0.text)) would be read as \(Value.quoted($0.reading)) in UTF-8; \(advice)"
    }
  }

  /// Why a file in which quotes are characters cannot hold a text; nil if it can.
  private func refusalWithoutQuotes(of text: String, at place: Int) -> String? {
    guard syntax.quote == nil, !syntax.hasEscapes else { return nil }
    let advice = "which this file cannot hold without quotes; use saveas to make another file"
    if let delimiter = syntax.delimiter, text.utf8.contains(delimiter) {
      let name = delimiter == 0x09 ? "a tab" : Value.quoted(DelimitedRemark.name(of: delimiter))
      return "contains \(name), \(advice)"
    }
    if text.utf8.contains(0x0A) || text.utf8.contains(0x0D) {
      return "contains a line end, \(advice)"
    }
    if text.isEmpty { return "is an empty text, \(advice)" }
    if place == 0, !syntax.comment.isEmpty, text.utf8.starts(with: syntax.comment) {
      return "begins like a comment, \(advice)"
    }
    if syntax.trims, text.first == " " || text.last == " " {
      return "has blanks at its ends, \(advice)"
    }
    return nil
  }
}
