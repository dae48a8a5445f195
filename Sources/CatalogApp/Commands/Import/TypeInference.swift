import OpenSwiftData

/// Infers the types of the fields of records whose entity does not exist yet.
///
/// A type is chosen if all present values are valid for it: boolean, integer, decimal, number, date,
/// datetime, UUID, otherwise text. JSON with arrays or objects becomes `json`. A JSON string is never a
/// number or boolean, and a field with strings among other values becomes text. Numbers mixed with
/// booleans become `json`, as in a file that is opened. Times without a zone become text, because the
/// file does not say which moments they are. Where other columns have decimal commas, `1.234` can be a thousand, and
/// its column becomes text.
struct TypeInference {
  fileprivate static let order: [AttributeType] = [
    .boolean, .integer, .decimal, .number, .date, .datetime, .uuid,
  ]

  /// The facts about one column.
  fileprivate struct Column {
    let name: String
    /// The types that all values have.
    var candidates = TypeInference.order + [.text, .json] {
      didSet { noteCandidates() }
    }
    /// True if no type before text is left.
    private(set) var isText = false
    /// True if the types that are left are those of dates.
    private(set) var hasDates = false
    /// True if a type of numbers with fractions is left.
    private(set) var mayHaveFractions = true
    /// True if some values are text.
    var hasText = false
    /// True while every value is a time, possibly without a zone.
    var isTime = true
    /// The kinds of plain numbers that were among the values.
    var knownNumbers: [AttributeType] = []

    /// The points and commas in its texts.
    var signs: NumberSigns = []

    private mutating func noteCandidates() {
      isText = candidates.first == .text
      hasDates = candidates == [.date, .text, .json]
      mayHaveFractions = candidates.contains { $0 == .decimal || $0 == .number }
    }

    /// True if its numbers have a decimal comma.
    var hasDecimalComma: Bool { signs.contains(.decimalComma) && !signs.contains(.otherText) }

    /// True if there was no value.
    var isUnknown: Bool { candidates.count == TypeInference.order.count + 2 }
  }

  private var columns: [Column] = []
  private var places: [String: Int] = [:]
  /// The names in the row before, and the places of their columns.
  private var lastNames: [String] = []
  private var lastPlaces: [Int] = []
  private var rowCount = 0
  private var hasOnlyIdentifiers = true

  /// Takes a row into account.
  mutating func add(_ row: ImportRow) {
    rowCount += 1
    if row.columns != lastNames { bind(row.columns) }
    for (place, cell) in zip(lastPlaces, row.cells) {
      // Exports leave out the identifiers of records that were not saved.
      if hasOnlyIdentifiers, columns[place].name == Self.identifierKey, cell != .null,
        !cell.isIdentifier(ofRow: rowCount)
      {
        hasOnlyIdentifiers = false
      }
      guard cell != .null else { continue }
      columns[place].add(cell, row.hasTypedValues)
    }
  }

  /// Takes all rows of separated values into account.
  ///
  /// - Returns: The number of rows; nil if they have to be taken one by one.
  mutating func add(_ fields: DelimitedFields) throws -> Int? {
    bind(fields.columns)
    let identifierPlace = fields.columns.firstIndex(of: Self.identifierKey)
    return try fields.forEachField("reading") { place, field in
      if place == 0 { rowCount += 1 }
      if field.isMissing { return true }
      if place == identifierPlace, hasOnlyIdentifiers,
        !fields.cell(field).isIdentifier(ofRow: rowCount)
      {
        hasOnlyIdentifiers = false
      }
      let column = lastPlaces[place]
      if field.isPlain, columns[column].add(field.content) { return true }
      columns[column].add(fields.cell(field), false)
      return true
    }
  }

  private mutating func bind(_ names: [String]) {
    lastNames = names
    lastPlaces = names.map { name in
      if let place = places[name] { return place }
      places[name] = columns.count
      columns.append(Column(name: name))
      return columns.count - 1
    }
  }

  private static let identifierKey = "id"

  /// The column that only identifies records, as exports contain it; nil if there is none.
  ///
  /// An `id` is an ordinary field, unless its values are keys of this program or row numbers.
  private var identifierColumn: String? {
    guard places[Self.identifierKey] != nil else { return nil }
    if places["_" + Self.identifierKey] != nil { return "_" + Self.identifierKey }
    return hasOnlyIdentifiers ? Self.identifierKey : nil
  }

  /// The entity that all rows fit; with `omitsIdentifiers` without a column that only identifies records.
  func entity(_ name: String, omitsIdentifiers: Bool = true) -> Schema.Entity {
    let omitted = omitsIdentifiers ? identifierColumn : nil
    let hasDecimalCommas = columns.contains { $0.hasDecimalComma }
    // Columns without any value are text, because text can hold every value.
    return Schema.Entity(
      name,
      attributes: columns.filter { $0.name != omitted }.map { column in
        let types = column.candidates
        if !column.isUnknown, types.first == .text, !column.hasText {
          return Schema.Attribute(column.name, .json)
        }
        let type = column.isUnknown ? .text : types.first ?? .json
        let isFraction = type == .decimal || type == .number
        let mayBeThousands = isFraction && hasDecimalCommas && !column.signs.contains(.fraction)
        return Schema.Attribute(column.name, mayBeThousands ? .text : type)
      }
    )
  }

