import CSimdjson
import OpenSwiftData

/// Reads a whole text by what its beginning tells, and once more if the whole tells otherwise.
///
/// Opening a file, importing one and checking one that was written decide the same by it. Text without a fault, without
/// tabs and without backslashes is read once.
struct DelimitedReading {
  /// The text in UTF-8.
  let source: JSONSource
  /// The delimiter that the name of the file promises.
  let promised: UInt8?
  let options: ReadingOptions
  var encoding = DelimitedEncoding.utf8

  /// Calls the body with a dialect, and again with another one if what it read tells so.
  ///
  /// - Throws: `JSONDamage`, with what helps; what the body throws.
  func read<Result>(_ body: (DelimitedDialect) throws -> (Result, DelimitedEvidence)) throws
    -> (result: Result, dialect: DelimitedDialect)
  {
    var dialect = try dialectOfBeginning()
    while true {
      dialect.encoding = encoding
      dialect.forms = DelimitedForms(options)
      let other: DelimitedDialect?
      do {
        let (result, evidence) = try body(dialect)
        other = try corrected(dialect, evidence)
        if other == nil { return (result, dialect.noting(evidence, options)) }
      } catch let damage as JSONDamage where damage.code == .quotes {
        other = try corrected(dialect, after: damage)
        if other == nil { throw try hinting(damage, dialect) }
      }
      // Each correction excludes itself.
      if let other { dialect = other }
    }
  }

  /// The dialect of the whole text, which is not read if its beginning decides.
  func dialect() throws -> DelimitedDialect {
    try read { dialect in
      ((), try isDecidedByWhole(dialect) ? evidence(dialect) : DelimitedEvidence())
    }.dialect
  }

  /// The dialect that the beginning of the text tells.
  func dialectOfBeginning() throws -> DelimitedDialect {
    try DelimitedSniffer.dialect(of: source, promised: promised, options)
  }

  /// Reads all records, whose values nobody needs.
  private func evidence(_ dialect: DelimitedDialect) throws -> DelimitedEvidence {
    var evidence = DelimitedEvidence()
    try JSONPass(source: source, format: .separated(dialect)).run { parser, _, _, _ in
      try Interruption.check()
      evidence = parser.delimited?.evidence ?? evidence
      return true
    }
    return evidence
  }

  /// True if something further down can tell that the text is written in another way.
  private func isDecidedByWhole(_ dialect: DelimitedDialect) throws -> Bool {
    let hasBackslash = try has(UInt8(ascii: "\\"))
    if dialect.syntax.hasEscapes, hasBackslash { return true }
    guard let quote = dialect.syntax.quote, try has(quote) else { return false }
    if dialect.syntax.delimiter == 0x09 { return true }
    let all = 0..<source.sizeBytes
    return try hasBackslash && DelimitedDialect.hasEscapedQuotes(source.bytes(in: all), quote)
      || DelimitedCheck(source, dialect).widths(dialect.syntax) == nil
  }

  /// True if the text has a byte.
  private func has(_ byte: UInt8) throws -> Bool {
    for start in stride(from: 0, to: source.sizeBytes, by: 1 << 16) {
      try Interruption.check()
      let end = min(start + (1 << 16), source.sizeBytes)
      if try source.bytes(in: start..<end).contains(byte) { return true }
    }
    return false
  }

  // MARK: Corrections

  /// The dialect by what all records told; nil if it stays.
  private func corrected(_ dialect: DelimitedDialect, _ evidence: DelimitedEvidence) throws
    -> DelimitedDialect?
  {
    if let joining = evidence.firstJoining, dialect.syntax.delimiter == 0x09,
      options.quote == .automatic, dialect.syntax.quote != nil, try isRegularWithoutQuotes(dialect)
    {
      let line = try source.position(of: joining, lineEnd: dialect.syntax.lineEnd).line
      let text = "quotes are characters: they would join lines \(line) and \(line + 1)"
      return try decided(dialect, because: DelimitedRemark(.quotes, text)) { $0.quote = .none }
    }
    guard evidence.hasOtherBackslashes, dialect.syntax.hasEscapes, options.escape == .automatic
    else { return nil }
    var literal = dialect
    literal.syntax.hasEscapes = false
    literal.prefersQuotes = literal.syntax.hasQuotes
    literal.remarks.append(DelimitedRemark(.backslashes, "backslashes are characters"))
    return literal
  }

