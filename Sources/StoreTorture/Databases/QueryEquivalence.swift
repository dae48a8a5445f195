import CFaultySQLite
import DataStoreTesting
import Foundation
import OpenSwiftData
import SQLiteStores

/// Asks databases with random tables and contents random queries, and compares the answers with those of
/// `Query.run(over:of:)`.
package struct QueryEquivalence: Sendable {
  /// Whose tables are made.
  package enum Owner: String, CaseIterable, Sendable {
    case own, other
  }

  package let owner: Owner
  /// Whether the expected answer is without its last record, to prove that a difference is found.
  private let isFlawed: Bool
  /// The number of queries of one table.
  private static let queryCount = 100

  package init(_ owner: Owner, isFlawed: Bool = false) {
    (self.owner, self.isFlawed) = (owner, isFlawed)
  }

  /// Asks so many queries.
  ///
  /// - Returns: How many were asked and how many had another answer.
  package func run(
    _ count: Int = .max,
    seed: UInt64,
    isOver: () -> Bool = { false }
  ) throws -> TortureFigures {
    var figures = TortureFigures()
    var table: UInt64 = 0
    while figures.tries < count, !isOver() {
      let seed = seed &+ table &* 7919
      table += 1
      var random = SeededGenerator(seed: seed)
      let folder = try DatabaseFolder()
      let store =
        owner == .own
        ? try OwnContents.store(folder.database, &random)
        : try OtherContents.store(folder.database, &random)
      defer { store.close() }
      let entity = try store.schema.entity(named: "t")
      let records = try store.snapshots(matching: Query("t"))
      for _ in 0..<min(Self.queryCount, count - figures.tries) {
        if isOver() { break }
        figures.tries += 1
        var choice = RandomQuery(entity: entity, records: records)
        let query = choice.query(&random)
        do {
          for problem in try problems(query, store, records, entity) {
            figures.note("\(owner.rawValue), table of seed \(seed): \(problem): \(query)")
          }
        } catch {
          figures.note("\(owner.rawValue), table of seed \(seed): \(query): \(error)")
        }
      }
    }
    return figures
  }

  private func problems(
    _ query: Query,
    _ store: SQLiteStore,
    _ records: [DefaultSnapshot],
    _ entity: Schema.Entity
  ) throws -> [String] {
    // An order that another column decides is an order of the others as well: records come in that of their keys.
    var expected = try query.run(over: records, of: entity)
    if isFlawed, !expected.isEmpty { expected.removeLast() }
    let identifiers = expected.map(\.persistentIdentifier)
    var problems: [String] = []
    if try store.snapshots(matching: query) != expected { problems.append("other records") }
    if try store.count(matching: query) != expected.count { problems.append("another count") }
    let listing = try store.listing(matching: query)
    if try listing.identifiers(in: 0..<records.count + 1) != identifiers {
      problems.append("another list")
    }
    if query.limit == nil, query.offset == 0, let field = entity.fields.first?.name {
      let counts = expected.reduce(into: [Value: Int]()) { $0[$1[field] ?? .null, default: 0] += 1 }
      if try store.valueCounts(of: field, matching: query) != counts {
        problems.append("other values of \(field)")
      }
    }
    return problems
  }
}

/// Random queries for a table.
private struct RandomQuery {
  let entity: Schema.Entity
  let records: [DefaultSnapshot]

  static let texts = [
    "", "a", "A", "ä", "Ä", "a\u{308}", "ab", "AB", "b%_*?", "Straße", "STRASSE", "K", "\u{212A}",
    "ſ", "z z", "\u{7F}x", "ā", "\u{FB01}", "10", "9.5", "true", "2009-05-29", "😀", "x'00'", "a ",
    "[a]", "it's", "\"q\"", "-5",
  ]

  mutating func query(_ random: inout SeededGenerator) -> Query {
    var query = Query("t", filter: filter(&random))
    let sortable = entity.fields.filter { !$0.isBlob }
    for _ in 0..<random.below(3) where !sortable.isEmpty {
      query.sort.append(
        SortKey(
          sortable[random.below(sortable.count)].name,
          isDescending: random.below(2) == 0,
          nullsFirst: random.below(2) == 0
        )
      )
    }
    if random.below(4) == 0 { (query.limit, query.offset) = (random.below(20), random.below(9)) }
    return query
  }

