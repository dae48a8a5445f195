import OpenSwiftData

/// The format of a file as the history keeps it: what the text may no longer show once records are gone.
extension TextFormat {
  /// The format as bytes; empty for a catalog, which shows its own.
  var keptBytes: [UInt8] {
    switch self {
    case .json(.catalog): return []
    case .json(let layout):
      return Self.layouts.firstIndex(of: layout).map { [UInt8($0)] } ?? []
    case .separated(let dialect):
      var payload = PayloadWriter(capacity: 128)
      payload.append(byte: Self.separatedCode)
      dialect.append(to: &payload)
      return payload.withContent { Array($0) }
    }
  }

  /// Reads a format.
  ///
  /// - Throws: `PayloadError` for bytes of a later version.
  init(keptBytes bytes: [UInt8]) throws(PayloadError) {
    guard bytes.first == Self.separatedCode else {
      guard let code = bytes.first, Self.layouts.indices.contains(Int(code)) else {
        throw .badNumber
      }
      self = .json(Self.layouts[Int(code)])
      return
    }
    let dialect = bytes.withUnsafeBytes { bytes in
      Result { () throws(PayloadError) in
        var reader = PayloadReader(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
        return try DelimitedDialect(from: &reader)
      }
    }
    self = .separated(try dialect.get())
  }

  private static let layouts: [JSONLayout] = [.array, .object, .lines, .named]
  private static let separatedCode: UInt8 = 16
}

extension DelimitedDialect {
  /// The properties that are true or false, in the order of their bits.
  private static let signs: [any WritableKeyPath<DelimitedDialect, Bool> & Sendable] = [
    \.syntax.unescapesBare, \.syntax.returnEndsLine, \.syntax.joinsDelimiters, \.syntax.hasEscapes,
    \.syntax.trims, \.prefersQuotes, \.hasRowNames, \.hasTrailingDelimiter,
    \.hasBlanksAfterDelimiters, \.quotesEverything,
  ]
  private static let headerBit = signs.count
  private static let booleanSpellings: [BooleanSpelling] = [.lower, .title, .upper]
  private static let encodings: [DelimitedEncoding] = [
    .utf8, .windows1252, .utf16(isBigEndian: false), .utf16(isBigEndian: true),
  ]

  /// Appends everything but places in the file and what options say.
  fileprivate func append(to payload: inout PayloadWriter) {
    var bits: UInt64 = header == nil ? 0 : 1 << UInt64(Self.headerBit)
    for (bit, sign) in Self.signs.enumerated() where self[keyPath: sign] {
      bits |= 1 << UInt64(bit)
    }
    payload.append(unsigned: bits)
    for byte in [syntax.delimiter, syntax.quote, syntax.escape] {
      payload.append(unsigned: byte.map { UInt64($0) + 1 } ?? 0)
    }
    for bytes in [syntax.comment, lineEnd] { bytes.withUnsafeBytes { payload.append(sized: $0) } }
    payload.append(byte: UInt8(Self.booleanSpellings.firstIndex(of: booleans) ?? 0))
    payload.append(byte: UInt8(Self.encodings.firstIndex(of: encoding) ?? 0))
    payload.append(unsigned: UInt64(columns.count))
    for column in columns { payload.append(text: column) }
    for column in columns { payload.append(unsigned: decimals[column]?.code ?? 0) }
  }

  /// Reads a dialect, whose header has no place yet.
  fileprivate init(from reader: inout PayloadReader) throws(PayloadError) {
    self.init(delimiter: nil)
    let bits = try reader.unsigned()
    for (bit, sign) in Self.signs.enumerated() {
      self[keyPath: sign] = bits >> UInt64(bit) & 1 == 1
    }
    header = bits >> UInt64(Self.headerBit) & 1 == 1 ? 0..<0 : nil
    syntax.delimiter = try Self.optionalByte(from: &reader)
    syntax.quote = try Self.optionalByte(from: &reader)
    syntax.escape = try Self.optionalByte(from: &reader)
    syntax.comment = Array(try reader.raw(try reader.count()))
    lineEnd = Array(try reader.raw(try reader.count()))
    let spelling = Int(try reader.byte())
    let code = Int(try reader.byte())
    guard Self.booleanSpellings.indices.contains(spelling), Self.encodings.indices.contains(code)
    else { throw .badNumber }
    (booleans, encoding) = (Self.booleanSpellings[spelling], Self.encodings[code])
    var names: [String] = []
    for _ in 0..<(try reader.count()) { names.append(try reader.text()) }
    columns = names
    for column in columns { decimals[column] = DecimalPlaces(code: try reader.unsigned()) }
  }

  private static func optionalByte(from reader: inout PayloadReader) throws(PayloadError) -> UInt8?
  {
    let value = try reader.unsigned()
    guard value <= 256 else { throw .badNumber }
    return value == 0 ? nil : UInt8(value - 1)
  }

  /// The dialect in which an earlier save has written the file, at the places where this one was found.
  ///
  /// - Returns: Nil if the file was not read in the same way: its columns are others.
  func kept(as former: DelimitedDialect) -> DelimitedDialect? {
    var dialect = former
    dialect.header = header
    (dialect.start, dialect.dataStart) = (start, dataStart)
    (dialect.forms, dialect.notes, dialect.remarks) = (forms, notes, remarks)
    let isSame =
      columns.isEmpty
      || former.columns == columns && hasRowNames == former.hasRowNames
    return isSame && (header == nil) == (former.header == nil) ? dialect : nil
  }
}

extension HistoryFrame {
  /// The format of the file after the save; nil if it was not kept.
  func format(over present: TextFormat) -> TextFormat? {
    // A format of a later version is not known.
    if !format.isEmpty { return try? TextFormat(keptBytes: format) }
    // Earlier versions have kept only these two signs.
    guard earlierSigns != 0, var dialect = present.dialect else { return nil }
    if earlierSigns & 1 != 0 { dialect.encoding = .windows1252 }
    if earlierSigns & 2 != 0 { dialect.syntax.hasEscapes = false }
    return .separated(dialect)
  }
}