  /// The dialect in which the text has no fault; nil if there is none.
  private func corrected(_ dialect: DelimitedDialect, after damage: JSONDamage) throws
    -> DelimitedDialect?
  {
    guard let quote = dialect.syntax.quote else { return nil }
    if options.escape == .automatic, dialect.syntax.escape == nil,
      DelimitedDialect.hasEscapedQuotes(try source.bytes(in: 0..<source.sizeBytes), quote)
    {
      var syntax = dialect.syntax
      syntax.escape = UInt8(ascii: "\\")
      if try DelimitedCheck(source, dialect).widths(syntax) != nil {
        return try decided(dialect, because: .escape(quote)) { $0.escape = .backslash }
      }
    }
    guard dialect.syntax.delimiter == 0x09, options.quote == .automatic else { return nil }
    return try decided(dialect, because: .unmatchedQuotes) { $0.quote = .none }
  }

  /// The dialect under options that follow from the whole text.
  private func decided(
    _ former: DelimitedDialect,
    because remark: DelimitedRemark,
    _ change: (inout ReadingOptions) -> Void
  ) throws -> DelimitedDialect {
    var options = options
    change(&options)
    if let delimiter = former.syntax.delimiter { options.delimiter = .byte(delimiter) }
    var dialect = try DelimitedSniffer.dialect(of: source, promised: promised, options)
    if options.escape == .backslash { dialect.syntax.hasEscapes = former.syntax.hasEscapes }
    // What the choice of the delimiter told stays true.
    dialect.remarks += former.remarks.filter { $0.word == .delimiter }
    dialect.remarks.append(remark)
    return dialect
  }

  private func isRegularWithoutQuotes(_ dialect: DelimitedDialect) throws -> Bool {
    var syntax = dialect.syntax
    syntax.quote = nil
    return try DelimitedCheck(source, dialect).widths(syntax) == [dialect.columns.count]
  }

  /// Adds to a fault what divides the values, and whether quotes can be characters.
  private func hinting(_ damage: JSONDamage, _ dialect: DelimitedDialect) throws -> JSONDamage {
    var damage = damage
    if let end = damage.end {
      let line = try source.position(of: end, lineEnd: damage.lineEnd).line
      damage.message = "this quote is closed in line \(line), with text after it"
    } else if dialect.syntax.delimiter != nil, damage.message.hasPrefix("text") {
      let name = DelimitedRemark.words(for: dialect.syntax.delimiter)
      damage.message += " (values are divided by \(name))"
    }
    if try isRegularWithoutQuotes(dialect) {
      damage.message += DelimitedText.quotesAdvice
    }
    return damage
  }
}

/// Divides a whole text without reading its values.
struct DelimitedCheck {
  private static let partBytes = 1 << 20

  private let source: JSONSource
  private let start: Int

  init(_ source: JSONSource, _ dialect: DelimitedDialect) {
    self.source = source
    start = dialect.start
  }

  /// The different numbers of values that records have, at most two; nil if the text cannot be divided.
  func widths(_ syntax: DelimitedSyntax) throws -> Set<Int>? {
    var scanner = DelimitedScanner(syntax)
    var (place, size, widths) = (start, Self.partBytes, Set<Int>())
    while place < source.sizeBytes {
      try Interruption.check()
      let end = min(place + size, source.sizeBytes)
      let part = try source.bytes(in: place..<end)
      let consumed: Int? = part.withUnsafeBufferPointer { part in
        // The fault is the answer.
        guard let found = try? scanner.records(in: part, isLast: end == source.sizeBytes) else {
          return nil
        }
        for record in 0..<found.count where widths.count < 2 {
          widths.insert(found.record(record).fields.count)
        }
        return end == source.sizeBytes ? part.count : found.consumed
      }
      guard let consumed else { return nil }
      size = consumed == 0 ? size * 2 : Self.partBytes
      place += consumed
    }
    return widths
  }
}

extension DelimitedDialect {
  /// The dialect with what the records told.
  fileprivate func noting(_ evidence: DelimitedEvidence, _ options: ReadingOptions)
    -> DelimitedDialect
  {
    var dialect = self
    if encoding == .windows1252, options.encoding == .automatic {
      let text = "read as \(encoding.name), because it is not UTF-8"
      dialect.remarks.append(DelimitedRemark(.encoding, text))
    }
    guard evidence.escapedCount > 0 else { return dialect }
    let values = evidence.escapedCount == 1 ? "1 value" : "\(evidence.escapedCount) values"
    dialect.remarks.append(
      DelimitedRemark(.escapes, "\\t, \\n stand for tab and line end in \(values)")
    )
    return dialect
  }
}
