import DataStoreTesting

/// Generates random steps that are valid in the current state.
struct LockstepPlan {
  private var random: SeededGenerator
  private var world = LockstepWorld()
  private var lastTag = 0
  private var lastName = 0
  /// Files without a header cannot store new empty fields and entities.
  private var isForeign = false

  static let entityNames = ["Film", "a b", "é", "true", "x-y", "名前", "null", "Z9"]
  /// Names that a script must quote, or that have another meaning elsewhere.
  static let fieldNames = [
    "t", "a b", "é", "true", "x-y", "名前", "null", "where", "id2", "Sort", "=", "A.b", "\"q\"",
    "tag2", "#1", "$", "-n",
  ]

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// A number of steps, the first of which create an entity and a record.
  mutating func steps(_ count: Int) -> [LockstepStep] {
    var steps: [LockstepStep] = []
    isForeign = random.chance(40)
    if isForeign {
      steps.append(.begin(foreign()))
      _ = world.take(steps[0])
    }
    while steps.count < count {
      guard let step = next() else { continue }
      var after = world
      if after.take(step) == .senseless { continue }
      world = after
      steps.append(step)
    }
    return steps
  }

  private mutating func pick<T>(_ items: [T]) -> T? {
    items.isEmpty ? nil : items[random.below(items.count)]
  }

  private mutating func next() -> LockstepStep? {
    guard let entity = pick(world.now.entities) else { return create() }
    if random.chance(12) { return read(entity) }
    switch random.below(isForeign ? 70 : 100) {
    case 0..<22: return insert(entity)
    case 22..<38: return set(entity)
    case 38..<44: return target(entity).map { .delete(entity.name, $0) }
    case 44..<54: return .save
    case 54..<56: return .rollback
    case 56..<61: return .undo
    case 61..<64: return .redo
    case 64..<68: return .reopen
    case 68..<70: return random.chance(50) ? .check : .compact
    case 70..<72: return world.now.entities.count < 5 ? create() : nil
    case 72..<75: return entity.fields.count < 7 ? .add(entity.name, field()) : nil
    case 75..<77:
      return pick(entity.fields).map { .rename(entity.name, $0.name, name(Self.fieldNames)) }
    case 77..<79: return pick(entity.fields).map { .drop(entity.name, $0.name) }
    case 79..<83: return condition(entity).map { .count(entity.name, $0) }
    case 83..<85: return pick(entity.fields).map { .frequencies(entity.name, $0) }
    case 85..<88: return .copy(random.chance(50) ? "json" : "catlog")
    case 88..<92: return exchange(entity)
    case 92..<95: return pick(entity.records).map { .revert(entity.name, $0.tag, random.below(3)) }
    default: return wrong(entity)
    }
  }

  /// Records with fields of random types.
  ///
  /// The first record never changes. For each field it has a value that only allows one inferred
  /// type.
  private mutating func foreign() -> LockstepEntity {
    let fixed: [(LockstepType, LockstepJSON)] = [
      (.text, .string("zzz")), (.integer, .literal("7")), (.number, .literal("0.5")),
      (.boolean, .literal("true")), (.date, .string("2001-02-03")),
      (.datetime, .string("2001-02-03T04:05:06.789Z")), (.json, .object([])),
      (.uuid, .string("00000000-0000-4000-8000-00000000000a")),
    ]
    var entity = LockstepEntity(name: "store", fields: [])
    var first = LockstepRecord(tag: 0, cells: [:])
    for (type, value) in fixed where random.chance(60) {
      let name = "\(type.rawValue) \(random.below(10))"
      entity.fields.append(LockstepField(name: name, type: type, isInferred: true))
      first.cells[name] = .value(value)
    }
    entity.records = [first]
    for _ in 0..<random.below(5) {
      lastTag += 1
      var record = LockstepRecord(tag: lastTag, cells: [:])
      for field in entity.fields where random.chance(80) {
        guard let value = field.type?.random(&random), value != .null else { continue }
        record.cells[field.name] = .value(value)
      }
      entity.records.append(record)
    }
    return entity
  }

  private mutating func read(_ entity: LockstepEntity) -> LockstepStep? {
    switch random.below(4) {
    case 0:
      // In a file without a header, import may have inferred another type.
      guard let condition = isForeign ? .tagsBelow(random.below(lastTag + 2)) : condition(entity)
      else { return nil }
      return .list(
        entity.name,
        condition,
        isReversed: random.chance(50),
        limit: random.below(6),
        offset: random.below(3)
      )
    case 1: return pick(entity.records).map { .show(entity.name, $0.tag) }
    case 2:
      return pick(entity.fields.filter { $0.type.map { $0 != .json } ?? false })
        .map { .stats(entity.name, $0) }
    default: return .status
    }
  }

  // MARK: Schema

  private mutating func name(_ names: [String]) -> String { names[random.below(names.count)] }

  private mutating func create() -> LockstepStep {
    var fields: [LockstepField] = []
    for _ in 0..<random.below(6) {
      let field = self.field()
      if !fields.contains(where: { $0.name == field.name }) { fields.append(field) }
    }
    return .create(LockstepEntity(name: name(Self.entityNames), fields: fields))
  }

