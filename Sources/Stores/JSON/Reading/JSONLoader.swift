import CSimdjson
import OpenSwiftData

/// The content of a file: the records and the place of each.
struct JSONContent {
  var table: RecordTable
  var document: JSONDocument
  /// True if the next save must write the header again.
  var isHeaderStale = false
}

/// Loads a complete text into a table.
///
/// The types of plain files are inferred from the first records. In the rare case that a later
/// record does not match them, the text is read again from the beginning.
struct JSONLoader {
  private var pass: JSONPass
  private let configuration: JSONStoreConfiguration
  private let generator: RecordKeyGenerator
  /// Whether another thread parses; nil if it pays off.
  private var isAhead: Bool?

  /// Prepares for a text; the generator creates identifiers for records that have none.
  ///
  /// Without a format, the text has that of the configuration, or is another JSON document.
  init(
    _ source: JSONSource,
    _ configuration: JSONStoreConfiguration,
    as format: TextFormat? = nil,
    generator: RecordKeyGenerator
  ) {
    pass = JSONPass(source: source, format: format ?? configuration.format)
    self.configuration = configuration
    self.generator = generator
  }

  /// Reads windows of this size, with or without another thread that parses them.
  func reading(windowBytes: Int, isAhead: Bool) -> JSONLoader {
    var loader = self
    loader.pass.windowBytes = windowBytes
    loader.isAhead = isAhead
    return loader
  }

  /// Reads the text.
  ///
  /// - Parameter storeIdentifier: The identifier to use if the text does not contain one.
  /// - Returns: The content and the digest of the bytes it was read from.
  /// - Throws: `JSONDamage`, what the source throws.
  func load(storeIdentifier: String) throws -> (content: JSONContent, digest: ContentDigest) {
    var survey = try JSONSurvey(pass, configuration, isComplete: false)
    var attempts = 0
    while true {
      do {
        return try fill(survey, storeIdentifier)
      } catch let error as JSONRestart {
        // The second survey is complete; it can only fail again if the file changes during the
        // load.
        guard attempts == 0 else { throw error }
        attempts += 1
        survey = try JSONSurvey(pass, configuration, isComplete: true)
      }
    }
  }

  private func fill(_ survey: JSONSurvey, _ storeIdentifier: String) throws
    -> (content: JSONContent, digest: ContentDigest)
  {
    var filling = JSONFilling(
      survey,
      pass,
      storeIdentifier: survey.header?.store ?? storeIdentifier,
      generator: generator
    )
    let counter = WorkCounter(of: pass.source.sizeBytes, unit: .bytes)
    let digest = try pass.readAll(isAhead: isAhead) { next in
      try filling.take(next)
      try counter.advance(to: next.window.offset + next.window.bytes.count)
    }
    try filling.finish()
    let content = JSONContent(
      table: filling.table,
      document: filling.document,
      isHeaderStale: filling.document.format.isCatalog && survey.header?.store == nil
    )
    return (content, digest)
  }
}

/// The text turned out to differ from what its beginning suggested.
enum JSONRestart: Error { case header, types }

/// A text has more records than the memory can hold.
struct JSONMemoryShortage: Error {
  let neededBytes: Int
  let availableBytes: Int

  func error(path: String) -> FileError {
    .outOfMemory(path: path, neededBytes: neededBytes, availableBytes: availableBytes)
  }
}

/// Fills a table batch by batch.
private struct JSONFilling {
  /// Records that need less memory than this are read without asking how much there is.
  private static let uncheckedBytes = 1 << 26

  private(set) var table: RecordTable
  private(set) var document: JSONDocument
  private let survey: JSONSurvey
  private let pass: JSONPass
  private let generator: RecordKeyGenerator
  /// The filler of each section's table, by the parser's section number; nil without an entity.
  private var fillers: [JSONRowFiller?] = []
  /// The index of each section in the document, by the parser's section number.
  private var places: [Int?] = []
  private var isFirst = true

  init(
    _ survey: JSONSurvey,
    _ pass: JSONPass,
    storeIdentifier: String,
    generator: RecordKeyGenerator
  ) {
    self.survey = survey
    self.pass = pass
    self.generator = generator
    table = RecordTable(schema: survey.schema, storeIdentifier: storeIdentifier)
    let isPlain = pass.format.isCatalog && survey.header == nil
    document = JSONDocument(format: isPlain ? .json(.array) : pass.format)
    document.header = pass.format.dialect?.header
    document.sizeBytes = pass.source.sizeBytes
  }

  mutating func take(_ next: JSONKeyedWindow) throws {
    let (batch, offset) = (next.window.batch, next.window.offset)
    if isFirst, pass.format.isFlat {
      let start = pass.format.dialect.map { $0.header?.upperBound ?? $0.dataStart } ?? offset
      try begin(survey.sections[0].entityName, at: start)
    }
    isFirst = false
    if let evidence = next.evidence { document.evidence = evidence }
    document.notNumberCount = next.notNumberCount
    if let forms = next.forms { document.format.dialect?.forms = forms }
    var place = 0
    while place < batch.items.count {
      let item = batch.items[place]
      guard Int(item.kind) == CATALOG_JSON_RECORD else {
        try take(item, offset, next.window.bytes)
        place += 1
        continue
      }
      let first = place
      while place < batch.items.count, Int(batch.items[place].kind) == CATALOG_JSON_RECORD {
        place += 1
      }
      let section = Int(item.section)
      guard let keys = next.keys[section] else {
        preconditionFailure("the keys of a section with records are known")
      }
      if survey.header == nil, !survey.covers(keys, section: section) { throw JSONRestart.types }
      try fillers[section]?.learnKeys(keys, at: offset + Int(item.offset))
      let records = JSONRowFiller.Records(
        items: batch.items[first..<place],
        batch: batch,
        window: next.window.bytes,
        windowOffset: offset
      )
      try fill(section, records)
    }
  }

