import Foundation
import OpenSwiftData

/// Opens a file that may not exist.
struct JSONOpening {
  struct Opened {
    let content: JSONContent
    /// Nil if the file does not exist.
    var version: FileVersion?
    /// Notes for the user about the location of the file, one line each.
    var notes: [String] = []
    /// Why the file cannot be saved, in a few words; nil if it can.
    var readOnlyReason: String?
  }

  private var configuration: JSONStoreConfiguration
  private let generator: RecordKeyGenerator
  /// The identifier for a catalog without one; nil for a new identifier.
  var storeIdentifier: String?
  /// The entity of an object of records, which is what an empty object is then; nil for other files.
  var namedEntity: Schema.Entity?
  /// By entity and field, a type whose values a file without types is to be able to hold, too, as if it had some.
  var typesBeside: FieldTypes {
    get { configuration.typesBeside }
    set { configuration.typesBeside = newValue }
  }
  private var fileSystem: any FileSystem { configuration.fileSystem }

  init(_ configuration: JSONStoreConfiguration, generator: RecordKeyGenerator) {
    self.configuration = configuration
    self.generator = generator
  }

  /// Reads the file; if it does not exist, returns an empty store without a version.
  ///
  /// - Throws: `PersistenceError`.
  func open() throws -> Opened {
    do {
      if let text = configuration.text { return try read(text) }
      guard let path = try existingPath() else { return Opened(content: try newContent()) }
      return try fileSystem.waitingForOthers(
        path: configuration.path,
        timeoutSeconds: configuration.lockTimeoutSeconds
      ) { try read(path) }
    } catch {
      throw PersistenceError.reporting(error)
    }
  }

  /// The path with links resolved; nil if the file or its folder does not exist.
  private func existingPath() throws(FileSystemError) -> String? {
    do {
      let path = try retrying { () throws(FileSystemError) in
        try fileSystem.resolve(configuration.path)
      }
      return try fileSystem.statusIfPresent(of: path, in: nil) == nil ? nil : path
    } catch  where error.code == .notFound {
      return nil
    }
  }

  private func newContent() throws -> JSONContent {
    let schema = configuration.schema ?? Schema()
    try schema.validate()
    let isFlat = configuration.isFlat
    if !isFlat { try JSONHeader.check(schema, path: configuration.path) }
    let identifier = isFlat ? configuration.name : newStoreIdentifier()
    return JSONContent(
      table: RecordTable(schema: schema, storeIdentifier: identifier),
      document: JSONDocument(format: configuration.format)
    )
  }

  /// Reads what the file contained earlier.
  ///
  /// - Throws: `JSONDamage`, `PersistenceError`.
  func content(of bytes: [UInt8]) throws -> JSONContent {
    var source = JSONSource(bytes)
    return try load(&source).0
  }

  private func newStoreIdentifier() -> String {
    UUID(randomHigh: configuration.random(), low: configuration.random())
      .uuidString.lowercased()
  }

  /// Reads text that does not come from a file.
  private func read(_ text: [UInt8]) throws -> Opened {
    var source = JSONSource(text)
    guard !text.isEmpty || configuration.isFlat else {
      throw PersistenceError(.notAStore, "\(configuration.path): empty")
    }
    do {
      let (content, _) = try load(&source)
      return Opened(
        content: content,
        notes: [configuration.note].compactMap { $0 }
          + content.document.notes(source, path: configuration.path, isSaved: false)
      )
    } catch let shortage as JSONMemoryShortage {
      throw shortage.error(path: configuration.path)
    } catch let damage as JSONDamage {
      throw try Self.error(damage, in: source, path: configuration.path)
    }
  }

