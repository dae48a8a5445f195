import CDelimited

/// Divides separated values into records and fields, without decoding them.
///
/// The import of records and the store of CSV files use it; belongs to one thread.
package struct DelimitedScanner: ~Copyable {
  /// What divides a text.
  package struct Syntax: Equatable, Sendable {
    /// The byte between two fields.
    package var delimiter: UInt8
    /// True if a field may be in double quotes, and then contain delimiters and line ends.
    package var hasQuotes: Bool
    /// True if CR alone ends a line; otherwise it is part of a field.
    package var returnEndsLine: Bool

    /// Creates a syntax; by default that of RFC 4180.
    package init(
      delimiter: UInt8 = UInt8(ascii: ","),
      hasQuotes: Bool = true,
      returnEndsLine: Bool = false
    ) {
      self.delimiter = delimiter
      self.hasQuotes = hasQuotes
      self.returnEndsLine = returnEndsLine
    }
  }

  /// A text that cannot be divided, at an offset.
  package struct Fault: Error, Equatable {
    /// What is wrong.
    package enum Reason: Sendable { case unclosedQuote, textAfterQuote, zeroByte }

    package let reason: Reason
    /// In bytes; of an unclosed quote, that of the opening one.
    package let offset: Int

    /// What is wrong, in words.
    package var message: String {
      switch reason {
      case .unclosedQuote: "unclosed quote"
      case .textAfterQuote: "unexpected text after the closing quote"
      case .zeroByte: "NUL byte outside quotes: this is not a text file"
      }
    }
  }

  /// One field as written, with its quotes.
  package struct Field {
    /// In offsets within the scanned bytes.
    package let range: Range<Int>
    private let flags: UInt32

    /// True if it begins and ends with a quote.
    package var isQuoted: Bool { flags & UInt32(CATALOG_FIELD_IS_QUOTED) != 0 }
    /// True if it is quoted and contains doubled quotes.
    package var hasDoubledQuotes: Bool { flags & UInt32(CATALOG_FIELD_HAS_DOUBLED) != 0 }
    /// True if it is not quoted but contains a quote.
    package var hasBareQuote: Bool { flags & UInt32(CATALOG_FIELD_HAS_QUOTE) != 0 }

    fileprivate init(_ words: UnsafePointer<UInt32>) {
      range = Int(words[0])..<Int(words[1])
      flags = words[2]
    }
  }

  /// One record as written, without its line end.
  package struct ScannedRecord {
    package let range: Range<Int>
    package let fields: Range<Int>
  }

  /// The complete records of a text, valid until the next scan.
  package struct Found {
    /// Three words for each field: start, end, flags.
    package let fieldWords: UnsafeBufferPointer<UInt32>
    /// Four words for each record: first field, number of fields, start, end.
    package let recordWords: UnsafeBufferPointer<UInt32>
    /// Where the first incomplete record begins.
    package let consumed: Int

    /// The number of records.
    package var count: Int { recordWords.count / 4 }

    /// One record.
    package func record(_ place: Int) -> ScannedRecord {
      let words = recordWords[(4 * place)..<(4 * place + 4)]
      let first = Int(words[words.startIndex])
      return ScannedRecord(
        range: Int(words[words.startIndex + 2])..<Int(words[words.startIndex + 3]),
        fields: first..<(first + Int(words[words.startIndex + 1]))
      )
    }

    /// One field.
    package func field(_ place: Int) -> Field {
      guard let words = fieldWords.baseAddress, place < fieldWords.count / 3 else {
        preconditionFailure("a field of a record")
      }
      return Field(words + 3 * place)
    }
  }

  private let syntax: Syntax
  private var scan = catalog_delimited_scan()

  /// Prepares for texts of a syntax.
  package init(_ syntax: Syntax) { self.syntax = syntax }

  deinit {
    var scan = scan
    catalog_delimited_free(&scan)
  }

  /// Finds the complete records at the beginning of the bytes, which are fewer than 4 GiB.
  ///
  /// - Parameters:
  ///   - bytes: A text, or the part of one that begins with a record.
  ///   - isLast: Whether nothing follows the bytes, so that the last record may lack its line end.
  /// - Returns: The records, valid until the next scan.
  /// - Throws: `Fault`.
  package mutating func records(in bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws(Fault)
    -> Found
  {
    let options = catalog_delimited_syntax(
      delimiter: syntax.delimiter,
      has_quotes: syntax.hasQuotes ? 1 : 0,
      return_ends: syntax.returnEndsLine ? 1 : 0
    )
    let code = catalog_delimited_read(
      &scan,
      options,
      bytes.baseAddress,
      bytes.count,
      isLast ? 1 : 0
    )
    switch Int(code) {
    case 0: break
    case Int(CATALOG_DELIMITED_UNCLOSED): throw fault(.unclosedQuote)
    case Int(CATALOG_DELIMITED_TRAILING): throw fault(.textAfterQuote)
    default: throw fault(.zeroByte)
    }
    return Found(
      fieldWords: UnsafeBufferPointer(start: scan.fields, count: 3 * scan.field_count),
      recordWords: UnsafeBufferPointer(start: scan.records, count: 4 * scan.record_count),
      consumed: scan.consumed
    )
  }

  private func fault(_ reason: Fault.Reason) -> Fault {
    Fault(reason: reason, offset: scan.error_offset)
  }
}
