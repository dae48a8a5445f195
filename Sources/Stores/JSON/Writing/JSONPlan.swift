import OpenSwiftData

/// The effect of a save on the file: the ranges to rewrite, in order, and the new records.
struct JSONPlan {
  private(set) var edits: [JSONEdit] = []
  /// The new records of each section of the document.
  private(set) var insertions: [Int: [DefaultSnapshot]] = [:]
  /// The tables whose records are the content of a section.
  private(set) var copies: [Int: EntityTable] = [:]
  /// The new records of entities that have no section yet, in the order of the schema.
  private(set) var newSections: [(entity: String, records: [DefaultSnapshot])] = []
  /// The rows to delete, by section.
  private(set) var deletions: [Int: Set<Int32>] = [:]
  /// True if the texts of deleted records have the fields that records have.
  let remembersDeleted: Bool
  /// The sections to remove, with the range to cut out for each.
  let removedSections: [Int: Range<Int>]
  /// True if the save converts fields to other types in the same columns of separated values.
  let converts: Bool
  /// How the columns of separated values change; nil if they stay.
  private(set) var columns: DelimitedColumnChange?
  private var patches: [Int: [Int: JSONRecordPatch]] = [:]
  let document: JSONDocument
  /// The format after the save.
  private(set) var format: TextFormat
  let table: RecordTable
  /// The schema before the save.
  let former: Schema
  private let memory: TextMemory

  /// Plans against the table as it is before the changes.
  ///
  /// `migration` is the effect of a schema change on the text; the table then already has the new
  /// schema. Changed records with values that they had before get back their former texts.
  ///
  /// - Throws: `PersistenceError` with code `.unknownRecord`.
  init(
    _ changes: ChangeSet,
    _ document: JSONDocument,
    _ table: RecordTable,
    header: [UInt8]? = nil,
    migration: JSONMigrationPlan? = nil,
    restoring memory: TextMemory = TextMemory()
  ) throws {
    self.document = document
    self.table = table
    self.memory = memory
    former = migration?.former ?? table.schema
    removedSections = migration?.removedSections ?? [:]
    columns = migration?.columns
    converts = migration?.converts ?? false
    format = document.format
    if let columns { format.dialect = format.dialect?.changed(by: columns) }
    remembersDeleted = migration == nil || format.isSeparated
    var meter = WorkMeter()
    for snapshot in changes.deleted {
      try meter.count(Self.unitsOfPatch)
      let (section, row) = try place(of: snapshot.persistentIdentifier)
      deletions[section, default: []].insert(Int32(row))
    }
    for entity in migration?.entities ?? [] { try patchAll(entity.name, entity.patch) }
    for range in removedSections.values { edits.append(JSONEdit(range: range, kind: .text([]))) }
    addIdentifiers()
    let counter = WorkCounter("planning", of: changes.updated.count)
    let isRemembered =
      converts || migration == nil && changes.updated.count <= TextMemory.limitOfUpdates
    for update in changes.updated {
      try plan(update, isRemembered)
      try counter.add()
    }
    try plan(changes.inserted, migration?.sectionsToCreate ?? [])
    if let header, let range = document.header {
      edits.append(JSONEdit(range: range, kind: .text(header)))
    }
    for (section, rows) in patches {
      for row in rows.keys where deletions[section]?.contains(Int32(row)) != true {
        try meter.count()
        let range = document.sections[section].range(ofRow: row)
        edits.append(JSONEdit(range: range, kind: .patch(section: section, row: row)))
      }
    }
    for section in document.sections.indices { planRemovals(section) }
    planNewSections()
    // Edits never begin at the same offset, except that empty ones may; they sort first.
    try edits.sort {
      try meter.count()
      return ($0.range.lowerBound, $0.range.upperBound, $0.rank)
        < ($1.range.lowerBound, $1.range.upperBound, $1.rank)
    }
    checkInvariants()
  }

  /// The number of new records.
  var insertionCount: Int {
    insertions.values.reduce(0) { $0 + $1.count } + newSections.reduce(0) { $0 + $1.records.count }
  }

  /// Plans a new document with the records of a table.
  init(copying records: RecordTable, _ document: JSONDocument) {
    self.document = document
    table = records
    former = records.schema
    memory = TextMemory()
    format = document.format
    remembersDeleted = false
    removedSections = [:]
    converts = false
    for (place, section) in document.sections.enumerated() {
      guard let rows = records.table(of: section.entityName), rows.liveCount > 0 else { continue }
      copies[place] = rows
      edits.append(JSONEdit(range: section.start..<section.end, kind: .content(section: place)))
    }
    checkInvariants()
  }

  /// The work on one patch in the units of a meter.
  private static let unitsOfPatch = 4

