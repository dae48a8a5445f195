/// A field, described by the parts of its definition.
struct LockstepField: Hashable {
  /// The effect of deleting a record on the records that refer to it.
  enum Rule: String { case nullify, cascade, deny }

  var name: String
  /// Nil for links and for fields whose type import has inferred.
  var type: LockstepType?
  /// The destination entity of links.
  var destination: String?
  var isMany = false
  var rule = Rule.nullify
  var isRequired = false
  var defaultValue: LockstepJSON?
  /// The store inferred the type, and may have chosen another one.
  var isInferred = false

  /// The definition for `entity create` and `field add`.
  var definition: String {
    var text = LockstepLine.quoted(name) + ":"
    if let destination {
      text += (isMany ? "links:" : "link:") + destination
      if rule != .nullify { text += ":\(rule.rawValue)" }
    } else {
      text += type?.rawValue ?? "text"
    }
    if isRequired { text += "!" }
    if let defaultValue, let type {
      text += "=" + LockstepLine.quoted(LockstepLine.typed(defaultValue, type))
    }
    return text
  }
}

/// A record of the model: its tag identifies it in all stores.
struct LockstepRecord: Hashable {
  let tag: Int
  var cells: [String: LockstepCell]

  subscript(name: String) -> LockstepCell { cells[name]?.normalized ?? .missing }
}

struct LockstepEntity: Hashable {
  var name: String
  /// The fields in addition to the tag, which is the first field of every entity.
  var fields: [LockstepField]
  var records: [LockstepRecord] = []
}

extension LockstepEntity {
  /// True if a text has the character that tab-separated values cannot hold.
  var hasNulCharacters: Bool {
    records.contains { record in
      record.cells.values.contains { cell in
        guard case .value(let value) = cell else { return false }
        return value.string?.unicodeScalars.contains("\0") ?? false
      }
    }
  }

  /// Converts numbers and booleans to text in mixed columns, as import does for fields that it
  /// infers.
  ///
  /// A mixed column also has a text, but neither arrays nor objects.
  mutating func makeMixedColumnsText() {
    for field in fields {
      let values = records.map { $0[field.name] }
      let isMixed = values.contains { if case .value(.text) = $0 { true } else { false } }
      let isNested = values.contains {
        switch $0 {
        case .value(.array), .value(.object): true
        default: false
        }
      }
      guard isMixed, !isNested else { continue }
      for row in records.indices {
        guard case .value(.literal(let digits)) = records[row][field.name] else { continue }
        records[row].cells[field.name] = .value(.string(digits))
      }
    }
  }
}

/// A condition in a script, simple enough to be evaluated reliably.
enum LockstepCondition: Hashable {
  case tag(Int)
  case tagsBelow(Int)
  case isMissing(String)
  case isPresent(String)
  case equals(String, LockstepType, LockstepJSON)

  func holds(for record: LockstepRecord) -> Bool {
    switch self {
    case .tag(let tag): record.tag == tag
    case .tagsBelow(let limit): record.tag < limit
    case .isMissing(let name): record[name] == .missing
    case .isPresent(let name): record[name] != .missing
    case .equals(let name, _, let value): record[name] == .value(value)
    }
  }
}

/// The semantics of the script language on plain dictionaries, independent of the code under test.
struct LockstepModel: Hashable {
  var entities: [LockstepEntity] = []

  subscript(name: String) -> LockstepEntity? { entities.first { $0.name == name } }

  /// Runs the body on an entity that exists.
  private mutating func with(_ name: String, _ body: (inout LockstepEntity) -> Void) {
    for place in entities.indices where entities[place].name == name { body(&entities[place]) }
  }

  func records(of name: String, where condition: LockstepCondition) -> [Int] {
    (self[name]?.records ?? []).filter(condition.holds).map(\.tag)
  }

  mutating func insert(_ name: String, _ tag: Int, _ cells: [String: LockstepCell]) {
    with(name) { entity in
      var all: [String: LockstepCell] = [:]
      for field in entity.fields {
        if let value = field.defaultValue { all[field.name] = .value(value) }
      }
      entity.records.append(LockstepRecord(tag: tag, cells: all.merging(cells) { $1 }))
    }
  }

  mutating func set(_ name: String, _ tags: [Int], _ cells: [String: LockstepCell]) {
    with(name) { entity in
      for place in entity.records.indices where tags.contains(entity.records[place].tag) {
        entity.records[place].cells.merge(cells) { $1 }
      }
    }
  }