  private mutating func begin(_ name: String, at offset: Int) throws(JSONDamage) {
    guard document.section(of: name) == nil else { throw .spelling(name, at: offset) }
    guard let entity = table.schema.entitiesByName[name] else {
      document.foreignKeys.insert(name)
      fillers.append(nil)
      places.append(nil)
      return
    }
    guard entity.name.isSpelled(like: name) else { throw .spelling(name, at: offset) }
    fillers.append(
      JSONRowFiller(
        entity,
        storeIdentifier: table.storeIdentifier,
        identifierKey: survey.header == nil ? nil : entity.identifierKey,
        links: JSONLinks(table.schema, storeIdentifier: table.storeIdentifier),
        generator: generator,
        isDelimited: pass.format.isSeparated
      )
    )
    places.append(document.sections.count)
    document.sections.append(
      JSONSection(entityName: name, start: offset, end: document.sizeBytes)
    )
  }

  private mutating func take(
    _ item: catalog_json_item,
    _ offset: Int,
    _ window: UnsafeRawBufferPointer
  ) throws {
    let place = offset + Int(item.offset)
    switch Int(item.kind) {
    case CATALOG_JSON_OBJECT_BEGIN:
      if case .json(.array) = document.format { document.format = .json(.object) }
      document.interior = place..<place
    case CATALOG_JSON_OBJECT_END: document.interior = (document.interior?.lowerBound ?? 0)..<place
    case CATALOG_JSON_SECTION_BEGIN:
      let name = item.name == nil ? survey.sections.first?.entityName ?? "" : item.text
      try begin(name, at: place)
    case CATALOG_JSON_SECTION_END:
      if let known = places[Int(item.section)] { document.sections[known].end = place }
      document.membersEnd = place + 1
    case CATALOG_JSON_MEMBER:
      document.membersEnd = place + Int(item.length)
      try checkMember(item.text, at: place)
      if item.text == JSONHeader.key {
        let range = Int(item.offset)..<Int(item.offset + item.length)
        if survey.header != nil {
          document.header = place..<(place + range.count)
          document.headerExtras = survey.header?.extras ?? JSONHeaderExtras()
        } else if try JSONHeader.read(window[range], at: place) != nil {
          throw JSONRestart.header
        }
      }
      document.foreignKeys.insert(item.text)
    default: break
    }
  }

  /// Rejects a member that has the name of an entity but does not contain records.
  private func checkMember(_ name: String, at offset: Int) throws(JSONDamage) {
    if document.section(of: name) != nil { throw .spelling(name, at: offset) }
    guard survey.header != nil, table.schema.entitiesByName[name] != nil else { return }
    throw JSONDamage(
      offset: offset,
      message: "expected an array of \(name) records"
    )
  }

  private mutating func fill(_ section: Int, _ records: JSONRowFiller.Records) throws {
    guard let place = places[section], let filler = fillers[section] else { return }
    let entity = document.sections[place].entityName
    var target = JSONSection(entityName: "", start: 0, end: 0)
    swap(&target, &document.sections[place])
    defer { swap(&target, &document.sections[place]) }
    let reservation =
      target.spans.isEmpty ? filler.reservation(for: records, sizeBytes: document.sizeBytes) : nil
    if let reservation {
      try checkMemory(for: reservation)
      target.spans.reserveCapacity(reservation.rowCount)
    }
    do {
      try table.withAppender(entity: entity, reserving: reservation?.rowCount ?? 0) { appender in
        reservation?.reserveTexts(in: &appender)
        try filler.put(records, to: &appender, &target)
      }
    } catch let error as JSONRowFiller.Duplicate {
      throw JSONDamage(
        offset: error.offset,
        message: "duplicate \(entity) record \(error.identifier)",
        earlier: table.row(of: error.identifier).map { target.range(ofRow: $0).lowerBound }
      )
    }
    target.foreignKeys = filler.foreignKeys
    target.bareCells = filler.bareCells
  }

  /// Rejects a large file that would exhaust the memory, before the system ends the process.
  private func checkMemory(for reservation: JSONRowFiller.Reservation) throws {
    guard reservation.byteCount > Self.uncheckedBytes,
      let available = pass.source.availableMemoryBytes
    else { return }
    guard reservation.byteCount > available else { return }
    throw JSONMemoryShortage(neededBytes: reservation.byteCount, availableBytes: available)
  }

  /// Rejects an object that contains nothing that could be records.
  mutating func finish() throws(JSONDamage) {
    if case .json(.object) = document.format, document.sections.isEmpty,
      let end = document.membersEnd
    {
      throw JSONDamage(
        offset: end - 1,
        message: "no records found: expected a key with an array of objects",
        code: .notAStore
      )
    }
  }
}
