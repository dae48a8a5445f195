import CatalogApp
import OpenSwiftData
import SQL
import Stores
import Testing

@testable import CatalogProgram
@testable import SQLiteStores

/// Changes that rest on values which another program changes before they are saved.
@Suite struct ReadSetTests {
  private static let files = ["t.csv", "t.json", "t.catlog", "t.db", "foreign.db"]

  /// Two sessions on a store with the record A1: 5 pieces at 10, 50 in all.
  private func sessions(_ name: String, in folder: TemporaryFolder) throws -> (Session, Session) {
    switch name {
    case "t.csv": try folder.write("sku,qty,price,total\nA1,5,10,50\nA2,7,20,140\n", to: name)
    case "t.json":
      try folder.write(
        #"[{"sku":"A1","qty":5,"price":10,"total":50},{"sku":"A2","qty":7,"price":20,"total":140}]"#,
        to: name
      )
    case "foreign.db":
      _ = try folder.database(
        name,
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, sku TEXT, qty INTEGER, price INTEGER, total INTEGER)
        """,
        "INSERT INTO t VALUES (1, 'A1', 5, 10, 50), (2, 'A2', 7, 20, 140)"
      )
    default:
      let commands = [
        "entity create t sku:text qty:integer price:integer total:integer",
        "insert sku=A1 qty=5 price=10 total=50", "insert sku=A2 qty=7 price=20 total=140", "save",
      ]
      #expect(try folder.run([name] + commands.flatMap { ["-e", $0] }).status == 0)
    }
    return (try session(name, in: folder), try session(name, in: folder))
  }

  private func session(_ name: String, in folder: TemporaryFolder) throws -> Session {
    let services = CatalogServices(
      fileSystem: LocalFileSystem(),
      author: nil,
      output: StandardOutput(1),
      owner: 0,
      recoveryFolder: folder.file("recovery"),
      kinds: StoreKind.standard
    )
    return try services.session(on: folder.file(name))
  }

  private func perform(_ session: Session, _ commands: String...) throws {
    for command in commands { _ = try session.perform(command) }
  }

  private func expectConflict(_ session: Session, of fields: [String]) throws {
    #expect(throws: (any Error).self) { try perform(session, "save") }
    let found = try session.context.conflicts()
    #expect(found.map(\.kind) == [.changed])
    #expect(found.first?.differences.map(\.name) == fields)
  }

  private func values(_ session: Session, _ place: Int = 0) throws -> [String?] {
    let saved = try session.context.fetchSnapshots(matching: Query("t"))
    try #require(saved.count == 2)
    return ["sku", "qty", "price", "total"].map { saved[place][$0]?.text }
  }

  /// Both have sold one piece: the second sale must not be lost because its result is the same.
  @Test(arguments: files) func theSameComputedValueOfBothIsAConflict(name: String) throws {
    let folder = try TemporaryFolder()
    let (mine, theirs) = try sessions(name, in: folder)
    for session in [mine, theirs] {
      try perform(session, #"set where sku = "A1" qty:=qty - 1"#)
    }
    try perform(theirs, "save")
    try expectConflict(mine, of: ["qty"])
    try perform(mine, "resolve all theirs", #"set where sku = "A1" qty:=qty - 1"#, "save")
    #expect(try values(mine) == ["A1", "3", "10", "50"])
    mine.context.checkInvariants()
  }

  /// A value is computed from fields that it does not change; other fields are merged as ever.
  @Test(arguments: files, RecordConflict.Side.allCases)
  func aComputedValueIsInConflictWithItsSources(name: String, side: RecordConflict.Side) throws {
    let folder = try TemporaryFolder()
    let (mine, theirs) = try sessions(name, in: folder)
    try perform(mine, #"set where sku = "A1" total:=qty * 2"#)
    try perform(theirs, #"set where sku = "A1" price=11"#, "save")
    try perform(mine, "save", #"set where sku = "A1" total:=qty * 3"#)
    try perform(theirs, #"set where sku = "A1" qty=6"#, "save")
    try expectConflict(mine, of: ["qty", "total"])
    try perform(mine, "resolve all \(side)", "save")
    #expect(try values(mine) == ["A1", "6", "11", side == .mine ? "15" : "10"])
    // Undone, it rests on nothing.
    try perform(mine, #"set where sku = "A1" total:=qty * 5"#, "undo")
    try perform(mine, #"set where sku = "A1" total=1"#)
    try perform(theirs, #"set where sku = "A1" qty=8"#, "save")
    try perform(mine, "save")
    #expect(try values(mine) == ["A1", "8", "11", "1"])
    mine.context.checkInvariants()
  }

  /// What was typed for another field of the record is no part of the conflict.
  @Test(arguments: files) func typedValuesBesideComputedOnesStay(name: String) throws {
    let folder = try TemporaryFolder()
    let (mine, theirs) = try sessions(name, in: folder)
    try perform(mine, #"set where sku = "A1" qty:=qty - 1"#, #"set where sku = "A1" price=12"#)
    try perform(theirs, #"set where sku = "A1" qty=100"#, "save")
    try expectConflict(mine, of: ["qty"])
    try perform(mine, "resolve all theirs", "save")
    #expect(try values(mine) == ["A1", "100", "12", "50"])
  }

  /// A typed value rests on nothing, whatever was computed before it; other computed values still do.
  @Test(arguments: files) func aValueTypedOverAComputedOneRestsOnNothing(name: String) throws {
    let folder = try TemporaryFolder()
    let (mine, theirs) = try sessions(name, in: folder)
    try perform(mine, #"set where sku = "A1" total:=qty * price"#, #"set where sku = "A1" total=1"#)
    try perform(theirs, #"set where sku = "A1" qty=8"#, "save")
    try perform(mine, "save")
    #expect(try values(mine) == ["A1", "8", "10", "1"])
    let both = #"set where sku = "A1" total:=qty * 2 price:=qty * 3"#
    try perform(mine, both, #"set where sku = "A1" total=2"#)
    try perform(theirs, #"set where sku = "A1" qty=9"#, "save")
    try expectConflict(mine, of: ["qty", "price"])
    try perform(mine, "resolve all theirs", "save")
    #expect(try values(mine) == ["A1", "9", "10", "2"])
    // After an undo the computed value is back.
    try perform(
      mine,
      #"set where sku = "A1" total:=qty * 5"#,
      #"set where sku = "A1" total=3"#,
      "undo"
    )
    try perform(theirs, #"set where sku = "A1" qty=7"#, "save")
    try expectConflict(mine, of: ["qty", "total"])
    mine.context.checkInvariants()
  }

  /// A value from a file rests on the key by which its row was found, and on what the condition about the file compares.
  @Test(arguments: files) func aValueOfAFileIsInConflictWithTheKeyOfItsRow(name: String) throws {
    let folder = try TemporaryFolder()
    let (mine, theirs) = try sessions(name, in: folder)
    try folder.write("n,price\n5,1\n7,2\n", to: "p.csv")
    let file = folder.file("p.csv")
    try perform(mine, #"set where sku = "A1" join '\#(file)' as p by qty = n price:=p.price"#)
    try perform(theirs, #"set where sku = "A1" qty=7"#, "save")
    try expectConflict(mine, of: ["qty", "price"])
    try perform(mine, "resolve all theirs", "save")
    try perform(mine, "set where total < p.price * 99 join '\(file)' as p by qty = n price:=9")
    try perform(theirs, #"set where sku = "A1" total=51"#, "save")
    try expectConflict(mine, of: ["price", "total"])
    mine.context.checkInvariants()
  }

  /// What was only read is theirs, whichever side is kept, and no undo brings the former value back.
  @Test(arguments: files, ["mine", "theirs"])
  func anUndoLeavesWhatWasOnlyReadAlone(name: String, side: String) throws {
    let folder = try TemporaryFolder()
    let (mine, theirs) = try sessions(name, in: folder)
    try perform(mine, #"set where sku = "A1" qty:=qty + price"#)
    try perform(theirs, #"set where sku = "A1" price=1"#, "save")
    try expectConflict(mine, of: ["qty", "price"])
    try perform(mine, "resolve all \(side)", "undo")
    #expect(try values(mine) == ["A1", side == "mine" ? "5" : "15", "1", "50"])
    if side == "mine" { #expect(!mine.context.hasChanges) }
    mine.context.checkInvariants()
  }

  /// A session on a database of another program with the people Ada and Bob and the card z of Bob.
  private func cards(in folder: TemporaryFolder) throws -> (Session, SQLiteConnection) {
    let other = try folder.database(
      "cards.db",
      "CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT, city TEXT, born INTEGER)",
      "CREATE TABLE c (id INTEGER PRIMARY KEY, title TEXT, p INTEGER REFERENCES p (id))",
      "INSERT INTO p VALUES (1, 'Ada', 'Rome', 1900), (2, 'Bob', 'Oslo', 1910)",
      "INSERT INTO c VALUES (3, 'z', 2)"
    )
    try folder.write("title,p.name\nz,Ada\n", to: "in.csv")
    return (try session("cards.db", in: folder), other)
  }

  private func replace(_ number: Int, _ other: SQLiteConnection) throws {
    try other.run(
      "UPDATE p SET name = 'Zoe', city = 'Wien', born = 1999 WHERE id = \(.integer(Int64(number)))"
    )
  }

  private func expectRefusal(_ session: Session, _ words: String) {
    let error = #expect(throws: PersistenceError.self) { try session.context.save() }
    #expect(error?.code == .conflict)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  /// The number of the linked record is on another one when the link is saved.
  @Test(arguments: [
    "set c/3 p=1", #"set c where title = "z" p=name:"Ada""#, #"insert c title=n p=name:"Ada""#,
    "import 'IN' into c by title", "each 'IN' set c where title = $title p=1",
  ])
  func aLinkIsMeantForTheRecordThatWasRead(command: String) throws {
    let folder = try TemporaryFolder()
    let (mine, other) = try cards(in: folder)
    let command = command.replacing("IN", with: folder.file("in.csv"))
    try perform(mine, command)
    try other.run("UPDATE p SET city = 'Roma' WHERE id = 1")
    try perform(mine, "save", "undo", "save", command)
    try replace(1, other)
    expectRefusal(mine, ".p: p record 1: only id 1 agrees (record ")
    #expect(try other.value("SELECT count(*) FROM c WHERE p = 1") == .integer(0))
    // Who names the new record means it.
    if command.hasPrefix("import") { return }
    try perform(mine, "undo", command.replacing("Ada", with: "Zoe"), "save")
    mine.context.checkInvariants()
  }

  @Test func aLinkToARecordWithAnotherNumberNamesIt() throws {
    let folder = try TemporaryFolder()
    let (mine, other) = try cards(in: folder)
    try perform(mine, "set c/3 p=1")
    try other.run("UPDATE p SET id = 98 WHERE id = 1")
    expectRefusal(mine, "(record 3); give the field another value, perhaps 98, or undo the change")
    try perform(mine, "set c/3 p=98", "save")
    #expect(try other.value("SELECT p FROM c") == .integer(98))
  }

  /// The other program means another record by the same number.
  @Test(arguments: ["mine", "theirs"]) func aLinkThatBothHaveSetCanMeanTwoRecords(side: String)
    throws
  {
    let folder = try TemporaryFolder()
    let (mine, other) = try cards(in: folder)
    try perform(mine, "set c/3 p=1 title=y")
    try replace(1, other)
    try other.run("UPDATE c SET p = 1")
    expectRefusal(mine, ".p: p record 1: only id 1 agrees (record ")
    #expect(try mine.context.conflicts().flatMap(\.differences).map(\.name) == ["p"])
    if side == "mine" {
      let error = #expect(throws: (any Error).self) { try perform(mine, "resolve all mine") }
      #expect("\(error.map(String.init(describing:)) ?? "")".contains("p is 1 for both"))
      return
    }
    try perform(mine, "resolve all theirs", "save")
    #expect(try other.value("SELECT title || p FROM c") == .text("y1"))
    // It is no conflict if both mean the same record.
    try perform(mine, "set c/3 p=2")
    try other.run("UPDATE c SET p = 2")
    try perform(mine, "save")
    mine.context.checkInvariants()
  }

  /// An undo means the record that was linked when the link was replaced, a redo the one that was linked first.
  @Test(arguments: [true, false]) func aLinkThatComesBackIsMeantForTheFormerRecord(isUndo: Bool)
    throws
  {
    let folder = try TemporaryFolder()
    let (mine, other) = try cards(in: folder)
    try perform(mine, "set c/3 p=1")
    try perform(mine, isUndo ? "save" : "undo")
    try replace(isUndo ? 2 : 1, other)
    try perform(mine, isUndo ? "undo" : "redo")
    expectRefusal(mine, "p record \(isUndo ? 2 : 1): only id")
  }

  /// A record that was named by a key is not that record without the key.
  @Test(arguments: ["t.catlog", "t.db", "foreign.db"], ["upsert", "import"])
  func aRecordIsNamedByItsKey(name: String, command: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("sku,price\nA1,11\n", to: "in.csv")
    let (mine, theirs) = try sessions(name, in: folder)
    try perform(
      mine,
      command == "upsert"
        ? "upsert by sku sku=A1 price=11" : "import '\(folder.file("in.csv"))' by sku"
    )
    try perform(theirs, #"set where sku = "A1" sku=A9"#, #"set where sku = "A2" sku=A1"#, "save")
    try expectConflict(mine, of: ["sku", "price"])
    try perform(mine, "resolve all theirs", "save")
    #expect(try values(mine) == ["A9", "5", "10", "50"])
    #expect(try values(mine, 1) == ["A1", "7", "20", "140"])
  }
}