  /// Reads the file; nil if it changed during the reading.
  private func read(_ path: String) throws -> Opened? {
    let (file, status) = try fileSystem.openRegular(path, in: nil, .read)
    defer { fileSystem.closeQuietly(file) }
    var source = JSONSource(fileSystem, file, sizeBytes: status.sizeBytes)
    guard status.sizeBytes > 0 || configuration.isFlat else {
      throw PersistenceError(
        .notAStore,
        "\(configuration.path): empty file; to create a catalog, use a name that does not exist"
      )
    }
    do {
      var (content, digest) = try load(&source)
      // The open file is still the one that was read, even if another program has replaced it
      // since.
      guard try fileSystem.status(of: file).hasSameContent(as: status) else { return nil }
      let isEmpty =
        content.table.schema.entities.isEmpty
        || content.document.format.dialect?.columns.isEmpty == true
      if isEmpty, let schema = configuration.schema {
        try schema.validate()
        let format = content.document.format
        if format.isCatalog { try JSONHeader.check(schema, path: configuration.path) }
        content.table = RecordTable(
          schema: schema,
          storeIdentifier: content.table.storeIdentifier
        )
        content.isHeaderStale = format.isCatalog
        if format.isSeparated { content.document.sections = [] }
      }
      let readOnlyReason =
        configuration.isReadOnly
        ? nil : fileSystem.reasonNotToWrite(file.path).map { "\($0.code)" }
      return Opened(
        content: content,
        version: FileVersion(status: status, digest: digest),
        notes: notes(on: file, status, readOnlyReason)
          + content.document.notes(source, path: configuration.path),
        readOnlyReason: readOnlyReason
      )
    } catch is JSONRestart {
      return nil
    } catch let shortage as JSONMemoryShortage {
      throw shortage.error(path: configuration.path)
    } catch let damage as JSONDamage {
      guard try fileSystem.status(of: file).hasSameContent(as: status) else { return nil }
      throw try Self.error(damage, in: source, path: configuration.path)
    }
  }

  /// Loads the text of the file; if it is decoded first, the source is then the decoded text.
  private func load(_ source: inout JSONSource) throws -> (JSONContent, ContentDigest) {
    if configuration.form == .delimited { return try loadDelimited(&source) }
    if let fragment = configuration.fragment { return try loadPart(fragment, &source) }
    return try loadWhole(&source)
  }

  /// Loads the value at a path.
  private func loadPart(_ fragment: String, _ source: inout JSONSource) throws
    -> (JSONContent, ContentDigest)
  {
    let bytes = try source.bytes(in: 0..<source.sizeBytes)
    let range = try JSONPart.range(of: fragment, in: bytes)
    source = source.part(range)
    var (content, _) = try loadDocument(source)
    guard !content.document.format.isCatalog else {
      throw JSONDamage(offset: 0, message: "a catalog in a part of a file", code: .notAStore)
    }
    content.document.outer = range
    return (content, bytes.withUnsafeBytes(ContentDigest.init(of:)))
  }

  /// Loads a JSON document; one without records at its top may have them at a single place further inside.
  private func loadWhole(_ source: inout JSONSource) throws -> (JSONContent, ContentDigest) {
    do {
      return try loadDocument(source)
    } catch let damage as JSONDamage where damage.hasNoRecords {
      guard source.sizeBytes <= Self.searchedBytes,
        let path = JSONPart.onlyPlace(in: try source.bytes(in: 0..<source.sizeBytes))
      else { throw damage }
      var opening = self
      opening.configuration = configuration.at(path)
      do {
        return try opening.loadPart(path, &source)
      } catch is JSONDamage {
        throw damage
      }
    }
  }

  /// Loads a JSON document, or tells what to open instead.
  private func loadDocument(_ source: JSONSource) throws -> (JSONContent, ContentDigest) {
    do {
      return try loadRecords(of: source)
    } catch let damage as JSONDamage {
      let advised = try advising(damage, in: source)
      if configuration.hasLines { throw try source.atEndOfLine(advised) }
      throw try hinting(advised, in: source)
    }
  }