  private func filter(_ random: inout SeededGenerator, depth: Int = 0) -> Filter {
    let field = entity.fields[random.below(entity.fields.count)]
    let comparison = Filter.Comparison.allCases[random.below(Filter.Comparison.allCases.count)]
    switch random.below(depth > 2 ? 9 : 12) {
    case 0, 1: return .compare(field.name, comparison, value(field, &random))
    case 2: return .between(field.name, value(field, &random), value(field, &random))
    case 3:
      return .isIn(field.name, (0..<random.below(4)).map { _ in value(field, &random) })
    case 4: return .isNull(field.name)
    case 5:
      let other = entity.fields[random.below(entity.fields.count)]
      return .compareAttributes(field.name, comparison, other.name)
    case 6, 7: return .text(field.name, match(&random))
    case 8: return .anyText(match(&random))
    case 9: return .not(filter(&random, depth: depth + 1))
    default:
      let parts = (0..<(1 + random.below(3))).map { _ in filter(&random, depth: depth + 1) }
      return random.below(2) == 0 ? .and(parts) : .or(parts)
    }
  }

  /// A value of a record, or another one of the same type.
  private func value(_ field: Schema.Attribute, _ random: inout SeededGenerator) -> Value {
    if random.below(8) == 0 { return .null }
    if random.below(6) == 0 {
      let text = Self.texts[random.below(Self.texts.count)]
      return (try? Value(parsing: text, as: field.type)) ?? .null
    }
    if records.isEmpty { return .null }
    return records[random.below(records.count)][field.name] ?? .null
  }

  private func match(_ random: inout SeededGenerator) -> TextMatch {
    let operations = TextMatch.Operation.allCases.filter { $0 != .matches }
    return TextMatch(
      operations[random.below(operations.count)],
      Self.texts[random.below(Self.texts.count)],
      options: TextMatch.Options(rawValue: UInt8(random.below(8)))
    )
  }
}

/// A database of our own with records of all types.
private enum OwnContents {
  static func store(_ path: String, _ random: inout SeededGenerator) throws -> SQLiteStore {
    let types: [AttributeType] = [
      .text, .integer, .number, .boolean, .decimal, .date, .datetime, .uuid, .json, .link("t"),
      .links("t"),
    ]
    let fields = (0...random.below(7)).map { number in
      let isBlob = random.below(12) == 0
      let type = isBlob ? .text : types[random.below(types.count)]
      return Schema.Attribute("f\(number)", type, isBlob: isBlob)
    }
    let entity = Schema.Entity("t", attributes: fields)
    let store = try SQLiteStore(SQLiteConfiguration(path: path, schema: Schema([entity])))
    let scope = IdentifierScope(store: nil, entity: "t")
    let count = random.below(60)
    let identifiers = (0..<count).map { scope.temporaryIdentifier(UInt64($0) + 1, context: 7) }
    let records = identifiers.map { identifier in
      DefaultSnapshot(
        persistentIdentifier: identifier,
        layout: entity.layout,
        orderedValues: fields.map { value($0, identifiers, &random) }
      )
    }
    _ = try store.commit(ChangeSet(inserted: records), author: nil)
    return store
  }

  private static func value(
    _ field: Schema.Attribute,
    _ identifiers: [PersistentIdentifier],
    _ random: inout SeededGenerator
  ) -> Value {
    if random.below(5) == 0 { return .null }
    let number = random.below(7) - 3
    let day = "20\(10 + random.below(3))-0\(1 + random.below(9))-11"
    func other() -> PersistentIdentifier { identifiers[random.below(identifiers.count)] }
    switch field.type {
    case .text:
      let text = RandomQuery.texts[random.below(RandomQuery.texts.count)]
      return .text(field.isBlob ? Data(text.utf8).base64EncodedString() : text)
    case .integer:
      return .integer(random.below(9) == 0 ? .max - Int64(random.below(2)) : Int64(number))
    case .number:
      let others = [Double.nan, .infinity, -.infinity, -0.0, 1e300, 0.1]
      return .number(random.below(2) == 0 ? others[random.below(6)] : Double(number) / 2)
    case .boolean: return .boolean(number > 0)
    case .decimal: return .decimal(Decimal(number) / Decimal(random.below(2) == 0 ? 4 : 1))
    case .date: return (try? Value(parsing: day, as: .date)) ?? .null
    case .datetime:
      let fraction = ["", ".5", ".25"][random.below(3)]
      return (try? Value(parsing: "\(day)T10:00:00\(fraction)Z", as: .datetime)) ?? .null
    case .uuid:
      let text = "00000000-0000-0000-0000-00000000000\(random.below(6))"
      return UUID(uuidString: text).map { .uuid($0) } ?? .null
    case .json: return .json(["1", "\"a\"", "{\"a\":[1,2]}", "[]", "\"Ä\""][random.below(5)])
    case .link: return .link(other())
    case .links: return .links((0..<random.below(3)).map { _ in other() })
    }
  }
}

/// A database of another program, with columns of all declared types and values that may not have them.
private enum OtherContents {
  private static let types = [
    "INTEGER", "INT", "TEXT", "VARCHAR(9)", "TEXT COLLATE NOCASE", "TEXT COLLATE RTRIM", "REAL",
    "NUMERIC", "DECIMAL(9, 2)", "BOOLEAN", "DATE", "DATETIME", "TIMESTAMP", "BLOB", "",
    "INTEGER REFERENCES t",
  ]
  private static let strictTypes = ["INTEGER", "TEXT", "REAL", "BLOB", "ANY"]

