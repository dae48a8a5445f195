import OpenSwiftData

extension DelimitedDialect {
  /// Appends the delimiter between two fields.
  func putDelimiter(to output: inout JSONOutput) {
    output.bytes.append(syntax.delimiter ?? UInt8(ascii: ","))
  }

  /// Appends a field with a text.
  ///
  /// - Parameters:
  ///   - text: The text, which the dialect can write.
  ///   - isQuoted: Whether to write quotes even if they are not needed.
  ///   - place: The number of the column, from 0.
  ///   - former: The text without quotes that it replaces; nil for none.
  ///   - output: What it is appended to.
  func put(
    _ text: String,
    isQuoted: Bool,
    at place: Int,
    like former: String? = nil,
    to output: inout JSONOutput
  ) {
    if isEscaped(text, at: place) { return putEscaped(text, to: &output) }
    guard syntax.hasQuotes, isQuoted || needsQuotes(text, at: place, like: former) else {
      return putBare(text, to: &output)
    }
    putQuoted(text, to: &output)
  }

  /// True if backslashes stand for the characters that would end the field.
  func isEscaped(_ text: String, at place: Int) -> Bool {
    guard syntax.hasEscapes else { return false }
    // Only tabs have an escape.
    if let delimiter = syntax.delimiter, delimiter != 0x09, text.utf8.contains(delimiter) {
      return false
    }
    if beginsComment(text, at: place) { return false }
    // In quotes a backslash would stand for itself, and tell that all others do.
    return !prefersQuotes || text.utf8.contains(UInt8(ascii: "\\"))
  }

  /// True if a line that begins with the text would be read as a comment, by the options of the file.
  func beginsComment(_ text: String, at place: Int) -> Bool {
    place == 0 && !syntax.comment.isEmpty && text.utf8.starts(with: syntax.comment)
  }

  private func putQuoted(_ text: String, to output: inout JSONOutput) {
    let quote = syntax.quote ?? UInt8(ascii: "\"")
    output.bytes.append(quote)
    for byte in text.utf8 {
      if byte == quote { output.bytes.append(syntax.escape ?? quote) }
      if byte == syntax.escape { output.bytes.append(byte) }
      output.bytes.append(byte)
    }
    output.bytes.append(quote)
  }

  /// True if a text without quotes would be read in another way.
  private func needsQuotes(_ text: String, at place: Int, like former: String?) -> Bool {
    if text.isEmpty || text.first == " " || text.last == " " { return true }
    if place == 0, text.utf8.starts(with: syntax.comment.isEmpty ? [0x23] : syntax.comment) {
      return true
    }
    if isDoubledBackslash(text) { return true }
    if text.utf8.contains(where: {
      $0 == syntax.delimiter || $0 == syntax.quote || $0 == 0x0A || $0 == 0x0D || $0 == 0
    }) {
      return true
    }
    guard syntax.delimiter == nil, forms.options.delimiter != .none else { return false }
    // Other programs, and this one in a first line, would divide the only column.
    let isLine = header != nil && former.map(Self.hasDelimiter) ?? false
    return !isLine && Self.hasDelimiter(text)
  }

  private static func hasDelimiter(_ text: String) -> Bool {
    text.utf8.contains(where: DelimitedCandidate.delimiters.contains)
  }

  /// True if every backslash of the text is doubled or before a quote, so that outside quotes it may stand for one.
  private func isDoubledBackslash(_ text: String) -> Bool {
    guard let escape = syntax.escape, !syntax.unescapesBare else { return false }
    var rest = Array(text.utf8)[...]
    guard rest.contains(escape) else { return false }
    while let place = rest.firstIndex(of: escape) {
      guard let next = rest[(place + 1)...].first, next == escape || next == syntax.quote else {
        return false
      }
      rest = rest[(place + 2)...]
    }
    return true
  }

  private func putBare(_ text: String, to output: inout JSONOutput) {
    guard syntax.unescapesBare, let escape = syntax.escape, text.utf8.contains(escape) else {
      return output.put(text)
    }
    for byte in text.utf8 {
      if byte == escape { output.bytes.append(byte) }
      output.bytes.append(byte)
    }
  }

  private func putEscaped(_ text: String, to output: inout JSONOutput) {
    if text.isEmpty { return output.put("\"\"") }
    var bytes = Array(text.utf8)[...]
    // A quote at the beginning would make quotes of all others.
    if bytes.first == UInt8(ascii: "\"") {
      output.put("\\\"")
      bytes.removeFirst()
    }
    for byte in bytes {
      switch byte {
      case 0x09: output.put("\\t")
      case 0x0A: output.put("\\n")
      case 0x0D: output.put("\\r")
      case UInt8(ascii: "\\"): output.put("\\\\")
      default: output.bytes.append(byte)
      }
    }
  }

  /// Appends a field with a value; null is an empty field.
  func put(
    _ value: Value,
    isQuoted: Bool,
    at place: Int,
    like former: String? = nil,
    to output: inout JSONOutput
  ) {
    if value.isNull { return }
    put(text(of: value, at: place), isQuoted: isQuoted, at: place, like: former, to: &output)
  }