  /// Loads the records of a JSON document; one without any array of records may be an object of records.
  private func loadRecords(of source: JSONSource) throws -> (JSONContent, ContentDigest) {
    let fallback =
      try isCatalog(source) ? storeIdentifier ?? newStoreIdentifier() : configuration.name
    do {
      var (content, digest) = try JSONLoader(source, configuration, generator: generator)
        .load(storeIdentifier: fallback)
      if let namedEntity { content.takeNamedRecords(of: namedEntity) }
      return (content, digest)
    } catch let damage as JSONDamage where damage.code == .notAStore && !configuration.hasLines {
      let named = JSONLoader(source, configuration, as: .json(.named), generator: generator)
      do {
        return try named.load(storeIdentifier: fallback)
      } catch is JSONDamage {
        throw damage
      }
    }
  }

  /// Adds to the error of records that are arranged in another way what helps.
  private func advising(_ damage: JSONDamage, in source: JSONSource) throws -> JSONDamage {
    guard configuration.fragment == nil else { return damage }
    var hint: String?
    if damage.message.hasSuffix("found an object"), damage.message.hasPrefix("expected the end") {
      let before = try source.bytes(in: max(0, damage.offset - 2)..<damage.offset)
      hint = before.contains(0x0A) ? linesAdvice : JSONText.objectsAdvice
    } else if damage.message == "expected a new line, found an object" {
      hint = JSONText.objectsAdvice
    } else if damage.message.hasPrefix("expected an object (a record), found ") {
      hint = JSONText.rowsAdvice(try source.bytes(in: 0..<min(source.sizeBytes, 1 << 10)))
    }
    guard let hint else { return damage }
    var advised = damage
    advised.message += "; \(hint)"
    return advised
  }

  /// How to open a file with an object a line; a text that is no file has no name that could say so.
  private var linesAdvice: String {
    configuration.text == nil
      ? "for an object a line use \(Self.quoted("jsonl:\(configuration.path)"))"
      : "for an object a line use --store jsonl"
  }

  /// Adds to the error of a document without records where it has some further inside, or else which kind of
  /// text it is.
  private func hinting(_ damage: JSONDamage, in source: JSONSource) throws -> JSONDamage {
    guard source.sizeBytes <= Self.searchedBytes else { return damage }
    let bytes = try source.bytes(in: 0..<source.sizeBytes)
    var hint: String?
    if damage.hasNoRecords, let path = JSONPart.suggestion(in: bytes) {
      let whole = configuration.fragment.map { $0 + "." } ?? ""
      hint =
        "to open the records inside, use \(Self.quoted("\(configuration.path)#\(whole)\(path)"))"
    } else if configuration.form == .json, configuration.fragment == nil,
      configuration.text == nil, let first = bytes.first, !"[{\"".utf8.contains(first),
      bytes.prefix(1 << 16).contains(where: { ",;\t|".utf8.contains($0) })
    {
      hint = "if it has separated values, use \(Self.quoted("csv:\(configuration.path)"))"
    }
    guard let hint else { return damage }
    return JSONDamage(
      offset: damage.offset,
      message: "\(damage.message); \(hint)",
      code: damage.code,
      earlier: damage.earlier
    )
  }

  /// Larger files are not searched for a hint.
  private static let searchedBytes = 64 << 20