  /// Deletes records with cascades; returns false, without a change, if a rule denies it.
  mutating func delete(_ name: String, _ tags: [Int]) -> Bool {
    var going: [String: Set<Int>] = [name: Set(tags)]
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for (entity, record, field) in references(to: going) where field.rule == .cascade {
        if going[entity, default: []].insert(record).inserted { isGrowing = true }
      }
    }
    for (entity, record, field) in references(to: going)
    where field.rule == .deny && !going[entity, default: []].contains(record) { return false }
    for place in entities.indices {
      let gone = going[entities[place].name] ?? []
      entities[place].records.removeAll { gone.contains($0.tag) }
      for field in entities[place].fields {
        guard let lost = field.destination.flatMap({ going[$0] }) else { continue }
        for row in entities[place].records.indices {
          guard case .links(let links) = entities[place].records[row][field.name] else { continue }
          entities[place].records[row].cells[field.name] = .links(
            links.filter { !lost.contains($0) }
          )
        }
      }
    }
    return true
  }

  /// The fields that refer to any of the records.
  private func references(to going: [String: Set<Int>]) -> [(String, Int, LockstepField)] {
    entities.flatMap { entity in
      entity.records.flatMap { record in
        entity.fields.compactMap { field -> (String, Int, LockstepField)? in
          guard case .links(let links) = record[field.name],
            let gone = field.destination.flatMap({ going[$0] }), !gone.isDisjoint(with: links)
          else { return nil }
          return (entity.name, record.tag, field)
        }
      }
    }
  }

  // MARK: The schema

  mutating func create(_ entity: LockstepEntity) { entities.append(entity) }

  mutating func add(_ field: LockstepField, to name: String) {
    with(name) { entity in
      entity.fields.append(field)
      for place in entity.records.indices {
        let value: LockstepCell = field.defaultValue.map { LockstepCell.value($0) } ?? .missing
        entity.records[place].cells[field.name] = value
      }
    }
  }

  mutating func rename(_ field: String, to new: String, in name: String) {
    with(name) { entity in
      for place in entity.fields.indices where entity.fields[place].name == field {
        entity.fields[place].name = new
      }
      for place in entity.records.indices {
        entity.records[place].cells[new] = entity.records[place].cells.removeValue(forKey: field)
      }
    }
  }

  mutating func drop(_ field: String, from name: String) {
    with(name) { entity in
      entity.fields.removeAll { $0.name == field }
      for place in entity.records.indices { entity.records[place].cells[field] = nil }
    }
  }

  // MARK: Saving

  /// True if every required field has a value.
  var isComplete: Bool {
    entities.allSatisfy { entity in
      entity.fields.filter(\.isRequired).allSatisfy { field in
        entity.records.allSatisfy { $0[field.name] != .missing }
      }
    }
  }

  /// The entities and their fields, apart from the records.
  var shape: [String: [LockstepField]] {
    Dictionary(entities.map { ($0.name, $0.fields) }) { first, _ in first }
  }

  /// The output of a save over the given stored state.
  func saveLine(over saved: LockstepModel) -> String {
    let counts = changes(since: saved)
    return
      "saved: \(counts.inserted) inserted, \(counts.updated) updated, \(counts.deleted) deleted"
  }

  /// The numbers of records that differ from another state.
  func changes(since saved: LockstepModel) -> (inserted: Int, updated: Int, deleted: Int) {
    var (inserted, updated, deleted) = (0, 0, 0)
    for entity in entities {
      var before: [Int: LockstepRecord] = [:]
      for record in saved[entity.name]?.records ?? [] { before[record.tag] = record }
      for record in entity.records {
        guard let former = before[record.tag] else {
          inserted += 1
          continue
        }
        if entity.fields.contains(where: { former[$0.name] != record[$0.name] }) { updated += 1 }
      }
      deleted += before.keys.filter { tag in !entity.records.contains { $0.tag == tag } }.count
    }
    return (inserted, updated, deleted)
  }

  func equals(_ other: LockstepModel) -> Bool { normalized == other.normalized }

  /// Without the places of records and the difference between no links and no value.
  private var normalized: [String: [Int: [String: LockstepCell]]] {
    Dictionary(
      entities.map { entity -> (String, [Int: [String: LockstepCell]]) in
        var records: [Int: [String: LockstepCell]] = [:]
        for record in entity.records {
          var cells: [String: LockstepCell] = [:]
          for field in entity.fields { cells[field.name] = record[field.name] }
          records[record.tag] = cells
        }
        return (entity.name, records)
      }
    ) { first, _ in first }
  }
}

/// Formats script lines, independently of the program's own quoting.
enum LockstepLine {
  /// A word in double quotes.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 0x20: result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// A value as typed after `FIELD=`.
  static func typed(_ value: LockstepJSON, _ type: LockstepType) -> String {
    type == .json ? value.written : value.string ?? value.written
  }

  /// A condition, with the field in backticks.
  static func text(_ condition: LockstepCondition) -> String {
    switch condition {
    case .tag(let tag): "tag = \(tag)"
    case .tagsBelow(let limit): "tag < \(limit)"
    case .isMissing(let name): "`\(name)` is null"
    case .isPresent(let name): "`\(name)` is not null"
    case .equals(let name, let type, let value):
      "`\(name)` = "
        + (type == .text || type == .uuid ? quoted(value.string ?? "") : typed(value, type))
    }
  }
}
