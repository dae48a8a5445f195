/// The header of a section: keys, or values of one attribute, of consecutive records of an entity.
///
/// `docs/format-log.md`, section 3.1, describes sections.
struct LogSectionHeader: Hashable, Sendable {
  static let sizeBytes = 32

  /// The index of the entity in the schema.
  var entity: UInt32
  /// 0 for the keys, else 1 + the index of the attribute.
  var column: UInt32
  /// The first record, counted from the first one of the entity in the same base or transaction.
  var firstRow: UInt32
  var rowCount: UInt32
  /// The number of all records of the entity in the same base or transaction.
  var totalRows: UInt32
  var encoding = LogEncoding.none.rawValue
  /// The bytes of a number, or the kind of all keys.
  var width: UInt8 = 0
  var flags: UInt8 = 0
  /// Without padding.
  var bodyBytes = 0

  /// Set if a bitmap of the records without a value precedes the values.
  static let hasNulls: UInt8 = 1
  /// Set if only some records have values, whose places precede them.
  static let isSparse: UInt8 = 2
  static let knownFlags: UInt8 = 3

  /// Offsets in the header.
  private enum Offset {
    static let entity = 0
    static let column = 4
    static let firstRow = 8
    static let rowCount = 12
    static let totalRows = 16
    static let encoding = 20
    static let width = 21
    static let flags = 22
    static let zero = 23
    static let bodyBytes = 24
  }

  init(entity: Int, column: Int, rows: Range<Int>, of totalRows: Int) {
    self.entity = UInt32(entity)
    self.column = UInt32(column)
    firstRow = UInt32(rows.lowerBound)
    rowCount = UInt32(rows.count)
    self.totalRows = UInt32(totalRows)
  }

  /// The records, counted from the first one of the entity in the same base or transaction.
  var rows: Range<Int> { Int(firstRow)..<Int(firstRow) + Int(rowCount) }

  /// Writes the header to the first 32 bytes.
  func encode(to bytes: UnsafeMutableRawBufferPointer) {
    bytes.store(entity, at: Offset.entity)
    bytes.store(column, at: Offset.column)
    bytes.store(firstRow, at: Offset.firstRow)
    bytes.store(rowCount, at: Offset.rowCount)
    bytes.store(totalRows, at: Offset.totalRows)
    bytes.store(encoding, at: Offset.encoding)
    bytes.store(width, at: Offset.width)
    bytes.store(flags, at: Offset.flags)
    bytes.store(UInt8(0), at: Offset.zero)
    bytes.store(UInt64(bodyBytes), at: Offset.bodyBytes)
  }

  private init(_ bytes: UnsafeRawBufferPointer) throws(PayloadError) {
    entity = bytes.littleEndian(Offset.entity, as: UInt32.self)
    column = bytes.littleEndian(Offset.column, as: UInt32.self)
    firstRow = bytes.littleEndian(Offset.firstRow, as: UInt32.self)
    rowCount = bytes.littleEndian(Offset.rowCount, as: UInt32.self)
    totalRows = bytes.littleEndian(Offset.totalRows, as: UInt32.self)
    encoding = bytes[Offset.encoding]
    width = bytes[Offset.width]
    flags = bytes[Offset.flags]
    guard bytes[Offset.zero] == 0, flags & ~Self.knownFlags == 0 else {
      throw PayloadError(reason: "unknown column encoding", isNewer: true)
    }
    guard let size = Int(exactly: bytes.littleEndian(Offset.bodyBytes, as: UInt64.self)) else {
      throw .badNumber
    }
    bodyBytes = size
  }

  /// Reads the next section of a payload; `nil` at its end.
  ///
  /// - Throws: `PayloadError` unless the whole section and its padding are there.
  static func next(in reader: inout PayloadReader) throws(PayloadError)
    -> (header: LogSectionHeader, body: UnsafeRawBufferPointer)?
  {
    guard !reader.isAtEnd else { return nil }
    let header = try LogSectionHeader(try reader.raw(sizeBytes))
    guard header.totalRows <= UInt32(Int32.max), header.rows.upperBound <= Int(header.totalRows)
    else { throw PayloadError(reason: "invalid number of records in a column") }
    let body = try reader.raw(header.bodyBytes)
    guard try reader.raw(-header.bodyBytes & 7).allSatisfy({ $0 == 0 }) else {
      throw PayloadError(reason: "unexpected bytes between columns")
    }
    return (header, body)
  }
}

/// How the values of a section are written.
enum LogEncoding: UInt8, Sendable {
  /// No record has a value; the section has no body.
  case none = 0
  /// Integers of 1, 2, 4 or 8 bytes, numbers, moments, or days.
  case words = 1
  /// The sizes of the texts in 1, 2 or 4 bytes, then the texts.
  case texts = 2
  /// Mantissas, exponents, then the decimals that do not fit into them as texts.
  case decimals = 3
  /// One bit for each record.
  case flags = 4
  /// UUIDs, as two words each.
  case pairs = 5
  /// References to records.
  case links = 6
  /// The sizes of lists of references, then the references.
  case linkLists = 7
  /// Keys of one kind, in one or two words each.
  case keys = 8
  /// Keys of several kinds, or texts, each with its kind.
  case mixedKeys = 9
}