  /// How a value is usually written.
  func text(of value: Value, at place: Int) -> String {
    guard case .boolean(let value) = value else {
      let places = columns.indices.contains(place) ? decimals[columns[place]] : nil
      return places?.text(of: value) ?? value.text
    }
    let word = value ? "true" : "false"
    switch booleans {
    case .lower: return word
    case .title: return word.prefix(1).uppercased() + word.dropFirst()
    case .upper: return word.uppercased()
    }
  }

  /// Appends a new field with a value, with a blank before it if all others have one.
  func putNew(_ value: Value, at place: Int, to output: inout JSONOutput) {
    if hasBlanksAfterDelimiters, place > 0, !value.isNull { output.bytes.append(0x20) }
    put(value, like: nil, isQuoted: quotesEverything, at: place, to: &output)
  }

  /// How a value is written; nil for the usual way.
  ///
  /// Between blanks a missing value needs a word.
  func spelling(of value: Value, in column: String, like former: String?) -> String? {
    if let text = forms.text(of: value, in: column, like: former, decimals[column]) { return text }
    guard value.isNull, syntax.joinsDelimiters else { return nil }
    return forms.options.missing.words(of: column).first
  }

  /// Appends a field with a value in the spelling of the file.
  func put(
    _ value: Value,
    like former: String?,
    isQuoted: Bool,
    at place: Int,
    to output: inout JSONOutput
  ) {
    let column = columns.indices.contains(place) ? columns[place] : ""
    if let text = spelling(of: value, in: column, like: former) {
      // A word for a missing value is written as it is read, even if it begins with a backslash.
      if value.isNull, syntax.hasEscapes, !isQuoted { return output.put(text) }
      put(text, isQuoted: isQuoted, at: place, like: former, to: &output)
    } else {
      put(value, isQuoted: isQuoted, at: place, like: former, to: &output)
    }
  }

  /// Appends a new record, field by field in the order of the file.
  func put(_ record: DefaultSnapshot, of entity: Schema.Entity, to output: inout JSONOutput) {
    let values = columns.map { column in
      entity.layout.slot(of: column).map {
        record.orderedValues[$0].written(for: entity.fields[$0])
      }
    }
    for (place, value) in values.enumerated() {
      if place > 0 { putDelimiter(to: &output) }
      if let value { putNew(value, at: place, to: &output) }
    }
    if hasTrailingDelimiter { putDelimiter(to: &output) }
  }

  // MARK: Header

  /// The header of a new file, without its line end; in quotes, names are not taken for values.
  func headerText(isQuoted: Bool) -> [UInt8] {
    var output = JSONOutput()
    for (place, column) in columns.enumerated() {
      if place > 0 { putDelimiter(to: &output) }
      if isQuoted {
        putQuoted(column, to: &output)
      } else {
        put(column, isQuoted: quotesEverything, at: place, to: &output)
      }
    }
    return output.bytes
  }

  /// The dialect after a change of the columns.
  func changed(by change: DelimitedColumnChange) -> DelimitedDialect {
    var dialect = self
    dialect.columns = change.columns
    dialect.hasRowNames = keepsRowNames(change)
    if change.columns.count > 1, syntax.delimiter == nil {
      dialect.syntax.delimiter = UInt8(ascii: ",")
    }
    return dialect
  }

  /// True if the first column still has no name in the header.
  private func keepsRowNames(_ change: DelimitedColumnChange) -> Bool {
    hasRowNames && change.origins.first == 0 && change.columns[0] == columns[0]
  }

  /// The header after a change of the columns; names that do not change are copied as written.
  func headerText(_ change: DelimitedColumnChange, former: [UInt8]) -> [UInt8] {
    former.withUnsafeBufferPointer { bytes in
      let record = DelimitedRecordText(bytes, syntax)
      let new = changed(by: change)
      let skipped = new.hasRowNames ? 1 : 0
      var output = JSONOutput()
      output.put(record.beforeFields)
      var previous: Int?
      for place in skipped..<namedCount(change, record) {
        let name = change.columns[place]
        let field = field(of: change.origins[place], in: record)
        if place > skipped {
          record.putGap(between: previous, field, new, to: &output)
        }
        previous = field
        guard let field else {
          new.putNew(.text(name), at: place, to: &output)
          continue
        }
        if let origin = change.origins[place], columns[origin].isSpelled(like: name) {
          output.put(UnsafeBufferPointer(rebasing: bytes[record.fields[field]]))
        } else {
          record.put(around: field, syntax, to: &output) { output in
            let isQuoted = record.isQuoted(field, syntax)
            new.put(name, isQuoted: isQuoted, at: place, to: &output)
          }
        }
      }
      output.put(record.afterFields)
      return output.bytes
    }
  }

  /// The field of the header with the name of a former column.
  private func field(of origin: Int?, in record: DelimitedRecordText) -> Int? {
    guard let origin else { return nil }
    let field = origin - (hasRowNames ? 1 : 0)
    return record.fields.indices.contains(field) ? field : nil
  }

  /// The number of columns up to the last one that the header names: all, unless the last ones had no name and get none.
  private func namedCount(_ change: DelimitedColumnChange, _ record: DelimitedRecordText) -> Int {
    let isNameless = change.columns.indices.map { place in
      guard let origin = change.origins[place], field(of: origin, in: record) == nil else {
        return false
      }
      return columns[origin] == change.columns[place]
    }
    let count = change.columns.count
    guard let first = isNameless.dropFirst().firstIndex(of: true) else { return count }
    return isNameless[first...].allSatisfy(\.self) ? first : count
  }
}