  private func place(of identifier: PersistentIdentifier) throws -> (Int, Int) {
    guard let section = document.section(of: identifier.entityName),
      let row = table.row(of: identifier)
    else {
      throw PersistenceError(.unknownRecord, "record \(identifier) not found")
    }
    return (section, row)
  }

  private mutating func patchAll(_ entity: String, _ patch: (Int) -> JSONRecordPatch) throws {
    guard let section = document.section(of: entity) else { return }
    var meter = WorkMeter()
    for row in document.sections[section].rowsInFileOrder() {
      try meter.count(Self.unitsOfPatch)
      patches[section, default: [:]][Int(row)] = patch(Int(row))
    }
  }

  /// The section of an entity, unless it is removed.
  private func section(of entity: String) -> Int? {
    document.section(of: entity).flatMap { removedSections[$0] == nil ? $0 : nil }
  }

  private mutating func addIdentifiers() {
    for (place, section) in document.sections.enumerated() where removedSections[place] == nil {
      for row in section.rowsWithoutIdentifier {
        let identifier = table.identifier(entity: section.entityName, row: Int(row))
        let key = table.schema.entitiesByName[section.entityName]?.identifierKey ?? "id"
        patches[place, default: [:]][Int(row), default: JSONRecordPatch()].identifier =
          (key, identifier.description)
      }
    }
  }

  /// Plans the change of a record.
  private mutating func plan(_ update: RecordUpdate, _ isRemembered: Bool) throws {
    let (section, row) = try place(of: update.persistentIdentifier)
    let entity = try table.schema.entity(named: update.persistentIdentifier.entityName)
    var patch = patches[section]?[row] ?? JSONRecordPatch()
    for slot in update.changedSlots {
      let attribute = entity.fields[slot]
      if patch.values.contains(where: { $0.name == attribute.name }) { continue }
      let value = update.after.orderedValues[slot]
      patch.set(
        attribute,
        document.sections[section].isBare(attribute.name, row) ? value.bare : value,
        isCatalog: format.isCatalog
      )
    }
    patch.isRemembered = isRemembered
    patches[section, default: [:]][row] = patch
  }

  /// The patch of a record, with a former text of it that has all its values, or else the former spellings of new values.
  func patch(_ place: Int, _ row: Int) -> JSONRecordPatch {
    var patch = patches[place]?[row] ?? JSONRecordPatch()
    let section = document.sections[place]
    guard !memory.isEmpty, patch.isRemembered || columns != nil,
      let entity = table.schema.entitiesByName[section.entityName]
    else { return patch }
    let former = formerRecords(table.identifier(entity: entity.name, row: row), of: entity)
    if former.isEmpty { return patch }
    let values = entity.fields.enumerated().map { slot, field in
      let present = table.value(entity: entity.name, row: row, slot: slot)
      return patch.value(of: field.name)
        ?? (section.isBare(field.name, row) ? present.bare : present)
    }
    patch.text = former.first { $0.has(values) }?.bytes
    if patch.text == nil { patch.takeSpellings(of: entity, from: former, format) }
    return patch
  }

  /// The former texts of a record that have its fields, the newest one first.
  func formerRecords(_ record: PersistentIdentifier, of entity: Schema.Entity) -> [FormerRecord] {
    if memory.isEmpty { return [] }
    let names = entity.layout.names
    return memory.texts(of: record).compactMap { text in
      let hasFields =
        format.dialect.map { text.fields == $0.columns }
        ?? (text.fields == names || Set(text.fields) == Set(names))
      return hasFields ? FormerRecord(text, of: entity, format) : nil
    }
  }

  private mutating func plan(_ inserted: [DefaultSnapshot], _ sectionsToCreate: [String]) throws {
    var byEntity: [String: [DefaultSnapshot]] = [:]
    var meter = WorkMeter()
    for snapshot in inserted {
      try meter.count()
      byEntity[snapshot.persistentIdentifier.entityName, default: []].append(snapshot)
    }
    for entity in table.schema.entities {
      let records = byEntity[entity.name] ?? []
      if let section = section(of: entity.name) {
        guard !records.isEmpty else { continue }
        insertions[section] = try records.map { record in
          try meter.count()
          return withBareCells(record, section)
        }
      } else if !records.isEmpty || sectionsToCreate.contains(entity.name) {
        newSections.append((entity.name, records))
      }
    }
  }

  /// A restored record gets back its bare numbers and booleans in text fields.
  private func withBareCells(_ record: DefaultSnapshot, _ section: Int) -> DefaultSnapshot {
    let section = document.sections[section]
    guard !section.bareCells.isEmpty,
      let row = table.formerRow(of: record.persistentIdentifier)
    else { return record }
    return DefaultSnapshot(
      persistentIdentifier: record.persistentIdentifier,
      layout: record.layout,
      orderedValues: zip(record.layout.names, record.orderedValues).map { name, value in
        section.isBare(name, row) ? value.bare : value
      }
    )
  }

