import OpenSwiftData

/// The effect of a schema change on the text of a file.
struct JSONMigrationPlan {
  /// A remaining entity, and the changes to the text of its records.
  struct Entity {
    let name: String
    let patch: (_ row: Int) -> JSONRecordPatch
  }

  private(set) var entities: [Entity] = []
  /// How the columns of separated values change; nil if they stay.
  private(set) var columns: DelimitedColumnChange?
  /// The sections of dropped entities, with the range to cut out for each.
  private(set) var removedSections: [Int: Range<Int>] = [:]
  /// Entities that get an empty array.
  let sectionsToCreate: [String]
  /// True if the text does not change.
  var isEmpty: Bool {
    entities.isEmpty && columns == nil && removedSections.isEmpty && sectionsToCreate.isEmpty
  }

  /// The schema before the change.
  let former: Schema
  /// True if fields of separated values get other types, in the same columns.
  private(set) var converts = false

  /// Plans the changes of the text.
  ///
  /// - Throws: What the source throws; `.damaged` if the file has changed.
  init(_ change: TableChange.SchemaPart, _ document: JSONDocument, _ source: JSONSource) throws {
    former = change.former
    let replacement = change.replacement
    let table = change.changedRecords
    let isCatalog = document.format.isCatalog
    // In a file that is not a catalog, an entity gets its array with its first record.
    sectionsToCreate =
      isCatalog
      ? replacement.schema.entities.map(\.name).filter { replacement.origins[$0] == nil } : []
    var rewritesAll = false
    if let dialect = document.format.dialect {
      let entity = document.sections.first.flatMap {
        change.former.entitiesByName[$0.entityName]
      }
      let found = DelimitedColumnChange(dialect.columns, of: entity, replacement)
      let isSame = found.keepsRecords(dialect.columns.count) && found.columns == dialect.columns
      if !isSame { columns = found }
      rewritesAll = !found.keepsRecords(dialect.columns.count)
    }
    for old in change.former.entities {
      guard let section = document.section(of: old.name) else { continue }
      if let new = replacement.schema.entitiesByName[old.name],
        let origins = replacement.origins[old.name]
      {
        if let entity = Self.entity(old, new, origins, table, isCatalog: isCatalog) {
          entities.append(entity)
        } else if rewritesAll {
          entities.append(Entity(name: new.name) { _ in JSONRecordPatch() })
        }
      } else if !document.format.hasOneEntity {
        removedSections[section] = 0..<0
      }
    }
    converts = document.format.isSeparated && columns == nil && !entities.isEmpty
    try findRanges(document, source)
  }

  /// The changes to the records of an entity; nil if there are none.
  private static func entity(
    _ old: Schema.Entity,
    _ new: Schema.Entity,
    _ origins: [String: String],
    _ table: RecordTable,
    isCatalog: Bool
  ) -> Entity? {
    var patch = JSONRecordPatch()
    let heirs = Dictionary(origins.map { ($0.value, $0.key) }, uniquingKeysWith: { $1 })
    var rewritten: [Int] = []
    for field in old.fields {
      if let heir = heirs[field.name] {
        if heir != field.name { patch.renames.append((field.name, heir)) }
      } else if new.fieldsByName[field.name] == nil || origins[field.name] != nil {
        patch.removals.append(field.name)
      }
    }
    for (slot, field) in new.fields.enumerated() {
      let origin = origins[field.name].flatMap { old.fieldsByName[$0] }
      let hasOtherDefault = origin.map { $0.defaultValue != field.defaultValue } ?? false
      let takesMember = origin == nil && old.fieldsByName[field.name] != nil
      // A file that is not a catalog does not store defaults.
      let writesDefault = !isCatalog && origin == nil && !field.defaultValue.isNull
      // An absent member has the default, so records that rely on the old default need it written
      // out.
      if hasOtherDefault || writesDefault || (takesMember && heirs[field.name] == nil) {
        rewritten.append(slot)
      }
    }
    if isCatalog, old.identifierKey != new.identifierKey {
      patch.renames.append((old.identifierKey, new.identifierKey))
    }
    if rewritten.isEmpty, patch.renames.isEmpty, patch.removals.isEmpty { return nil }
    return Entity(name: new.name) { [patch] row in
      var patch = patch
      for slot in rewritten {
        let value = table.value(entity: new.name, row: row, slot: slot)
        patch.set(new.fields[slot], value, isCatalog: isCatalog)
      }
      return patch
    }
  }

  /// Finds the range to cut out: a member of the document and one adjacent comma.
  private mutating func findRanges(_ document: JSONDocument, _ source: JSONSource) throws {
    let places = removedSections.keys.sorted {
      document.sections[$0].start < document.sections[$1].start
    }
    var end = 0
    for place in places {
      let section = document.sections[place]
      let head = try JSONMemberHead(endingAt: section.start, source)
      let tail = try source.bytes(
        in: (section.end + 1)..<min(source.sizeBytes, section.end + 1 + JSONMemberHead.window)
      )
      if let comma = head.comma, comma >= end {
        removedSections[place] = comma..<(section.end + 1)
      } else {
        let space = tail.prefix { $0 <= 0x20 }.count
        guard tail.dropFirst(space).first == UInt8(ascii: ",") else {
          throw JSONMemberHead.unexpected
        }
        let next = tail.dropFirst(space + 1).prefix { $0 <= 0x20 }.count
        removedSections[place] = head.key..<(section.end + 1 + space + 1 + next)
      }
      end = removedSections[place]?.upperBound ?? end
    }
  }
}

/// The offset of the document member whose array opens at a known offset.
private struct JSONMemberHead {
  /// Names and the whitespace around them are shorter than this.
  static let window = 1 << 16
  static let unexpected = PersistenceError(
    .damaged,
    "the file has changed since it was read; reopen it"
  )

  /// The opening quote of the key.
  let key: Int
  /// The offset of the comma before it; nil for the first member.
  let comma: Int?

  /// Searches backward from just after the opening bracket.
  ///
  /// - Throws: What the source throws; `.damaged` if no key is found.
  init(endingAt start: Int, _ source: JSONSource) throws {
    let low = max(0, start - Self.window)
    let bytes = try source.bytes(in: low..<start)
    var place = bytes.count - 1
    func skipSpace() {
      while place >= 0, bytes[place] <= 0x20 { place -= 1 }
    }
    func take(_ character: Character) throws {
      guard place >= 0, bytes[place] == character.asciiValue else { throw Self.unexpected }
      place -= 1
    }
    try take("[")
    skipSpace()
    try take(":")
    skipSpace()
    try take("\"")
    while place >= 0, bytes[place] != UInt8(ascii: "\"") || Self.isEscaped(place, bytes) {
      place -= 1
    }
    guard place > 0 else { throw Self.unexpected }
    key = low + place
    place -= 1
    skipSpace()
    comma = place >= 0 && bytes[place] == UInt8(ascii: ",") ? low + place : nil
  }

  private static func isEscaped(_ place: Int, _ bytes: [UInt8]) -> Bool {
    bytes[..<place].reversed().prefix { $0 == UInt8(ascii: "\\") }.count % 2 == 1
  }
}
