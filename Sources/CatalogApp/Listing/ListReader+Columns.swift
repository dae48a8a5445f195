import Expressions
import OpenSwiftData

/// Reading for the columns of the table: what their values are, and values that are not in the records themselves.
extension ListReader {
  /// The number of records that are read to describe the columns, or to find members.
  private static let describedRecords = 20_000
  private static let pageSize = 1024
  /// The number of columns that one field can be expanded to.
  private static let memberLimit = 60
  /// The number of values in the sample of a column.
  private static let sampleCount = 4

  // MARK: Rows

  /// Adds the values at the paths and in the computed columns that the table shows.
  func addPaths(to rows: inout [TableRow]) throws {
    guard !facts.shownPaths.isEmpty, let entity = try listedEntity() else { return }
    let records = RecordFields(rows.map { ($0.identifier, $0.values) }, entity.layout)
    for name in facts.shownPaths {
      // A path may have become invalid since it was shown; its cells are then empty.
      guard let path = try? session.fieldPath(name, of: entity) else { continue }
      guard case .computed(let column) = path else {
        for (place, value) in try session.context.values(at: path, of: records).enumerated()
        where !value.isNull {
          rows[place].paths[name] = value
        }
        continue
      }
      for (place, cell) in try session.context.cells(of: column, for: records).enumerated()
      where !rows[place].values.isEmpty {
        switch cell {
        case .success(let value): if !value.isNull { rows[place].paths[name] = value }
        case .failure(let failure): rows[place].failures[name] = failure.description
        }
      }
    }
  }

  /// Adds the titles of the records that the shown links refer to.
  func addTitles(to rows: inout [TableRow]) throws {
    guard !facts.shownLinks.isEmpty else { return }
    let linked = rows.map { row in
      facts.shownLinks.flatMap { slot in
        row.values.indices.contains(slot)
          ? row.values[slot].linkedRecords(TableRow.linkLimit) : []
      }
    }
    let wanted = Set(linked.joined())
    guard !wanted.isEmpty else { return }
    let titles = try session.context.titles(of: Array(wanted))
    for (place, records) in linked.enumerated() {
      for record in records { rows[place].titles[record] = titles[record] }
    }
  }

  private func listedEntity() throws -> Schema.Entity? {
    guard let spec = list.spec, spec.entityName == facts.entityName else { return nil }
    return session.context.schema.entitiesByName[spec.entityName]
  }

  // MARK: The list of columns

  /// Describes the values of all columns in the first records of the list.
  ///
  /// - Complexity: O(n) in the values read.
  func describeColumns() throws -> DescribeColumns.Reply {
    guard let entity = try listedEntity() else {
      return DescribeColumns.Reply(columns: [], examined: 0, isAll: true)
    }
    let columns = facts.columns.columns.compactMap { column in
      // A path that became invalid is described like a column without values.
      (
        name: column.name,
        path: column.isField ? nil : try? session.fieldPath(column.name, of: entity)
      )
    }
    var tallies = columns.map { ColumnTally(name: $0.name) }
    try list.count(through: Self.describedRecords)
    let count = min(list.count, Self.describedRecords)
    for start in stride(from: 0, to: count, by: Self.pageSize) {
      try Interruption.check()
      let range = start..<min(count, start + Self.pageSize)
      let records = RecordFields(
        try list.records(in: range, session.context).compactMap { record in
          record.snapshot.map { (record.identifier, $0.orderedValues) }
        },
        entity.layout
      )
      for (place, column) in columns.enumerated() {
        let values =
          try column.path.map { try session.context.values(at: $0, of: records) }
          ?? records.values(column.name)
        for value in values { tallies[place].add(value) }
      }
    }
    return DescribeColumns.Reply(
      columns: tallies.map { $0.facts(Self.sampleCount) },
      examined: count,
      isAll: list.count <= count && list.extent.listed.isExact
    )
  }

  // MARK: Members

