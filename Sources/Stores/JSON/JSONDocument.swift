import OpenSwiftData

/// How a file arranges its records.
enum JSONForm: Sendable {
  /// An object that begins with our own header, then an array for each entity.
  case catalog
  /// One array of records.
  case array
  /// An object with arrays of records.
  case object
  /// One record a line.
  case lines
}

/// Where the records of one entity lie in the file.
struct JSONSection: Sendable, Equatable {
  let entityName: String
  /// Behind the opening bracket.
  var start: Int
  /// At the closing bracket.
  var end: Int
  /// The place of each row's record as a packed `Span`; 0 for a row that has none.
  var spans: [UInt64] = []
  /// True while records of greater rows stand further behind.
  var isInRowOrder = true
  /// Rows whose records have no identifier in the file yet.
  var rowsWithoutIdentifier: Set<Int32> = []
  /// Members that no attribute stands for; they are kept as they are.
  var foreignKeys: Set<String> = []
  /// By the name of a text field the rows that have a number or a boolean there instead of a string.
  var bareCells: [String: Set<Int32>] = [:]

  /// The rows of the records in the order of the file.
  ///
  /// - Complexity: O(n log n) after a deleted record came back, else O(n).
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

  /// True when the text of the cell was read from a number or a boolean.
  func isBare(_ field: String, _ row: Int) -> Bool {
    bareCells[field]?.contains(Int32(row)) ?? false
  }

  func range(ofRow row: Int) -> Range<Int> { Span(packed: spans[row]).range }

  mutating func setRange(_ range: Range<Int>, ofRow row: Int) {
    while spans.count <= row { spans.append(0) }
    spans[row] = Span(start: range.lowerBound, count: range.count).packed
  }
}

/// Where everything lies in the file; kept instead of its text.
struct JSONDocument: Sendable {
  var form: JSONForm
  /// The value of the member `catalog`.
  var header: Range<Int>?
  /// What the header has beside what is known of it.
  var headerExtras = JSONHeaderExtras()
  /// What lies between the braces of the document, when it is an object.
  var interior: Range<Int>?
  /// The end of the last member of the document, when it is an object that has one.
  var membersEnd: Int?
  /// Keys of the document that hold no records.
  var foreignKeys: Set<String> = []
  var sections: [JSONSection] = []
  var sizeBytes = 0

  func section(of entity: String) -> Int? {
    sections.firstIndex { $0.entityName == entity }
  }

  /// Goes over to the names that fields have after a change of the schema.
  mutating func renameBareCells(_ replacement: SchemaReplacement) {
    for place in sections.indices where !sections[place].bareCells.isEmpty {
      let origins = replacement.origins[sections[place].entityName] ?? [:]
      let former = sections[place].bareCells
      sections[place].bareCells = origins.compactMapValues { former[$0] }
    }
  }
}

/// Something in the text that cannot be read, at an offset in bytes.
struct JSONDamage: Error {
  let offset: Int
  let message: String
  var code = Code.damaged

  enum Code { case damaged, notAStore }
  /// Where the same thing was seen first.
  var earlier: Int?
}

extension JSONDamage {
  /// A key that somebody else already has in other code points.
  static func spelling(_ key: String, at offset: Int) -> JSONDamage {
    JSONDamage(
      offset: offset,
      message: "key \"\(key)\" occurs in two Unicode normalization forms; merge or rename "
        + "one"
    )
  }
}

extension String {
  /// True for the same bytes; `==` is true for the same text in another normalization form too.
  func isSpelled(like other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
