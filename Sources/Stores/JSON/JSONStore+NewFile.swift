import OpenSwiftData

/// The text of new files, and the check of every file before it gets its name.
extension JSONStore {
  /// Files up to this size are read back before they get their name.
  private static let verifiedSizeLimit = 16 << 20

  /// Reads a small file back before it gets its name: every record must have the expected place,
  /// and everything that was not copied from the old file must be valid.
  func verifier(of file: OpenFile, _ outcome: JSONSaving.Outcome?)
    -> (@Sendable () throws -> Void)?
  {
    guard let outcome else { return nil }
    let format = outcome.document.format
    let isSmall = outcome.document.sizeBytes <= Self.verifiedSizeLimit
    guard isSmall || format.isSeparated else { return nil }
    let configuration = configuration
    return {
      let fileSystem = configuration.fileSystem
      let size = try fileSystem.status(of: file).sizeBytes
      let written = JSONSource(fileSystem, file, sizeBytes: size)
      let source = try written.decoded(from: format.encoding).part(
        outcome.document.outer
      )
      do {
        try format.dialect?.checkEncoding(of: written, path: configuration.path)
        try format.dialect?.checkBeginning(of: source, configuration, isSmall: isSmall)
        guard isSmall else { return }
        let pass = JSONPass(source: source, format: format, records: outcome.writtenRecords)
        guard try JSONPlaces(pass, of: outcome) == JSONPlaces(outcome) else {
          throw JSONDamage(offset: 0, message: "record positions differ")
        }
      } catch let damage as JSONDamage {
        let error = try JSONOpening.error(damage, in: source, path: configuration.path)
        throw PersistenceError(
          .storeViolation,
          "internal check failed, nothing was saved: \(error)"
        )
      }
    }
  }

  /// The header of a new file of separated values, and its document.
  private func skeleton(_ dialect: DelimitedDialect, _ entity: Schema.Entity, quotesNames: Bool)
    -> (
      JSONDocument, [UInt8]
    )
  {
    var dialect = dialect
    dialect.columns = entity.fields.map(\.name)
    for field in entity.fields { dialect.decimals[field.name] = field.decimalPlaces }
    var text: [UInt8] = []
    if !dialect.columns.isEmpty {
      text = dialect.headerText(isQuoted: quotesNames)
      dialect.header = 0..<text.count
      dialect.dataStart = text.count
      text += dialect.lineEnd
    }
    var document = JSONDocument(format: .separated(dialect))
    document.header = dialect.header
    document.sizeBytes = text.count
    document.sections = [
      JSONSection(entityName: entity.name, start: dialect.dataStart, end: text.count)
    ]
    return (document, text)
  }

  /// The text of a file without records, and its document.
  func skeleton(_ schema: Schema, quotesNames: Bool = false) throws -> (JSONDocument, [UInt8]) {
    guard !configuration.isFlat else {
      guard schema.entities.count == 1 else {
        let kind = configuration.hasLines ? "a .jsonl file" : "a file of separated values"
        throw PersistenceError(
          .unsupported,
          "\(configuration.path): \(kind) holds one entity, not \(schema.entities.count); "
            + "use a .json name, or \"export\" for one of them"
        )
      }
      if case .separated(let dialect) = configuration.format {
        return skeleton(dialect, schema.entities[0], quotesNames: quotesNames)
      }
      return (
        JSONDocument(
          format: .json(.lines),
          sections: [JSONSection(entityName: schema.entities[0].name, start: 0, end: 0)]
        ), []
      )
    }
    var document = JSONDocument(format: .json(.catalog))
    var text = JSONOutput()
    text.put("{")
    let start = text.bytes.count
    text.put("\n  \"catalog\": ")
    let header = JSONHeader.text(store: identifier, schema: schema)
    document.header = text.bytes.count..<(text.bytes.count + header.count)
    text.put(header)
    document.membersEnd = text.bytes.count
    for entity in schema.entities {
      text.put(",\n  ")
      text.put(quoting: entity.name)
      text.put(": [")
      let place = text.bytes.count
      document.sections.append(JSONSection(entityName: entity.name, start: place, end: place))
      text.put("]")
      document.membersEnd = text.bytes.count
    }
    text.put("\n")
    document.interior = start..<text.bytes.count
    text.put("}\n")
    document.foreignKeys = [JSONHeader.key]
    document.sizeBytes = text.bytes.count
    return (document, text.bytes)
  }
}
