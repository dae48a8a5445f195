import DataStoreTesting
import OpenSwiftData

/// A table of which each row carries its identity, and another program's version of it.
struct RandomMerge {
  /// A row, which stays the same record whatever happens to its values.
  struct Row {
    var identity: Int
    var cells: [String]
  }

  /// A kind of table.
  struct Kind: Sendable {
    let name: String
    let columns: [String]
    /// The columns of the key; empty for tables without one.
    var key: [Int] = []
    /// The column that numbers the rows.
    var numbering: Int?
    let cells: @Sendable (inout SeededGenerator, Int) -> [String]
  }

  let seed: UInt64
  let kind: Kind
  private(set) var before: [Row] = []
  private(set) var theirs: [Row] = []
  private var random: SeededGenerator
  private var lastIdentity = 0

  init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    kind = Self.kinds[Int(random.next() % UInt64(Self.kinds.count))]
    let count = 1 + number([3, 6, 12, 60][number(4)])
    for _ in 0..<count { before.append(newRow()) }
    before = numbered(before)
    theirs = before
    for _ in 0..<(1 + number(4)) { change() }
    theirs = numbered(theirs)
  }

  func text(_ rows: [Row]) -> String {
    let lines = [kind.columns.joined(separator: ",")] + rows.map { $0.cells.joined(separator: ",") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The key of a row; nil if the kind or the row has none.
  func key(_ row: Row) -> [String]? {
    let cells = kind.key.map { row.cells[$0] }
    return cells.isEmpty || cells.contains("") ? nil : cells
  }

  /// True for rows with the same values, whatever their numbers are.
  func areEqual(_ left: Row, _ right: Row) -> Bool {
    kind.columns.indices.allSatisfy { $0 == kind.numbering || left.cells[$0] == right.cells[$0] }
  }

  private mutating func number(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

  private func numbered(_ rows: [Row]) -> [Row] {
    guard let column = kind.numbering else { return rows }
    var rows = rows
    for place in rows.indices { rows[place].cells[column] = String(place + 1) }
    return rows
  }

  private mutating func newRow() -> Row {
    lastIdentity += 1
    return Row(identity: lastIdentity, cells: kind.cells(&random, lastIdentity))
  }

  // MARK: What another program does

  private mutating func change() {
    let place = theirs.isEmpty ? 0 : number(theirs.count)
    switch number(theirs.isEmpty ? 1 : 13) {
    case 0: theirs.insert(newRow(), at: theirs.isEmpty ? 0 : number(theirs.count + 1))
    case 1: theirs.insert(similar(to: place), at: place)
    case 2: theirs.remove(at: place)
    case 3:
      let row = theirs.remove(at: place)
      theirs.insert(row, at: number(theirs.count + 1))
    case 4:
      let column = number(kind.columns.count)
      theirs.sort { ($0.cells[column], $0.identity) < ($1.cells[column], $1.identity) }
    case 5: theirs.shuffle(using: &random)
    case 6, 7: changeCells(of: place, count: 1 + number(kind.columns.count))
    case 8:
      let column = number(kind.columns.count)
      if kind.key.contains(column) { return }
      for place in theirs.indices where number(2) == 0 { changeCell(column, of: place) }
    case 9: theirs[place] = newRow()
    case 10: theirs[place] = similar(to: place)
    case 11:
      var copy = theirs[place]
      lastIdentity += 1
      copy.identity = lastIdentity
      theirs.append(copy)
    default:
      // A key may be replaced by a new one; the record stays the same.
      let other = newRow()
      for column in kind.key { theirs[place].cells[column] = other.cells[column] }
    }
  }

  /// Another record with another key and most values of this one, or without a key with half of them.
  ///
  /// Nobody can tell a record without a key from one that differs in one value.
  private mutating func similar(to place: Int) -> Row {
    var row = newRow()
    let count = kind.columns.count
    let first = number(count)
    let changed = kind.key.isEmpty ? (count + 1) / 2 : 1
    let others = Set((0..<changed).map { (first + $0) % count })
    for column in kind.columns.indices
    where !others.contains(column) && !kind.key.contains(column) {
      row.cells[column] = theirs[place].cells[column]
    }
    return row
  }

  private mutating func changeCells(of place: Int, count: Int) {
    for _ in 0..<count {
      let column = number(kind.columns.count)
      if !kind.key.contains(column) { changeCell(column, of: place) }
    }
  }

  private mutating func changeCell(_ column: Int, of place: Int) {
    let other = 100_000 + number(1000)
    theirs[place].cells[column] = kind.cells(&random, other)[column]
  }
}

extension RandomMerge {
  private static func pick(_ values: [String], _ random: inout SeededGenerator) -> String {
    values[Int(random.next() % UInt64(values.count))]
  }

  private static func price(_ random: inout SeededGenerator) -> String {
    "\(random.next() % 40).\(random.next() % 10)5"
  }

  private static let towns = ["Oslo", "Rome", "Bern", "Riga"]
  private static let names = ["Pen", "Ink", "Cap", "Mug", "Hat", "Bag", "Cup", "Box"]
  private static let people = ["Ann Lee", "Bob Kim", "Cy Fox", "Di Ray", "Ed Orr", "Flo Day"]
  private static let flags = ["yes", "no"]

  private static func day(_ number: Int) -> String {
    let day = number % 28 + 1
    let month = number / 28 % 12 + 1
    return "\(2000 + number / 336)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
  }

  /// The kinds of tables; the number of a record makes its key.
  static let kinds: [Kind] = [
    Kind(name: "products", columns: ["sku", "name", "size", "color", "price", "stock"], key: [0]) {
      ["\(1000 + $1)", "T-shirt", pick(["S", "M", "L"], &$0), "white", "9.99", "\($0.next() % 9)"]
    },
    Kind(name: "goods", columns: ["name", "code", "price"], key: [1]) {
      [pick(names, &$0), "A\($1)", price(&$0)]
    },
    Kind(name: "people", columns: ["email", "name", "town"], key: [0]) {
      ["p\($1)@example.org", pick(people, &$0), pick(towns, &$0)]
    },
    Kind(name: "members", columns: ["name", "town", "phone", "birthday"]) { random, _ in
      [
        pick(people, &random), pick(towns, &random), "\(random.next() % 50)",
        day(Int(random.next() % 9000)),
      ]
    },
    Kind(name: "weather", columns: ["date", "temp", "wind"], key: [0]) {
      [day($1), price(&$0), "\($0.next() % 9)"]
    },
    Kind(name: "points", columns: ["x", "y", "z", "w"]) { random, _ in
      (0..<4).map { _ in price(&random) }
    },
    Kind(name: "answers", columns: ["q1", "q2", "q3", "q4"]) { random, _ in
      (0..<4).map { _ in pick(flags, &random) }
    },
    Kind(name: "messages", columns: ["level", "message"]) { random, _ in
      [pick(["INFO", "WARN"], &random), pick(names, &random)]
    },
    Kind(name: "words", columns: ["word", "count"], key: [0]) { ["w\($1)x", "\($0.next() % 9)"] },
    Kind(name: "settings", columns: ["key", "value"], key: [0]) { ["k.\($1)", pick(flags, &$0)] },
    Kind(name: "lines", columns: ["order_id", "line", "item", "qty"], key: [0, 1]) {
      ["\(700 + $1 / 3)", "\($1 % 3 + 1)", pick(names, &$0), "\($0.next() % 5)"]
    },
    Kind(name: "tasks", columns: ["task", "status"]) {
      ["task \($1 % 40)", pick(["open", "done"], &$0)]
    },
    Kind(name: "shopping", columns: ["item", "qty"]) { random, _ in
      [pick(names, &random), "\(random.next() % 3)"]
    },
    Kind(name: "ranking", columns: ["rank", "title", "votes"], key: [1], numbering: 0) {
      ["", "Film \($1)", "\($0.next() % 90)"]
    },
    Kind(name: "numbered", columns: ["#", "name", "color"], numbering: 0) { random, _ in
      ["", pick(names, &random), pick(["red", "blue"], &random)]
    },
    Kind(name: "orders", columns: ["id", "customer", "amount", "paid"], key: [0]) {
      ["\(10 + 3 * $1)", pick(people, &$0), price(&$0), pick(flags, &$0)]
    },
    Kind(name: "books", columns: ["title", "isbn", "year"], key: [1]) {
      [
        pick(names, &$0), $0.next() % 4 == 0 ? "" : "978\($1)", "\(1990 + Int($0.next() % 30))",
      ]
    },
    Kind(name: "parts", columns: ["size", "kennung", "weight", "place"], key: [1]) {
      [pick(["S", "M", "L"], &$0), "K-\($1)", price(&$0), pick(towns, &$0)]
    },
    Kind(name: "renumbered", columns: ["id", "name", "price"], numbering: 0) { random, number in
      ["", "\(pick(names, &random)) \(number)", price(&random)]
    },
    Kind(name: "chance", columns: ["weight", "height", "name", "town"]) { random, _ in
      [price(&random), price(&random), pick(names, &random), pick(towns, &random)]
    },
  ]
}
