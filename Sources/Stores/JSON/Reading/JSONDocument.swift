import OpenSwiftData

/// How a JSON file arranges its records.
enum JSONLayout: Sendable {
  /// An object that begins with our header, followed by an array for each entity.
  case catalog
  /// One array of records.
  case array
  /// An object with arrays of records.
  case object
  /// One record per line.
  case lines
  /// One object, whose members are records.
  case named

  /// The field with the names of records in an object of records.
  static let nameField = "_key"

  /// The object in the text of a record, which its name may precede.
  func object(of text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    self == .named ? JSONNamedRecord(text).record : text
  }
}

/// The places of one entity's records in the file.
struct JSONSection: Sendable, Equatable {
  let entityName: String
  /// The offset after the opening bracket.
  var start: Int
  /// At the closing bracket.
  var end: Int
  /// The place of each row's record as a packed `Span`; 0 for a row without a place.
  var spans: [UInt64] = []
  /// True while places ascend with the rows.
  var isInRowOrder = true
  /// Rows whose records do not have an identifier in the file yet.
  var rowsWithoutIdentifier: Set<Int32> = []
  /// Members without a matching attribute; they are kept unchanged.
  var foreignKeys: Set<String> = []
  /// For each text field, by name, the rows with a number or a boolean instead of a string.
  var bareCells: [String: Set<Int32>] = [:]

  /// The rows of the records in file order.
  ///
  /// - Complexity: O(n log n) after a deleted record was restored, else O(n).
  func rowsInFileOrder() -> [Int32] {
    var rows: [Int32] = []
    rows.reserveCapacity(spans.count)
    for (row, span) in spans.enumerated() where span != 0 { rows.append(Int32(row)) }
    if !isInRowOrder {
      // A packed span has its start in the upper bits.
      rows.sort { spans[Int($0)] < spans[Int($1)] }
    }
    return rows
  }

  /// True if the text of the cell was read from a number or a boolean.
  func isBare(_ field: String, _ row: Int) -> Bool {
    bareCells[field]?.contains(Int32(row)) ?? false
  }

  /// True if the record of the row is in the file.
  func isWritten(_ row: Int) -> Bool { row < spans.count && spans[row] != 0 }

  func range(ofRow row: Int) -> Range<Int> { Span(packed: spans[row]).range }

  mutating func setRange(_ range: Range<Int>, ofRow row: Int) {
    while spans.count <= row { spans.append(0) }
    spans[row] = Span(start: range.lowerBound, count: range.count).packed
  }
}

/// The places of everything in the file; kept instead of its text.
struct JSONDocument: Sendable {
  var format: TextFormat
  /// What the records of separated values told about how they are written.
  var evidence = DelimitedEvidence()
  /// The number of values such as NaN, which count as missing.
  var notNumberCount = 0
  /// The value of the member `catalog`.
  var header: Range<Int>?
  /// The members of the header that this version does not recognize.
  var headerExtras = JSONHeaderExtras()
  /// The range between the braces of the document, if it is an object.
  var interior: Range<Int>?
  /// The end of the document's last member, if the document is an object with members.
  var membersEnd: Int?
  /// Keys of the document whose values are not records.
  var foreignKeys: Set<String> = []
  var sections: [JSONSection] = []
  var sizeBytes = 0
  /// The place of the document in the file, if it is the value at a path; nil if it is the file.
  var outer: Range<Int>?

  func section(of entity: String) -> Int? {
    sections.firstIndex { $0.entityName == entity }
  }

  /// Switches to the field names after a change of the schema.
  mutating func renameBareCells(_ replacement: SchemaReplacement) {
    for place in sections.indices where !sections[place].bareCells.isEmpty {
      let origins = replacement.origins[sections[place].entityName] ?? [:]
      let former = sections[place].bareCells
      sections[place].bareCells = origins.compactMapValues { former[$0] }
    }
  }
}

/// Invalid text, at an offset in bytes.
struct JSONDamage: Error {
  let offset: Int
  var message: String
  var code = Code.damaged

  enum Code { case damaged, notAStore, encoding, quotes }
  /// The offset of the first occurrence.
  var earlier: Int?
  /// Where the complete records before the wrong one end; nil if that is unknown.
  var recordsEnd: Int?
  /// Where a quote is closed that should not be; nil if that is not what is wrong.
  var end: Int?
  /// The last byte of a line end.
  var lineEnd: UInt8 = 0x0A
}

extension JSONDamage {
  /// A key that already exists with other code points.
  static func spelling(_ key: String, at offset: Int) -> JSONDamage {
    JSONDamage(
      offset: offset,
      message: "key \"\(key)\" occurs in two Unicode normalization forms; merge or rename "
        + "one"
    )
  }
}

extension String {
  /// True for equal bytes; `==` also accepts the same text in another normalization form.
  func isSpelled(like other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
