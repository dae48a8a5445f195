import CSimdjson
package import OpenSwiftData

extension DelimitedText {
  /// Finds the encoding and the dialect of a whole file, as opening it does.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - hasTabs: Whether the name of the file promises tabs.
  ///   - options: How it is to be read, as far as somebody has said it.
  /// - Throws: `Fault` for bytes that are not text, and for a header that cannot be read.
  package init(reading bytes: [UInt8], hasTabs: Bool, options: ReadingOptions = ReadingOptions())
    throws
  {
    do {
      let (text, encoding) = try Self.decoded(bytes)
      var dialect = try DelimitedSniffer.dialect(of: JSONSource(text), hasTabs: hasTabs)
      // Other programs write quotes in TSV like any other character, perhaps beyond the part that was looked at.
      if hasTabs, dialect.syntax.hasQuotes, !Self.isDivided(text, dialect.syntax) {
        dialect.removeQuotes()
      }
      self.init(
        text,
        syntax: dialect.syntax,
        hasEscapes: dialect.hasEscapes,
        hasHeader: dialect.header != nil,
        columns: dialect.columns,
        start: dialect.header?.lowerBound ?? dialect.dataStart,
        assumedEncoding: encoding == .windows1252 ? encoding.name : nil
      )
    } catch let damage as JSONDamage {
      throw Fault(offset: damage.offset, damage.message)
    }
  }

  /// The text in UTF-8, without a byte order mark.
  private static func decoded(_ bytes: [UInt8]) throws -> ([UInt8], DelimitedEncoding) {
    let encoding = DelimitedEncoding(startingWith: bytes)
    guard encoding == .utf8 else {
      return (TextEncoding.withoutMark(try encoding.decode(bytes)), encoding)
    }
    // Of the encodings that are refused in other files, only UTF-32 is left.
    if let refusal = TextEncoding.refusal(of: bytes) { throw Fault(offset: 0, refusal) }
    guard let invalid = firstInvalid(in: bytes) else {
      return (TextEncoding.withoutMark(bytes), .utf8)
    }
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

  /// True if the quotes of the text match.
  private static func isDivided(_ text: [UInt8], _ syntax: DelimitedScanner.Syntax) -> Bool {
    guard text.contains(UInt8(ascii: "\"")) else { return true }
    var scanner = DelimitedScanner(syntax)
    return text.withUnsafeBufferPointer { text in
      var (start, size) = (0, partBytes)
      while start < text.count {
        let end = min(start + size, text.count)
        do throws(DelimitedScanner.Fault) {
          let part = UnsafeBufferPointer(rebasing: text[start..<end])
          let found = try scanner.records(in: part, isLast: end == text.count)
          if end == text.count { return true }
          size = found.consumed == 0 ? size * 2 : partBytes
          start += found.consumed
        } catch {
          return error.reason == .zeroByte
        }
      }
      return true
    }
  }

  private static let partBytes = 1 << 20
}
