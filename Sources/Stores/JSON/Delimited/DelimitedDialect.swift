import OpenSwiftData

/// How a file of separated values is written: everything that a save keeps.
struct DelimitedDialect: Sendable, Equatable {
  /// How true and false are spelled.
  enum BooleanSpelling: Sendable { case lower, title, upper }

  var syntax = DelimitedSyntax()
  /// True if a field that needs it gets quotes, false if it gets backslashes.
  var prefersQuotes = true
  var lineEnd: [UInt8] = [0x0A]
  /// The names of the columns, in the order of the file; each is different.
  var columns: [String] = [] {
    // An empty line of the only column is a missing value.
    didSet { syntax.keepsBlankLines = columns.count == 1 }
  }
  /// The place of the header in the file, without its line end; nil if there is none.
  var header: Range<Int>?
  /// Where the table begins, with its header or without; what is before it is kept, but not read.
  var start = 0
  /// Where the first record may begin.
  var dataStart = 0
  /// True if the header has no name for the first column, which names the rows.
  var hasRowNames = false
  /// True if each record ends with a delimiter, after which there is no value.
  var hasTrailingDelimiter = false
  /// True if a blank stands before every value but the first one of each line.
  var hasBlanksAfterDelimiters = false
  /// True if every value is in quotes.
  var quotesEverything = false
  var booleans = BooleanSpelling.lower
  /// How many digits stand after the point, by column.
  var decimals: [String: DecimalPlaces] = [:]
  var encoding = DelimitedEncoding.utf8
  /// How values are spelled.
  var forms = DelimitedForms()
  /// What other programs may stumble over in the header, one line each.
  var notes: [String] = []
  /// What was decided on thin evidence.
  var remarks: [DelimitedRemark] = []

  /// The dialect of a new file.
  init(delimiter: UInt8?) {
    if let delimiter { syntax = DelimitedSyntax(delimiter: delimiter) }
    if delimiter == 0x09 {
      syntax.hasEscapes = true
      prefersQuotes = false
    }
  }

  /// The name that a column without one gets, counted from 0.
  static func name(ofColumn place: Int) -> String { "column\(place + 1)" }

  /// Gives each column its name, or a number if it has none or that of a column before it.
  mutating func takeNames(_ names: [String?], line: Int) {
    var taken: Set<String> = []
    var renamed: [String] = []
    columns = []
    for (place, name) in names.enumerated() {
      let wanted = name.flatMap { $0.isEmpty ? nil : $0 } ?? Self.name(ofColumn: place)
      var unique = wanted
      var number = 2
      while !taken.insert(unique).inserted {
        unique = "\(wanted)_\(number)"
        number += 1
      }
      if unique != wanted {
        renamed.append("\(Value.quoted(wanted)) is \(Value.quoted(unique)) here")
      }
      columns.append(unique)
    }
    guard !renamed.isEmpty else { return }
    let shown = renamed.prefix(3).joined(separator: ", ") + (renamed.count > 3 ? ", …" : "")
    notes.append("line \(line): duplicate column names: \(shown)")
  }

  /// The text of a field as written; nil if it is empty, and therefore missing.
  func text(of field: UnsafeBufferPointer<UInt8>) -> String? { syntax.text(of: field) }

  /// True if a backslash stands before a quote.
  static func hasEscapedQuotes(_ bytes: [UInt8], _ quote: UInt8) -> Bool {
    var place = bytes.startIndex
    while let found = bytes[place...].firstIndex(of: UInt8(ascii: "\\")) {
      place = found + 1
      if place < bytes.count, bytes[place] == quote { return true }
    }
    return false
  }
}
