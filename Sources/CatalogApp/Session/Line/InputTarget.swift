import OpenSwiftData

extension Session {
  /// Reads the records that the standard input names, if the next word is `-`; empty input names none.
  ///
  /// - Throws: `CommandError` with the line of an unknown identifier, or for records of several entities.
  func takeInputTarget(_ arguments: inout Arguments) throws -> [PersistentIdentifier]? {
    guard let word = arguments.peek, !word.isQuoted, word.text == "-" else { return nil }
    _ = arguments.next()
    let records = try inputIdentifiers()
    let entities = Set(records.map(\.entityName))
    guard entities.count <= 1 else {
      throw CommandError(
        "-: records of several entities (\(entities.sorted().joined(separator: ", ")))"
      )
    }
    return records
  }

  /// The records that the lines of the standard input name; a heading `id` is skipped.
  private func inputIdentifiers() throws -> [PersistentIdentifier] {
    var lines = IdentifierLines(try readInput("-"), format: settings.inputFormat)
    var heading: String?
    var seen: Set<PersistentIdentifier> = []
    var found: [PersistentIdentifier] = []
    var checks = RowChecks()
    while let line = lines.next() {
      guard let text = line.text else {
        throw CommandError("-:\(line.number): unclosed quote", code: .invalidFile)
      }
      if text.isEmpty { continue }
      if line.number == 1, text.wholeMatch(of: /_*id/) != nil {
        heading = text
        // Values of a field may be the identifiers of other records.
        if let entity = try? entity() { try entity.check(heading: heading) }
        continue
      }
      do {
        let isWhole = try !context.identifiers(exactly: text).isEmpty
        let checked = isWhole ? nil : CheckedIdentifier(text)
        guard
          let identifier = try checks.identifier(
            checked?.text ?? text,
            isChecked: checked != nil,
            self
          )
        else {
          checks.misfits.append(text)
          continue
        }
        checks.add(identifier, text, checked?.check)
        let entity = try context.schema.entity(named: identifier.entityName)
        try entity.check(heading: heading)
        if seen.insert(identifier).inserted { found.append(identifier) }
      } catch let error as CommandError {
        let isHeading = error.code == .invalidFile
        throw isHeading
          ? error : CommandError("-:\(line.number): \(error.message)", code: error.code)
      }
    }
    try checks.verify(context)
    return found
  }

  /// Reads a whole file; `-` is the standard input.
  ///
  /// - Throws: `PersistenceError` with the path and the reason; `CommandError` for a second reading of the standard
  ///   input, or if it is the script.
  func readInput(_ path: String) throws -> [UInt8] {
    guard path == "-" else { return try services.readFile(path) }
    guard !script.hasReadInput else { throw CommandError("-: standard input was already read") }
    let bytes = try services.readStandardInput()
    script.hasReadInput = true
    return bytes
  }
}

extension Schema.Entity {
  /// Rejects a heading that is the name of a field.
  fileprivate func check(heading: String?) throws {
    guard let heading, fieldsByName[heading] != nil else { return }
    throw CommandError(
      "-:1: \(Value.quoted(heading)) is a field of \(name), not the identifier; "
        + "use \"fields \(identifierKey)\"",
      code: .invalidFile
    )
  }
}

/// The rows that lines name, which must be those that a list has shown.
private struct RowChecks {
  private var rows: [(identifier: PersistentIdentifier, text: String, check: String?)] = []
  /// The lines whose record does not exist.
  var misfits: [String] = []
  private static let shownCount = 5

  /// The record that a text names; nil for a row with a check that does not exist.
  func identifier(_ text: String, isChecked: Bool, _ session: Session) throws
    -> PersistentIdentifier?
  {
    do {
      return try session.liveIdentifier(text)
    } catch let error as CommandError where isChecked && error.code == .unknownRecord {
      return nil
    }
  }

  mutating func add(_ identifier: PersistentIdentifier, _ text: String, _ check: String?) {
    if identifier.numberKey != nil || check != nil { rows.append((identifier, text, check)) }
  }

  /// Compares the checks with the rows.
  ///
  /// - Throws: `CommandError` that names the rows which are others now, and those without a check.
  func verify(_ context: ModelContext) throws {
    var checks: [String: RecordChecks] = [:]
    for name in Set(rows.map(\.identifier.entityName)) { checks[name] = context.checks(of: name) }
    func known(_ identifier: PersistentIdentifier) -> String? {
      checks[identifier.entityName]?[identifier]
    }
    let others = rows.filter { $0.check != nil && $0.check != known($0.identifier) }
    let bare = rows.filter { $0.check == nil && known($0.identifier) != nil }
    let misfits = misfits + others.map(\.text)
    guard let first = misfits.first else {
      guard let first = bare.first else { return }
      throw CommandError(
        "-: record \(first.text) is a row number, and the file may have changed since it was listed; nothing "
          + "was done; use the identifiers with checks that \"list … fields id\" prints, or \"where\"",
        code: .unknownRecord
      )
    }
    let rest = misfits.dropFirst().prefix(Self.shownCount).joined(separator: ", ")
    let more = misfits.count > Self.shownCount + 1 ? ", …" : ""
    throw CommandError(
      "-: record \(first) is another one now\(rest.isEmpty ? "" : " (and \(rest)\(more))"); nothing was done; "
        + "list again, or use \"where\"",
      code: .unknownRecord
    )
  }
}

/// Reads identifiers, one a line, as `list` prints them: with the escapes of tab-separated values, or in
/// comma-separated values with quotes.
private struct IdentifierLines {
  struct Line {
    /// Counted from 1.
    let number: Int
    /// The identifier; nil after a quote that is not closed.
    let text: String?
  }

  private var rest: ArraySlice<UInt8>
  private let hasQuotes: Bool
  private var number = 1

  /// Takes the input, whose format may be named; lists in comma-separated values have CR LF at their line ends.
  init(_ bytes: [UInt8], format: OutputFormat?) {
    let text = TextEncoding.withoutMark(bytes)
    rest = text[...]
    let hasReturns = text.prefix { $0 != 0x0A }.last == 0x0D
    hasQuotes = format == .csv || format == .psv || format != .tsv && hasReturns
  }

  mutating func next() -> Line? {
    guard let first = rest.first else { return nil }
    let start = number
    let isQuoted = hasQuotes && first == Self.quote
    var isOpen = false
    var end = rest.startIndex
    while end < rest.endIndex, isOpen || rest[end] != 0x0A {
      if isQuoted, rest[end] == Self.quote { isOpen.toggle() }
      if rest[end] == 0x0A { number += 1 }
      end += 1
    }
    number += 1
    var bytes = rest[..<end]
    rest = rest[end...].dropFirst()
    if bytes.last == 0x0D { bytes.removeLast() }
    guard isQuoted else {
      let text = String(decoding: bytes, as: UTF8.self)
      // Identifiers are not marked as empty text.
      let isPlain = hasQuotes || text == "\"\""
      return Line(number: start, text: isPlain ? text : DelimitedSyntax.unescaped(text))
    }
    guard !isOpen, bytes.count > 1, bytes.last == Self.quote else {
      return Line(number: start, text: nil)
    }
    let content = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    return Line(number: start, text: content.replacing("\"\"", with: "\""))
  }

  private static let quote = UInt8(ascii: "\"")
}