  /// The columns inside a column: members of its objects, elements of its arrays, or the fields of linked records.
  func members(of name: String) throws -> [TableColumn] { try members(of: name, in: list) }

  private func members(of name: String, in list: RecordList) throws -> [TableColumn] {
    guard let entity = try listedEntity() else { return [] }
    let schema = session.context.schema
    let path = try FieldPath(name, of: entity, in: schema)
    let type = path?.type ?? entity.fieldsByName[name]?.type
    if case .link(let destination)? = type, let linked = schema.entitiesByName[destination] {
      return linked.fields.compactMap { field in
        column("\(name).\(field.name)", entity)
      }
    }
    let field = path?.fields.first ?? name
    guard let slot = entity.layout.slot(of: field) else { return [] }
    var names: [String] = []
    var known: Set<String> = []
    let count = min(list.count, Self.pageSize)
    let records = try list.records(in: 0..<count, session.context).compactMap(
      \.snapshot?.orderedValues
    )
    let own = records.map { $0.indices.contains(slot) ? $0[slot] : .null }
    for value in try path.map({ try session.context.values(at: $0, in: own) }) ?? own {
      guard case .json(let json) = value else { continue }
      for step in JSONMemberScanner(json).steps(limit: Self.memberLimit) {
        let text = JSONPath([step]).text
        if known.count < Self.memberLimit, known.insert(text).inserted { names.append(text) }
      }
    }
    return names.compactMap { column(name + $0, entity) }
  }

  /// What is wrong with the first of the paths into JSON at which no record has a value; nil if all have some.
  ///
  /// - Complexity: O(n) in the first records with a value in the field.
  func unknownPath(_ names: [String]) throws -> String? {
    guard let entity = try listedEntity() else { return nil }
    for name in names {
      guard let path = MemberPath(name, of: entity), let step = path.path.steps.last,
        let count = try session.countWithoutValue(at: path)
      else { continue }
      let parent = String(name.dropLast(JSONPath([step]).text.count))
      let known = try members(of: parent, in: allInStore(entity)).map(\.name)
      let hint = known.isEmpty ? "" : "; " + Suggestion.text(for: name, among: known)
      return "\(name): no value in \(count)" + hint
    }
    return nil
  }

  /// All records of an entity, whatever the table lists.
  private func allInStore(_ entity: Schema.Entity) throws -> RecordList {
    var all = RecordList()
    try all.query(QuerySpec(entityName: entity.name), session.context)
    return all
  }

  private func column(_ name: String, _ entity: Schema.Entity) -> TableColumn? {
    // A member whose name cannot be written as a path has no column.
    (try? session.column(name, of: entity)) ?? nil
  }
}

/// Counts the values of a column.
private struct ColumnTally {
  let name: String
  private var missing = 0
  private var values: Set<Value> = []
  private var sample: [Value] = []

  init(name: String) { self.name = name }

  mutating func add(_ value: Value) {
    if value.isNull {
      missing += 1
    } else if values.insert(value).inserted, sample.count < 8 {
      sample.append(value)
    }
  }

  func facts(_ count: Int) -> ColumnFacts {
    ColumnFacts(
      name: name,
      missing: missing,
      distinct: values.count,
      sample: Array(sample.prefix(count))
    )
  }
}

extension JSONMemberScanner {
  /// The steps to the members of the current object, or to the elements of the current array.
  func steps(limit: Int) -> [JSONPath.Step] {
    let names = memberNames
    guard names.isEmpty else { return names.prefix(limit).map { .member($0) } }
    return (0..<min(limit, elementCount)).map { .element($0) }
  }
}

extension Value {
  /// The first of the records that a value refers to.
  fileprivate func linkedRecords(_ limit: Int) -> [PersistentIdentifier] {
    switch self {
    case .link(let record): [record]
    case .links(let records): Array(records.prefix(limit))
    default: []
    }
  }
}
