import OpenSwiftData

/// How a file of separated values is written: everything that a save keeps.
struct DelimitedDialect: Sendable, Equatable {
  /// How true and false are spelled.
  enum BooleanSpelling: Sendable { case lower, title, upper }

  var syntax = DelimitedScanner.Syntax()
  /// True if backslashes stand for characters that would end a field without quotes: in TSV.
  var hasEscapes = false
  /// True if a field that needs it gets quotes, false if it gets backslashes.
  var prefersQuotes = true
  var lineEnd: [UInt8] = [0x0A]
  /// The names of the columns, in the order of the file; each is different.
  var columns: [String] = []
  /// The place of the header in the file, without its line end; nil if there is none.
  var header: Range<Int>?
  /// Where the first record may begin.
  var dataStart = 0
  /// True if every value is in quotes.
  var quotesEverything = false
  var booleans = BooleanSpelling.lower
  var encoding = DelimitedEncoding.utf8
  /// How values are spelled.
  var forms = DelimitedForms()
  /// What other programs may stumble over in the header, one line each.
  var notes: [String] = []

  /// The dialect of a new file.
  init(hasTabs: Bool) {
    if hasTabs {
      syntax = DelimitedScanner.Syntax(delimiter: 0x09)
      hasEscapes = true
      prefersQuotes = false
    }
  }

  /// Lets quotes be characters like others.
  mutating func removeQuotes() {
    syntax.hasQuotes = false
    prefersQuotes = false
  }

  /// True if the name of the file promises tabs.
  static func hasTabs(_ path: String) -> Bool {
    let name = path.lowercased()
    return name.hasSuffix(".tsv") || name.hasSuffix(".tab")
  }

  /// The name that a column without one gets, counted from 0.
  static func name(ofColumn place: Int) -> String { "column\(place + 1)" }

  /// True if a file that begins like this is read in the same way: its types may differ, its records do not.
  func readsLike(_ other: DelimitedDialect) -> Bool {
    // Without any record there is nothing to read.
    if other.columns.isEmpty { return header == nil }
    return syntax.delimiter == other.syntax.delimiter
      && syntax.returnEndsLine == other.syntax.returnEndsLine
      && (header == nil ? other.header == nil : other.header != nil && columns == other.columns)
  }
}

// MARK: Decoding fields

extension DelimitedDialect {
  /// The text of a field as written; nil if it is empty, and therefore missing.
  func text(of field: UnsafeBufferPointer<UInt8>) -> String? {
    if field.isEmpty { return nil }
    if syntax.hasQuotes, field.count >= 2, field[0] == UInt8(ascii: "\"") {
      var content: [UInt8] = []
      var place = 1
      while place < field.count - 1 {
        content.append(field[place])
        place += field[place] == UInt8(ascii: "\"") ? 2 : 1
      }
      return String(decoding: content, as: UTF8.self)
    }
    let text = String(decoding: field, as: UTF8.self)
    return hasEscapes ? DelimitedText.unescaped(text) : text
  }
}

// MARK: Encoding fields

extension DelimitedDialect {
  /// Appends a field with a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - isQuoted: Whether to write quotes even if they are not needed.
  ///   - output: What it is appended to.
  func put(_ text: String, isQuoted: Bool, to output: inout JSONOutput) {
    if !prefersQuotes { return putEscaped(text, to: &output) }
    let quote = UInt8(ascii: "\"")
    let needsQuotes =
      text.isEmpty
      || text.utf8.contains {
        $0 == syntax.delimiter || $0 == quote || $0 == 0x0A || $0 == 0x0D || $0 == 0
          || (hasEscapes && $0 == UInt8(ascii: "\\"))
      }
    guard needsQuotes || isQuoted else { return output.put(text) }
    output.bytes.append(quote)
    for byte in text.utf8 {
      if byte == quote { output.bytes.append(quote) }
      output.bytes.append(byte)
    }
    output.bytes.append(quote)
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
  func put(_ value: Value, isQuoted: Bool, to output: inout JSONOutput) {
    switch value {
    case .null: return
    case .boolean(let value):
      let word = value ? "true" : "false"
      switch booleans {
      case .lower: put(word, isQuoted: isQuoted, to: &output)
      case .title:
        put(word.prefix(1).uppercased() + word.dropFirst(), isQuoted: isQuoted, to: &output)
      case .upper: put(word.uppercased(), isQuoted: isQuoted, to: &output)
      }
    default: put(value.text, isQuoted: isQuoted, to: &output)
    }
  }

  /// Appends a new record, field by field in the order of the file.
  func put(_ record: DefaultSnapshot, of entity: Schema.Entity, to output: inout JSONOutput) {
    for (place, column) in columns.enumerated() {
      if place > 0 { output.bytes.append(syntax.delimiter) }
      guard let slot = entity.layout.slot(of: column) else { continue }
      let value = record.orderedValues[slot].written(for: entity.fields[slot])
      if let text = forms.text(of: value, in: column, like: nil) {
        put(text, isQuoted: quotesEverything, to: &output)
      } else {
        put(value, isQuoted: quotesEverything, to: &output)
      }
    }
  }

  /// The header of a new file, without its line end.
  func headerText() -> [UInt8] {
    var output = JSONOutput()
    for (place, column) in columns.enumerated() {
      if place > 0 { output.bytes.append(syntax.delimiter) }
      put(column, isQuoted: quotesEverything, to: &output)
    }
    return output.bytes
  }
}