  /// Removes records together with one separator each, and finds the position for new ones.
  private mutating func planRemovals(_ place: Int) {
    let section = document.sections[place]
    let deleted = deletions[place] ?? []
    let hasInsertions = insertions[place] != nil
    guard !deleted.isEmpty || hasInsertions else { return }
    let rows = section.rowsInFileOrder()
    guard deleted.count < rows.count else {
      edits.append(JSONEdit(range: section.start..<section.end, kind: .content(section: place)))
      return
    }
    var previousEnd: Int?
    var group: Range<Int>?
    for row in rows where !deleted.isEmpty {
      let range = section.range(ofRow: Int(row))
      if deleted.contains(row) {
        if let removed = group, hasEmptyLine(removed.upperBound..<range.lowerBound) {
          removeLines(removed, to: range.lowerBound)
          (previousEnd, group) = (removed.upperBound, nil)
        }
        group = (group?.lowerBound ?? range.lowerBound)..<range.upperBound
        continue
      }
      if let removed = group {
        remove(removed, from: previousEnd, to: range.lowerBound)
        group = nil
      }
      previousEnd = range.upperBound
    }
    if let removed = group, let previousEnd { remove(removed, from: previousEnd, to: nil) }
    if hasInsertions { planInsertions(place, rows, deleted) }
  }

  /// Removes records of a section with one separator: the one before them, or that after the first ones.
  ///
  /// - Parameters:
  ///   - removed: Where they are.
  ///   - previousEnd: The end of the record before them; nil if there is none.
  ///   - next: The beginning of the record after them; nil if there is none.
  private mutating func remove(_ removed: Range<Int>, from previousEnd: Int?, to next: Int?) {
    let before = previousEnd.map { $0..<removed.lowerBound }
    let isApart = hasEmptyLine(before ?? removed.upperBound..<(next ?? removed.upperBound))
    if isApart { return removeLines(removed, to: next) }
    let end = previousEnd == nil ? next ?? removed.upperBound : removed.upperBound
    remove((previousEnd ?? removed.lowerBound)..<end)
  }

  /// Removes the lines of separated values; empty lines around them stay.
  private mutating func removeLines(_ removed: Range<Int>, to next: Int?) {
    let end = removed.upperBound + (document.format.dialect?.lineEnd.count ?? 0)
    // A line of a mixed file can have a shorter end.
    remove(removed.lowerBound..<min(end, next ?? document.sizeBytes))
  }

  /// True if there is more than the end of a line between two records of separated values.
  private func hasEmptyLine(_ gap: Range<Int>) -> Bool {
    document.format.dialect.map { gap.count > $0.lineEnd.count } ?? false
  }

  /// Finds the places of new records: restored ones return to theirs, others follow the last record.
  ///
  /// - Complexity: O(n) in the number of records if there are restored ones.
  private mutating func planInsertions(_ place: Int, _ rows: [Int32], _ deleted: Set<Int32>) {
    let section = document.sections[place]
    guard let last = rows.last(where: { !deleted.contains($0) }) else { return }
    let places = JSONNewPlaces(
      insertions[place] ?? [],
      in: table.table(of: section.entityName),
      last: Int(last),
      isKept: { section.isWritten($0) && !deleted.contains(Int32($0)) }
    )
    for (row, records) in places.following {
      add(records, section.range(ofRow: row).upperBound, place, isFirst: false)
    }
    if let (row, records) = places.first {
      add(records, section.range(ofRow: row).lowerBound, place, isFirst: true)
    }
  }

  private mutating func add(
    _ records: [Int],
    _ offset: Int,
    _ section: Int,
    isFirst: Bool
  ) {
    let insertion = JSONInsertion(
      section: section,
      records: records,
      isFirst: isFirst
    )
    edits.append(JSONEdit(range: offset..<offset, kind: .insertion(insertion)))
  }

  private mutating func remove(_ range: Range<Int>) {
    edits.append(JSONEdit(range: range, kind: .text([])))
  }

  private mutating func planNewSections() {
    guard !newSections.isEmpty, let interior = document.interior else { return }
    let range = document.membersEnd.map { $0..<$0 } ?? interior
    edits.append(JSONEdit(range: range, kind: .newSections))
  }

  /// Invariant: edits do not overlap and lie within the file.
  private func checkInvariants() {
    assert(
      zip(edits, edits.dropFirst()).allSatisfy { $0.range.upperBound <= $1.range.lowerBound },
      "edits do not overlap"
    )
    assert(edits.last.map { $0.range.upperBound <= document.sizeBytes } ?? true)
  }
}
