import CSimdjson
package import OpenSwiftData

extension DelimitedText {
  /// The end of the message about wrong quotes in a file that is whole if quotes are characters.
  package static let quotesAdvice = "; if quotes are characters here: --read \"quote=none\""

  /// Finds the encoding and the dialect of a whole file, as opening it does.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - promised: The delimiter that the name of the file promises; nil for none.
  ///   - options: How it is to be read, as far as somebody has said it.
  /// - Throws: `Fault` for bytes that are not text, and for a header that cannot be read.
  package init(
    reading bytes: [UInt8],
    promised: UInt8? = nil,
    options: ReadingOptions = ReadingOptions()
  ) throws {
    do {
      let (text, encoding) = try Self.decoded(bytes, options)
      let reading = DelimitedReading(
        source: JSONSource(text),
        promised: promised,
        options: options,
        encoding: encoding
      )
      let dialect = try Self.placing(JSONSource(text)) { try reading.dialect() }
      let remarks = dialect.remarks
      self.init(
        text,
        syntax: dialect.syntax,
        hasHeader: dialect.header != nil,
        hasTrailingDelimiter: dialect.hasTrailingDelimiter,
        columns: dialect.columns,
        start: dialect.start,
        headerNote: remarks.first { $0.word.isAboutHeader }?.text,
        notes: remarks.filter { !$0.word.isAboutHeader }.map(\.text),
        doubts: dialect.doubts
      )
    } catch let damage as JSONDamage {
      throw Fault(offset: damage.offset, damage.message)
    }
  }

  /// Adds line and column to a fault of a text.
  private static func placing<Result>(_ source: JSONSource, _ body: () throws -> Result) throws
    -> Result
  {
    do {
      return try body()
    } catch let damage as JSONDamage {
      let place = try source.position(of: damage.offset, lineEnd: damage.lineEnd)
      throw Fault(offset: damage.offset, at: damage.offset == 0 ? nil : place, damage.message)
    }
  }

  /// The text in UTF-8, without a byte order mark.
  private static func decoded(_ bytes: [UInt8], _ options: ReadingOptions) throws -> (
    [UInt8], DelimitedEncoding
  ) {
    let encoding = try DelimitedEncoding.of(bytes, options)
    guard encoding == .utf8 else {
      return (TextEncoding.withoutMark(try encoding.decode(bytes)), encoding)
    }
    // Of the encodings that are refused in other files, only UTF-32 is left.
    if let refusal = TextEncoding.refusal(of: bytes) { throw Fault(offset: 0, refusal) }
    guard let invalid = firstInvalid(in: bytes) else {
      return (TextEncoding.withoutMark(bytes), .utf8)
    }
    guard options.encoding == .automatic else { throw Fault(offset: invalid, "invalid UTF-8") }
    guard DelimitedEncoding.isWindows1252(bytes) else {
      throw Fault(offset: invalid, DelimitedEncoding.mixedMessage)
    }
    return (try DelimitedEncoding.windows1252.decode(bytes), .windows1252)
  }

  /// The offset of the first byte that is not UTF-8; nil for text.
  private static func firstInvalid(in bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress, catalog_utf8_is_valid(base, bytes.count) == 0 else {
        return nil
      }
      return catalog_utf8_first_invalid(base, bytes.count)
    }
  }
}

extension DelimitedEncoding {
  /// The encoding that the user says, or else that the first bytes of a file show.
  ///
  /// - Throws: `JSONDamage` if a byte order mark tells another one than the user.
  static func of(_ bytes: [UInt8], _ options: ReadingOptions) throws(JSONDamage)
    -> DelimitedEncoding
  {
    let seen = DelimitedEncoding(startingWith: bytes)
    guard let said = DelimitedEncoding(options) else { return seen }
    let marks: [(bytes: [UInt8], encoding: DelimitedEncoding)] = [
      ([0xEF, 0xBB, 0xBF], .utf8), ([0xFF, 0xFE], .utf16(isBigEndian: false)),
      ([0xFE, 0xFF], .utf16(isBigEndian: true)),
    ]
    if let mark = marks.first(where: { bytes.starts(with: $0.bytes) }), mark.encoding != said {
      throw JSONDamage(
        offset: 0,
        message: "encoding=\(said.word), but the file begins with the byte order mark of "
          + mark.encoding.word
      )
    }
    return said
  }

  /// The encoding that the user says; nil if it is to be found out.
  init?(_ options: ReadingOptions) {
    switch options.encoding {
    case .automatic: return nil
    case .utf8: self = .utf8
    case .latin1: self = .windows1252
    case .utf16LittleEndian: self = .utf16(isBigEndian: false)
    case .utf16BigEndian: self = .utf16(isBigEndian: true)
    }
  }
}