  /// The text fields of the entity that would be datetime if all their times had a zone.
  func zonelessFields(of entity: Schema.Entity) -> [String] {
    entity.fields.filter { field in
      guard field.type == .text, let place = places[field.name] else { return false }
      return columns[place].isTime && !columns[place].isUnknown
    }.map(\.name)
  }
}

extension TypeInference.Column {
  /// Takes a value into account.
  fileprivate mutating func add(_ cell: ImportCell, _ hasTypedValues: Bool) {
    if case .text(var text) = cell {
      if !hasTypedValues, text.withUTF8({ add($0) }) { return }
      hasText = true
      if !isTime, isText { return }
    }
    if isTime, !Self.isTime(cell) { isTime = false }
    candidates.removeAll { !Self.fits(cell, $0, hasTypedValues) }
  }

  /// Takes a text into account that may represent a value of any type; false if its types have to be tried, too.
  ///
  /// Most values of a file are of types that the values before them had.
  fileprivate mutating func add(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    hasText = true
    if !isTime, isText {
      addSigns(text)
      return true
    }
    if let least = Self.leastNumber(text) {
      // A plain number tells nothing about commas, and a whole one nothing about points.
      if least == .decimal, !signs.contains(.fraction) { signs.formUnion(NumberSigns(text)) }
      if knownNumbers.contains(least) { return true }
      knownNumbers.append(least)
      isTime = false
      candidates.removeAll { !Self.holds($0, least) }
      return true
    }
    addSigns(text)
    return !isTime && hasDates && CalendarDate(bytes: text) != nil
  }

  /// Takes the signs of a text into account, unless nothing more can be learned: one that cannot be a fraction tells only
  /// about decimal commas.
  private mutating func addSigns(_ text: UnsafeBufferPointer<UInt8>) {
    let isComplete = signs.contains(mayHaveFractions ? [.otherText, .fraction] : .otherText)
    if !isComplete { signs.formUnion(NumberSigns(text)) }
  }

  /// The first kind of number that can hold a plain number of at most fifteen digits; nil for other texts, whose types
  /// have to be tried.
  private static func leastNumber(_ text: UnsafeBufferPointer<UInt8>) -> AttributeType? {
    guard text.count <= 17 else { return nil }
    var digitCount = 0
    var first: UInt8 = 0
    var hasPoint = false
    var last: UInt8 = 0
    for (place, byte) in text.enumerated() {
      switch byte {
      case 0x30...0x39:
        // A zero before other digits may belong to a code.
        if digitCount == 1, first == 0x30, !hasPoint { return nil }
        if digitCount == 0 { first = byte }
        digitCount += 1
      case UInt8(ascii: "-"): if place > 0 { return nil }
      case UInt8(ascii: "."):
        guard digitCount > 0, !hasPoint else { return nil }
        hasPoint = true
      default: return nil
      }
      if digitCount > 15 { return nil }
      last = byte
    }
    guard digitCount > 0, (0x30...0x39).contains(last) else { return nil }
    return hasPoint ? .decimal : .integer
  }

  private static func holds(_ type: AttributeType, _ least: AttributeType) -> Bool {
    switch type {
    case .integer: least == .integer
    case .decimal, .number, .text, .json: true
    default: false
    }
  }

  private static func isTime(_ cell: ImportCell) -> Bool {
    if case .text(let text) = cell {
      text.utf8.count > 10 && parses(text, .datetime)
    } else {
      false
    }
  }

  /// The spellings of booleans in files that are opened.
  private static let booleans = ["true", "false", "True", "False", "TRUE", "FALSE"]

  private static func fits(_ cell: ImportCell, _ type: AttributeType, _ hasTypedValues: Bool)
    -> Bool
  {
    switch (cell, type) {
    case (.null, _), (_, .json): true
    case (.container, _): false
    case (_, .text): true
    case (.boolean, _): type == .boolean
    case (.number(let text), _): type.isNumeric && parses(text, type)
    case (.text(let text), .boolean): !hasTypedValues && booleans.contains(text)
    case (.text(let text), .integer), (.text(let text), .decimal), (.text(let text), .number):
      !hasTypedValues && !text.isCode
        && (parses(text, type) || ReadingOptions().usual(text).map { parses($0, type) } ?? false)
    case (.text(let text), .datetime):
      text.utf8.count > 10 && Timestamp.namesZone(text) && parses(text, type)
    case (.text(let text), _): parses(text, type)
    }
  }

  private static func parses(_ text: String, _ type: AttributeType) -> Bool {
    do {
      _ = try Value(parsing: text, as: type)
      return true
    } catch {
      return false
    }
  }
}
