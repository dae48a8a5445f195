import CSimdjson
import Foundation
import OpenSwiftData

/// Appends the records of one array to the table of their entity, without a value for each cell.
///
/// A class, because a struct of this size would be copied for every cell; one loader owns it.
final class JSONRowFiller {
  /// How a member is stored.
  struct Member {
    /// The field that it fills; negative for none.
    var slot = -1
    var kind = ValueKind.json
    var isIdentifier = false
    /// True if null is the JSON value null: a catalog omits missing values.
    var isNullValue = false
  }

  let entity: Schema.Entity
  let identifierKey: String?
  /// True for separated values, whose texts can spell everything.
  let isDelimited: Bool
  private let scope: IdentifierScope
  private let destinations: [IdentifierScope?]
  private let links: JSONLinks
  let requiredSlots: [Int]
  let defaultedSlots: [Int]
  /// For each field, whether null is the JSON value null.
  let isNullValue: [Bool]
  /// How each member is stored, by the parser's number of its key.
  private(set) var members: [Member] = []
  /// For each slot the number of the last record with a value in it.
  private var lastRecord: [Int]
  var recordCount = 0
  private(set) var foreignKeys: Set<String> = []
  /// For each text field, by name, the rows with a number or a boolean instead of a string.
  private(set) var bareCells: [String: Set<Int32>] = [:]
  /// Every key found; canonically equivalent spellings are equal.
  private var keys: Set<String> = []
  /// Creates identifiers for records that have none.
  private var generator: RecordKeyGenerator

  /// Prepares for the records of an entity.
  ///
  /// `identifierKey` is the member with the identifiers; nil if records are numbered.
  init(
    _ entity: Schema.Entity,
    storeIdentifier: String,
    identifierKey: String?,
    links: JSONLinks,
    generator: RecordKeyGenerator,
    isDelimited: Bool = false
  ) {
    self.entity = entity
    self.isDelimited = isDelimited
    self.identifierKey = identifierKey
    self.links = links
    self.generator = generator
    scope = IdentifierScope(store: storeIdentifier, entity: entity.name)
    destinations = entity.fields.map { attribute in
      attribute.type.destination.map { IdentifierScope(store: storeIdentifier, entity: $0) }
    }
    let isTyped = identifierKey != nil
    requiredSlots = entity.fields.indices.filter {
      isTyped && !entity.fields[$0].isOptional
    }
    defaultedSlots = entity.fields.indices.filter {
      isTyped && !entity.fields[$0].defaultValue.isNull
    }
    // If a value is required, null can only be the JSON value.
    isNullValue = entity.fields.map {
      isTyped && $0.type == .json && ($0.defaultValue.isNull || !$0.isOptional)
    }
    lastRecord = [Int](repeating: -1, count: entity.fields.count)
  }

  /// Adds the keys found since the last call, in records from the given offset of the file on.
  ///
  /// - Throws: `JSONDamage` for a key that equals another one in a different Unicode normalization
  ///   form: it would be ambiguous which of them a field refers to.
  func learnKeys(_ found: JSONKeyedWindow.Keys, at offset: Int) throws(JSONDamage) {
    guard members.count < found.facts.count else { return }
    for name in found.newNames.suffix(found.facts.count - members.count) {
      guard keys.insert(name).inserted else { throw .spelling(name, at: offset) }
      if let slot = entity.layout.slot(of: name) {
        let attribute = entity.fields[slot]
        guard attribute.name.isSpelled(like: name) else { throw .spelling(name, at: offset) }
        members.append(
          Member(slot: slot, kind: attribute.type.kind, isNullValue: isNullValue[slot])
        )
      } else if name == identifierKey {
        members.append(Member(isIdentifier: true))
      } else {
        members.append(Member())
        foreignKeys.insert(name)
      }
    }
  }
}

extension JSONRowFiller {
  /// The cells of a record, with the window that contains them.
  struct Cells {
    let cells: UnsafeBufferPointer<catalog_json_cell>
    let window: UnsafeRawBufferPointer
    let windowOffset: Int
    /// The offset of the record in the file.
    let offset: Int
    /// The bytes of the record.
    let length: Int
  }

  /// Appends one record.
  ///
  /// - Returns: Its row, and whether the file gave it an identifier.
  /// - Throws: `JSONDamage`, or `DuplicateKey` before anything is appended.
  func put(_ record: Cells, to appender: inout RowAppender) throws -> (
    row: Int, hasIdentifier: Bool
  ) {
    let (identifier, hasIdentifier) = try key(of: record)
    let row = try appender.beginRow(key: identifier)
    let members = members
    let isTracking = !requiredSlots.isEmpty || !defaultedSlots.isEmpty
    for cell in record.cells {
      let member = members[Int(cell.key)]
      guard member.slot >= 0 else { continue }
      if isTracking { lastRecord[member.slot] = recordCount }
      if Int(cell.kind) == CATALOG_JSON_NULL, !member.isNullValue { continue }
      if isMissing(cell, member) { continue }
      guard append(cell, of: record, member.kind, member.slot, to: &appender) else {
        throw mismatch(cell, of: record, member.slot)
      }
      if member.kind == .text, Int(cell.kind) != CATALOG_JSON_TEXT, !isDelimited {
        bareCells[entity.fields[member.slot].name, default: []].insert(Int32(row))
      }
    }
    if isTracking { try complete(record, &appender) }
    appender.endRow()
    recordCount += 1
    return (row, hasIdentifier)
  }

  /// True for an empty text in a column of another type: with quotes around all values, it is a missing one.
  @inline(__always)
  func isMissing(_ cell: catalog_json_cell, _ member: Member) -> Bool {
    isDelimited && cell.count == 0 && member.kind != .text
  }