  /// A location as a shell reads it.
  private static func quoted(_ location: String) -> String {
    let isPlain = location.utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
        || "_-./#:@%+,".utf8.contains($0) || $0 >= 0x80
    }
    return isPlain ? location : "'" + location.replacing("'", with: "'\\''") + "'"
  }

  /// Loads separated values: as UTF-8 or UTF-16, or as Windows-1252 if they are nothing else.
  private func loadDelimited(_ source: inout JSONSource) throws -> (JSONContent, ContentDigest) {
    let file = source
    let start = try file.bytes(in: 0..<min(4, file.sizeBytes))
    let encoding = try DelimitedEncoding.of(start, configuration.reading)
    let isSaid = configuration.reading.encoding != .automatic
    do {
      return try loadDelimited(file, encoding, &source)
    } catch let damage as JSONDamage where damage.code == .encoding && !isSaid {
      guard try DelimitedEncoding.isWindows1252(file.bytes(in: 0..<file.sizeBytes)) else {
        throw JSONDamage(offset: damage.offset, message: DelimitedEncoding.mixedMessage)
      }
      return try loadDelimited(file, .windows1252, &source)
    }
  }

  private func loadDelimited(
    _ file: JSONSource,
    _ encoding: DelimitedEncoding,
    _ source: inout JSONSource
  ) throws -> (JSONContent, ContentDigest) {
    source = try file.decoded(from: encoding)
    let reading = DelimitedReading(
      source: source,
      promised: configuration.promisedDelimiter,
      options: configuration.reading,
      encoding: encoding
    )
    let text = source
    let found = try reading.read { dialect in
      let loader = JSONLoader(text, configuration, as: .separated(dialect), generator: generator)
      let (content, digest) = try loader.load(storeIdentifier: configuration.name)
      return ((content, digest), content.document.evidence)
    }
    var (content, digest) = found.result
    let forms = content.document.format.dialect?.forms
    content.document.format = .separated(found.dialect)
    if let forms { content.document.format.dialect?.forms = forms }
    guard encoding != .utf8 else { return (content, digest) }
    return try (
      content, file.bytes(in: 0..<file.sizeBytes).withUnsafeBytes(ContentDigest.init(of:))
    )
  }

  private func notes(
    on file: OpenFile,
    _ status: FileStatus,
    _ readOnlyReason: String?
  ) -> [String] {
    var notes = fileSystem.notes(on: file, status)
    if let readOnlyReason {
      notes.append(
        "\(configuration.path): read-only (\(readOnlyReason)); save to another location instead"
      )
    }
    return notes
  }

  /// True if the beginning of the text looks like a JSON catalog, which has its own identifier.
  private func isCatalog(_ source: JSONSource) throws -> Bool {
    let pass = JSONPass(source: source, format: configuration.format)
    return try JSONSurvey(pass, configuration, isComplete: false).header != nil
  }

  /// The error for damaged text, with line and column.
  static func error(_ damage: JSONDamage, in source: JSONSource, path: String) throws
    -> PersistenceError
  {
    let (line, column) = try source.position(of: damage.offset, lineEnd: damage.lineEnd)
    var message = "\(path): line \(line), column \(column): \(damage.message)"
    if let earlier = damage.earlier {
      message += ", first in line \(try source.position(of: earlier).line)"
    }
    return PersistenceError(damage.code == .notAStore ? .notAStore : .damaged, message)
  }
}

extension JSONStore {
  /// Reads versions of the file as the store reads it.
  func opening(_ session: Session) -> JSONOpening {
    var opening = JSONOpening(configuration, generator: session.generator)
    opening.storeIdentifier = identifier
    opening.typesBeside = session.typesBeside
    if case .json(.named) = session.content.document.format {
      opening.namedEntity = session.content.table.schema.entities.first
    }
    return opening
  }
}

extension JSONContent {
  /// Makes an object of records of an object without members.
  ///
  /// - Returns: False for another document, which is not changed.
  @discardableResult
  mutating func takeNamedRecords(of entity: Schema.Entity) -> Bool {
    guard case .json(.object) = document.format, document.membersEnd == nil,
      let interior = document.interior, let table = try? table.staged([.createEntity(entity)])
    else { return false }
    self.table = table
    document.format = .json(.named)
    document.sections = [
      JSONSection(entityName: entity.name, start: interior.lowerBound, end: interior.upperBound)
    ]
    return true
  }
}

extension JSONDamage {
  /// True for a document without any records.
  fileprivate var hasNoRecords: Bool { code == .notAStore && message.hasPrefix("no records") }
}