  static func store(_ path: String, _ random: inout SeededGenerator) throws -> SQLiteStore {
    let isStrict = random.below(6) == 0
    let all = isStrict ? strictTypes : types
    let columns = (0...random.below(8)).map { _ in all[random.below(all.count)] }
    let encoding = ["UTF-8", "UTF-8", "UTF-16le", "UTF-16be"][random.below(4)]
    let key = Key.allCases[random.below(Key.allCases.count)]
    var text = "PRAGMA encoding = '\(encoding)'; CREATE TABLE t (\(key.columns)"
    for (number, type) in columns.enumerated() { text += ", c\(number) \(type)" }
    if random.below(4) == 0, !isStrict { text += ", g AS (c0)" }
    text += key.end + ")"
    text +=
      [key.isWithoutNumber ? "WITHOUT ROWID" : nil, isStrict ? "STRICT" : nil]
      .compactMap { $0 }.map { " " + $0 }.joined(separator: ",") + ";"
    for number in columns.indices where random.below(4) == 0 {
      text += "CREATE INDEX i\(number) ON t (c\(number));"
    }
    let names = key.names + columns.indices.map { "c\($0)" }
    // Some columns have values of all types.
    let isMixed = columns.map { _ in random.below(4) == 0 }
    for row in 0..<random.below(70) {
      var values = key.values(row)
      for (type, isMixed) in zip(columns, isMixed) {
        values.append(value(type, isMixed: isMixed, isStrict: isStrict, &random))
      }
      text += "INSERT INTO t (\(names.joined(separator: ", "))) "
      text += "VALUES (\(values.joined(separator: ", ")));"
    }
    let code = faulty_execute(path, text)
    guard code == 0 else {
      throw PersistenceError(.storeViolation, "SQLite says \(code) to: \(text)")
    }
    return try SQLiteStore(SQLiteConfiguration(path: path))
  }

  /// What identifies the rows.
  private enum Key: CaseIterable {
    case number, text, pair, none

    var columns: String {
      switch self {
      case .number: "id INTEGER PRIMARY KEY"
      case .text: "id TEXT NOT NULL PRIMARY KEY"
      case .pair: "p TEXT NOT NULL, q INTEGER NOT NULL"
      case .none: "u INTEGER"
      }
    }
    var end: String { self == .pair ? ", PRIMARY KEY (p, q)" : "" }
    var isWithoutNumber: Bool { self == .pair }
    var names: [String] {
      switch self {
      case .number, .text: ["id"]
      case .pair: ["p", "q"]
      case .none: ["u"]
      }
    }

    func values(_ row: Int) -> [String] {
      switch self {
      case .number: ["\(row * 3 - 5)"]
      case .text: ["'\(row % 2 == 0 ? "k" : "Ä")\(row)'"]
      case .pair: ["'\(["a/b", "A", "ä"][row % 3])'", "\(row / 3)"]
      case .none: ["\(row % 4)"]
      }
    }
  }

  private static func value(
    _ declared: String,
    isMixed: Bool,
    isStrict: Bool,
    _ random: inout SeededGenerator
  ) -> String {
    if random.below(5) == 0 { return "NULL" }
    if isMixed, !isStrict || declared == "ANY" { return any(&random) }
    let day = "20\(10 + random.below(3))-0\(1 + random.below(9))-11"
    switch declared {
    case "INTEGER", "INT", "INTEGER REFERENCES t":
      return random.below(9) == 0 ? "9007199254740993" : "\(random.below(7) - 3)"
    case "REAL", "NUMERIC", "DECIMAL(9, 2)":
      return ["0.5", "-2.0", "1e300", "3.25", "-0.0", "7", "1e999"][random.below(7)]
    case "BOOLEAN": return "\(random.below(2))"
    case "DATE": return "'\(day)'"
    case "DATETIME": return "'\(day) 10:0\(random.below(3)):00\(["", ".5"][random.below(2)])'"
    case "TIMESTAMP": return "'\(day)T10:0\(random.below(3)):00Z'"
    case "BLOB": return ["x'00ff'", "x'0102'", "x''"][random.below(3)]
    case "", "ANY": return any(&random)
    default: return text(&random)
    }
  }

  private static func any(_ random: inout SeededGenerator) -> String {
    let others = ["1", "-5", "1.5", "x'0102'", "'1'", "'x''0102'''", "0", "10", "char(97, 0, 97)"]
    return random.below(3) == 0 ? text(&random) : others[random.below(others.count)]
  }

  private static func text(_ random: inout SeededGenerator) -> String {
    let text = RandomQuery.texts[random.below(RandomQuery.texts.count)]
    return "'" + text.replacingOccurrences(of: "'", with: "''") + "'"
  }
}