  private mutating func field() -> LockstepField {
    var field = LockstepField(name: name(Self.fieldNames))
    if random.chance(20),
      let other = pick(world.now.entities.map(\.name).filter(Self.needsNoQuotes))
    {
      field.destination = other
      field.isMany = random.chance(50)
      field.rule = pick([LockstepField.Rule.nullify, .nullify, .cascade, .deny]) ?? .nullify
      return field
    }
    let type = LockstepType.allCases[random.below(LockstepType.allCases.count)]
    field.type = type
    if random.chance(35) {
      let value = type.random(&random)
      field.defaultValue = value == .null ? nil : value
    }
    field.isRequired = random.chance(20)
    return field
  }

  /// Type names that are valid after the colon without quotes.
  private static func needsNoQuotes(_ name: String) -> Bool {
    name.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || $0.properties.numericType != nil
    }
  }

  // MARK: Records

  private mutating func insert(_ entity: LockstepEntity) -> LockstepStep {
    lastTag += 1
    let assignments = entity.fields.compactMap { field in
      random.chance(field.isRequired ? 95 : 60) ? assignment(field) : nil
    }
    return .insert(entity.name, lastTag, assignments)
  }

  private mutating func set(_ entity: LockstepEntity) -> LockstepStep? {
    guard let target = target(entity) else { return nil }
    let assignments = entity.fields.compactMap { random.chance(40) ? assignment($0) : nil }
    return assignments.isEmpty ? nil : .set(entity.name, target, assignments)
  }

  private mutating func assignment(_ field: LockstepField) -> LockstepAssignment? {
    guard let destination = field.destination else {
      // The type that import has chosen is unknown.
      guard let type = field.type else { return nil }
      guard !random.chance(field.isRequired ? 3 : 12) else {
        return LockstepAssignment(field: field, cell: .missing)
      }
      let value = type.random(&random)
      // A file without a header cannot distinguish JSON's null from no value.
      let isNothing = isForeign && value == .null
      return LockstepAssignment(field: field, cell: isNothing ? .missing : .value(value))
    }
    let tags = world.now[destination]?.records.map(\.tag) ?? []
    var links: [Int] = []
    for _ in 0..<(field.isMany ? random.below(4) : 1) {
      if let tag = pick(tags), !links.contains(tag) { links.append(tag) }
    }
    return LockstepAssignment(field: field, cell: .links(links))
  }

  private mutating func target(_ entity: LockstepEntity) -> LockstepTarget? {
    if isForeign || random.chance(70) {
      return pick(entity.records.filter { $0.tag > 0 }).map { .record($0.tag) }
    }
    return condition(entity).map { .matching($0) }
  }

  private mutating func condition(_ entity: LockstepEntity) -> LockstepCondition? {
    switch random.below(5) {
    case 0: return pick(entity.records).map { .tag($0.tag) }
    case 1: return .tagsBelow(random.below(lastTag + 2))
    case 2: return pick(entity.fields.map(\.name)).map { .isMissing($0) }
    case 3: return pick(entity.fields.map(\.name)).map { .isPresent($0) }
    default:
      guard let field = pick(entity.fields), let type = field.type, type != .json,
        case .value(let value)? = pick(entity.records)?[field.name],
        // Which texts equal a letter with a diacritic depends on complex rules, so only ASCII is
        // used.
        type != .text || (value.string ?? "").unicodeScalars.allSatisfy(\.isASCII)
      else { return nil }
      return .equals(field.name, type, value)
    }
  }

  // MARK: Files

  private mutating func exchange(_ entity: LockstepEntity) -> LockstepStep? {
    guard world.now.entities.count < 6, entity.records.count <= 12 else { return nil }
    // A field name with a comma cannot be part of a field list, but there are no such names.
    lastName += 1
    let new = "copy\(lastName)"
    if random.chance(40) {
      return .importNew(entity.name, random.chance(50) ? "json" : "jsonl", new)
    }
    return .importBack(entity.name, pick(["csv", "tsv", "json", "jsonl"]) ?? "csv", new)
  }

  private mutating func wrong(_ entity: LockstepEntity) -> LockstepStep? {
    let name = LockstepLine.quoted(entity.name)
    return pick([
      .wrong("insert \(name) tag=x"), .wrong("insert \(name) tag=1 nothing=2"),
      .wrong("set t999 tag=1"), .wrong("delete zzzzzzzz"), .wrong("count \(name) where tag >"),
      .wrong("list \(name) sort nothing"), .wrong("import broken.json into New"),
      .wrong("import broken.jsonl into New"), .wrong("import broken.csv into \(name)"),
      .wrong("import broken.jsonl into \(name)"), .wrong("entity create Bad a:nothing"),
      .wrong("field drop \(name) nothing"), .wrong("import missing.csv into New"),
    ])
  }

  /// Files that are invalid at their end.
  static let broken = [
    "broken.json": "[{\"tag\":1},{\"tag\":2},{\"tag\"",
    "broken.jsonl": "{\"tag\":1}\n{\"tag\":2}\n{\"tag\":}\n",
    "broken.csv": "tag\n1\n2\n\"x\n",
  ]
}