  /// The identifier for the next record, and whether the file gave it.
  @inline(__always)
  func key(of record: Cells) throws(JSONDamage) -> (PersistentIdentifier, isGiven: Bool) {
    if identifierKey == nil { return (scope.identifier(number: recordCount + 1), true) }
    if let given = try identifier(in: record) { return (given, true) }
    return (scope.identifier(key: generator.next()), false)
  }

  /// Gives absent members their defaults and checks that required ones have a value.
  private func complete(_ record: Cells, _ appender: inout RowAppender) throws(JSONDamage) {
    for slot in defaultedSlots where lastRecord[slot] != recordCount {
      appender.append(entity.fields[slot].defaultValue, slot: slot)
    }
    for slot in requiredSlots {
      let attribute = entity.fields[slot]
      let isAbsent = lastRecord[slot] != recordCount
      let isNull = record.cells.contains {
        members[Int($0.key)].slot == slot && Int($0.kind) == CATALOG_JSON_NULL
          && !members[Int($0.key)].isNullValue
      }
      guard isNull || (isAbsent && attribute.defaultValue.isNull) else { continue }
      throw JSONDamage(
        offset: record.offset,
        message: "\(entity.name).\(attribute.name): a value is required"
      )
    }
  }

  private func identifier(in record: Cells) throws(JSONDamage) -> PersistentIdentifier? {
    guard identifierKey != nil,
      let cell = record.cells.first(where: { members[Int($0.key)].isIdentifier })
    else { return nil }
    switch Int(cell.kind) {
    case CATALOG_JSON_TEXT where cell.count > 0: return scope.identifier(utf8: cell.content)
    case CATALOG_JSON_INTEGER: return scope.identifier(number: Int(cell.word))
    default:
      throw JSONDamage(
        offset: record.windowOffset + Int(cell.offset),
        message: "expected the identifier of \(entity.name)"
      )
    }
  }

  private func mismatch(_ cell: catalog_json_cell, of record: Cells, _ slot: Int) -> JSONDamage {
    let attribute = entity.fields[slot]
    let written = Value.shortened(String(decoding: cell.written(in: record.window), as: UTF8.self))
    return JSONDamage(
      offset: record.windowOffset + Int(cell.offset),
      message: "\(entity.name).\(attribute.name): \(written) is not a valid "
        + attribute.type.description
    )
  }

  /// Appends one cell; false if its value does not match the field.
  @inline(__always)
  private func append(
    _ cell: catalog_json_cell,
    of record: Cells,
    _ valueKind: ValueKind,
    _ slot: Int,
    to appender: inout RowAppender
  ) -> Bool {
    let kind = Int(cell.kind)
    switch valueKind {
    case .text:
      // Without identifiers in the file, a text field may also contain numbers and booleans.
      guard kind == CATALOG_JSON_TEXT || (identifierKey == nil && kind != CATALOG_JSON_NESTED)
      else { return false }
      appender.append(utf8: cell.content, slot: slot)
    case .integer:
      guard kind == CATALOG_JSON_INTEGER else { return false }
      appender.append(integer: cell.word, slot: slot)
    case .number:
      guard let number = double(of: cell) else { return false }
      appender.append(number: number, slot: slot)
    case .decimal:
      guard cell.isNumber, let decimal = cell.decimal else { return false }
      appender.append(decimal: decimal, slot: slot)
    case .boolean:
      guard kind == CATALOG_JSON_TRUE || kind == CATALOG_JSON_FALSE else { return false }
      appender.append(boolean: kind == CATALOG_JSON_TRUE, slot: slot)
    case .date:
      guard cell.has(CATALOG_JSON_IS_DATE) else { return false }
      appender.append(date: CalendarDate(daysSince1970: Int32(cell.word)), slot: slot)
    case .datetime:
      guard kind == CATALOG_JSON_TEXT, let seconds = cell.secondsSinceReferenceDate else {
        return false
      }
      appender.append(number: seconds, slot: slot)
    case .json:
      appender.append(
        utf8: kind == CATALOG_JSON_NESTED ? cell.content : cell.written(in: record.window),
        slot: slot
      )
    default:
      guard let value = value(cell, valueKind, slot) else { return false }
      appender.append(value, slot: slot)
    }
    return true
  }

  /// A number that a double holds without loss, or a catalog's text for infinity or NaN.
  @inline(__always)
  private func double(of cell: catalog_json_cell) -> Double? {
    if cell.isNumber { return cell.has(CATALOG_JSON_IS_DOUBLE) ? cell.real : nil }
    guard Int(cell.kind) == CATALOG_JSON_TEXT, identifierKey != nil, cell.count <= 9 else {
      return nil
    }
    return Value.infiniteNumber(String(decoding: cell.content, as: UTF8.self))
  }

  private func value(_ cell: catalog_json_cell, _ kind: ValueKind, _ slot: Int) -> Value? {
    let isText = Int(cell.kind) == CATALOG_JSON_TEXT
    guard let scope = destinations[slot] else {
      guard isText else { return nil }
      let text = String(decoding: cell.content, as: UTF8.self)
      // Any parse error is reported as a value that does not match the field.
      return try? Value(parsing: text, as: entity.fields[slot].type)
    }
    if kind == .link {
      guard isText, cell.count > 0 else { return nil }
      return .link(links.identifier(utf8: cell.content, in: scope))
    }
    // A list of references must be an array of texts.
    let keys = try? JSONDecoder().decode([String].self, from: Data(cell.content))
    guard Int(cell.kind) == CATALOG_JSON_NESTED, let keys, !keys.contains("") else { return nil }
    return .links(
      keys.map { key in
        var key = key
        return key.withUTF8 { links.identifier(utf8: $0, in: scope) }
      }
    )
  }
}
