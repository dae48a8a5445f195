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
    let places = Dictionary(zip(columns, columns.indices)) { first, _ in first }
    for snapshot in changes.inserted { try check(snapshot, before: nil, places) }
    for update in changes.updated { try check(update.after, before: update.before, places) }
  }

  private func check(
    _ snapshot: DefaultSnapshot,
    before: DefaultSnapshot?,
    _ places: [String: Int]
  ) throws {
    for (slot, value) in snapshot.orderedValues.enumerated() {
      if value == before?.orderedValues[slot] { continue }
      let column = snapshot.layout.names[slot]
      let place = places[column] ?? 0
      guard let reason = refusal(of: value, in: column, at: place, isNew: before == nil) else {
        continue
      }
      throw Self.error(snapshot, column, reason)
    }
    guard syntax.joinsDelimiters, let column = gap(in: snapshot, before) else { return }
    throw Self.error(
      snapshot,
      column,
      "a file divided by blanks needs a word for a missing value; say one with --read missing=…"
    )
  }

  private static func error(_ snapshot: DefaultSnapshot, _ column: String, _ reason: String)
    -> PersistenceError
  {
    PersistenceError(
      .invalidValue,
      "\(snapshot.persistentIdentifier.entityName).\(column): \(reason)"
    )
  }

  /// Why a value cannot be written; nil if it can.
  private func refusal(of value: Value, in column: String, at place: Int, isNew: Bool) -> String? {
    if value.isNull {
      return isNew && hasRowNames && place == 0
        ? "a new record needs the name of its row as its first value" : nil
    }
    let text = spelling(of: value, in: column, like: nil) ?? self.text(of: value, at: place)
    let isText = if case .text = value { true } else { false }
    let reason =
      (isText ? refusal(of: text, at: place) : refusalWithoutQuotes(of: text, at: place))
      ?? forms.refusal(of: text, in: column)
    return reason.map { "\(Value.quoted(Value.shortened(text))) \($0)" }
  }

  /// The column of a value that is missing between others, or is a whole line, and has no word for that.
  private func gap(in snapshot: DefaultSnapshot, _ before: DefaultSnapshot?) -> String? {
    func values(_ snapshot: DefaultSnapshot) -> [Value] {
      columns.map { column in
        snapshot.layout.slot(of: column).map { snapshot.orderedValues[$0] } ?? .null
      }
    }
    let new = values(snapshot)
    let count = max(1, (new.lastIndex { !$0.isNull } ?? 0) + 1)
    let former = before.map(values) ?? []
    // As many values were in the line before, with a word or quotes where one is missing.
    let formerCount = (former.lastIndex { !$0.isNull } ?? -1) + 1
    return columns.indices.prefix(count).first { place in
      new[place].isNull && spelling(of: .null, in: columns[place], like: nil) == nil
        && !(place < formerCount && former[place].isNull)
    }.map { columns[$0] }
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
    // Quotes in tabbed files and backslashes are decided by the whole file.
    let isWhole = isSmall && (syntax.delimiter == 0x09 || syntax.escape != nil)
    func isKept(_ options: ReadingOptions) throws -> Bool {
      let reading = DelimitedReading(
        source: source,
        promised: configuration.promisedDelimiter,
        options: options,
        encoding: encoding
      )
      let found = try isWhole ? reading.dialect() : reading.dialectOfBeginning()
      return try reads(source, like: found, isWhole: isWhole)
    }
    if try isKept(configuration.reading) { return }
    // Options that contradict the new file do not help.
    let kept = keepingOptions(configuration.reading).first { (try? isKept($0)) ?? false }
    let advice = kept.map { "read it with --read \(Value.quoted($0.text)), or " } ?? ""
    throw PersistenceError(
      .unsupported,
      "\(configuration.path): the file would then be read with other columns, because "
        + (header == nil ? "it has no header line" : "its first lines decide how it is read")
        + "; nothing was saved; \(advice)use saveas to make a new file"
    )
  }

  /// Options that say what was found out, the fewest first.
  private func keepingOptions(_ said: ReadingOptions) -> [ReadingOptions] {
    var names = said
    names.header = header == nil ? .no : hasRowNames ? .rowNames : .yes
    var delimiters = names
    delimiters.delimiter =
      syntax.delimiter.map { syntax.joinsDelimiters ? .blanks : .byte($0) } ?? .none
    var all = delimiters
    all.quote = syntax.quote.map { .byte($0) } ?? .none
    all.escape = syntax.escape != nil ? .backslash : syntax.hasEscapes ? .tsv : .none
    all.blanks = syntax.trims ? .trim : .keep
    return [names, delimiters, all]
  }

  /// True if a file is read in the same way by a dialect that was found out: its types may differ, its records do not.
  private func reads(
    _ source: JSONSource,
    like other: DelimitedDialect,
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
      && syntax.unescapesBare == other.syntax.unescapesBare
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
    guard encoding != .utf8, !start.isEmpty, forms.options.encoding == .automatic else { return }
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
    guard forms.options.encoding == .automatic else { return nil }
    return encoding.ambiguity(in: text).map {
      "cannot be written in \(encoding.name), the encoding of the file, because "
        + "\(Value.quoted($0.text)) would be read as \(Value.quoted($0.reading)) in UTF-8; \(advice)"
    }
  }

  /// Why a file in which quotes are characters cannot hold a text; nil if it can.
  private func refusalWithoutQuotes(of text: String, at place: Int) -> String? {
    guard syntax.quote == nil else { return nil }
    let advice = "which this file cannot hold without quotes; use saveas to make another file"
    if beginsComment(text, at: place) { return "begins like a comment, \(advice)" }
    if syntax.trims || syntax.joinsDelimiters, text.first == " " || text.last == " " {
      return "has blanks at its ends, \(advice)"
    }
    if isEscaped(text, at: place) { return nil }
    if let delimiter = syntax.delimiter, text.utf8.contains(delimiter) {
      let name = delimiter == 0x09 ? "a tab" : Value.quoted(DelimitedRemark.name(of: delimiter))
      return "contains \(name), \(advice)"
    }
    if text.utf8.contains(0x0A) || text.utf8.contains(0x0D) {
      return "contains a line end, \(advice)"
    }
    return text.isEmpty ? "is an empty text, \(advice)" : nil
  }
}
