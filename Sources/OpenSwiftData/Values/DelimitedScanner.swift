import CDelimited

/// Divides separated values into records and fields, without decoding them.
///
/// The import of records and the store of CSV files use it; belongs to one thread.
package struct DelimitedScanner: ~Copyable {
  /// A text that cannot be divided, at an offset.
  package struct Fault: Error, Equatable {
    /// What is wrong.
    package enum Reason: Sendable { case unclosedQuote, textAfterQuote, closedElsewhere, zeroByte }

    package let reason: Reason
    /// In bytes; of a quote that is not closed, or closed in another line, that of the opening one.
    package let offset: Int
    /// After the closing quote in another line; 0 without one.
    package let end: Int

    /// What is wrong, in words.
    package var message: String {
      switch reason {
      case .unclosedQuote: "unclosed quote"
      case .textAfterQuote: "text after the closing quote"
      case .closedElsewhere: "this quote is closed in another line, with text after it"
      case .zeroByte: "NUL byte outside quotes: this is not a text file"
      }
    }
  }

  /// One field as written, with its quotes.
  package struct Field {
    /// In offsets within the scanned bytes.
    package let range: Range<Int>
    private let flags: UInt32

    /// True if it is in quotes, perhaps with blanks around them.
    package var isQuoted: Bool { flags & UInt32(CATALOG_FIELD_IS_QUOTED) != 0 }
    /// True if it is quoted and contains doubled quotes or escapes.
    package var hasDoubledQuotes: Bool { flags & UInt32(CATALOG_FIELD_HAS_DOUBLED) != 0 }

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

  private let syntax: DelimitedSyntax
  private var scan = catalog_delimited_scan()

  /// Prepares for texts of a syntax.
  package init(_ syntax: DelimitedSyntax) { self.syntax = syntax }

  deinit {
    var scan = scan
    catalog_delimited_free(&scan)
  }

  /// The number of records with a line end in quotes in all scans.
  package var joiningCount: Int { scan.joining_count }
  /// Where the first of them begins, in the bytes of its scan.
  package var firstJoining: Int { scan.first_joining }

  /// Finds the complete records at the beginning of the bytes, which are fewer than 4 GiB.
  ///
  /// - Parameters:
  ///   - bytes: A text, or the part of one that begins with a record.
  ///   - start: Where the first record begins.
  ///   - isLast: Whether nothing follows the bytes, so that the last record may lack its line end.
  /// - Returns: The records, valid until the next scan.
  /// - Throws: `Fault`.
  package mutating func records(
    in bytes: UnsafeBufferPointer<UInt8>,
    from start: Int = 0,
    isLast: Bool
  ) throws(Fault) -> Found {
    guard let code = scan(bytes, from: start, isLast: isLast, isLenient: false) else {
      return found
    }
    throw fault(code)
  }

  /// The same for a text with faults: the rest of the field is text, and the first fault is returned.
  package mutating func lenientRecords(in bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> (
    found: Found, fault: Fault?
  ) {
    _ = scan(bytes, from: 0, isLast: isLast, isLenient: true)
    return (found, scan.error == 0 ? nil : fault(scan.error))
  }

  private var found: Found {
    Found(
      fieldWords: UnsafeBufferPointer(start: scan.fields, count: 3 * scan.field_count),
      recordWords: UnsafeBufferPointer(start: scan.records, count: 4 * scan.record_count),
      consumed: scan.consumed
    )
  }

  /// Divides the bytes; the number of the fault, or nil.
  private mutating func scan(
    _ bytes: UnsafeBufferPointer<UInt8>,
    from start: Int,
    isLast: Bool,
    isLenient: Bool
  ) -> Int32? {
    var options = syntax.options
    options.is_lenient = isLenient ? 1 : 0
    let code = catalog_delimited_read(
      &scan,
      options,
      bytes.baseAddress,
      start,
      bytes.count,
      isLast ? 1 : 0
    )
    return code == 0 ? nil : code
  }

  private func fault(_ code: Int32) -> Fault {
    let reason: Fault.Reason =
      switch Int(code) {
      case Int(CATALOG_DELIMITED_UNCLOSED): .unclosedQuote
      case Int(CATALOG_DELIMITED_TRAILING): .textAfterQuote
      case Int(CATALOG_DELIMITED_ACROSS): .closedElsewhere
      default: .zeroByte
      }
    return Fault(
      reason: reason,
      offset: scan.error_offset,
      end: reason == .closedElsewhere ? scan.error_end : 0
    )
  }
}

extension DelimitedSyntax {
  fileprivate var options: catalog_delimited_syntax {
    var options = catalog_delimited_syntax()
    options.delimiter = delimiter ?? 0
    options.quote = quote ?? 0
    options.escape = escape ?? 0
    options.return_ends = returnEndsLine ? 1 : 0
    options.joins = joinsDelimiters ? 1 : 0
    options.keeps_blank = keepsBlankLines ? 1 : 0
    options.comment_count = UInt8(min(comment.count, 8))
    withUnsafeMutableBytes(of: &options.comment) { $0.copyBytes(from: comment.prefix(8)) }
    return options
  }

  /// Counts what ends lines outside quotes: line feeds, with CR or without, and lone CRs.
  package static func lineEnds(
    in bytes: UnsafeBufferPointer<UInt8>,
    delimiter: UInt8?,
    quote: UInt8?
  ) -> (feeds: Int, returns: Int) {
    var (feeds, returns) = (0, 0)
    catalog_delimited_count_ends(
      bytes.baseAddress,
      bytes.count,
      delimiter ?? 0,
      quote ?? 0,
      &feeds,
      &returns
    )
    return (feeds, returns)
  }
}
