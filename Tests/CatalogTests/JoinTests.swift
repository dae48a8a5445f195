import Foundation
import Testing

/// Lists with the rows of files beside their records; the first expectations were computed by hand.
@Suite struct JoinTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("cid,v\n2,10\n1,20\n9,30\n,40\n2,50\n", to: "r.csv")
    try folder.write("id,name,tier\n1,Ada,a\n2,Bob,\n3,Cy,b\n,None,z\n", to: "c.csv")
    try folder.write("id,name\n1,Ada\n1,Eva\n2,Bob\n", to: "twice.csv")
    try folder.write("[{\"key\":\"2\",\"n\":{\"x\":7}},{\"key\":\"x\",\"n\":null}]", to: "t.json")
    try folder.write("unit key,at\n1.0,2024-01-31\n2.0,2024-02-01\n", to: "d.csv")
  }

  @Test(arguments: [
    (
      "list join c.csv as c by cid = id fields cid, c.name, c.tier ?? \"none\" as tier",
      "cid c.name tier|2 Bob none|1 Ada a|9  none|  none|2 Bob none"
    ),
    (
      "list where c.id is not null join c.csv as c by cid = id fields v, c.name",
      "v c.name|10 Bob|20 Ada|50 Bob"
    ),
    ("list where c.id is null join c.csv as c by cid = id fields v", "v|30|40"),
    (
      "list by c.name fields c.name, sum(v) as s join c.csv as c by cid = id",
      "c.name s|Ada 20|Bob 60| 70"
    ),
    (
      "list join all twice.csv as c by cid = id fields v, c.name",
      "v c.name|10 Bob|20 Ada|20 Eva|30 |40 |50 Bob"
    ),
    (
      "list join c.csv as c by cid=id join twice.csv as e by c.name = name fields v,e.id sort -e.id limit 3",
      "v e.id|10 2|50 2|20 1"
    ),
    (
      "list where v > 15 and c.tier = \"a\" join c.csv as c by cid = id fields v,c.name",
      "v c.name|20 Ada"
    ),
    // Cells are read as the type of the key, which may be an expression.
    ("list join t.json as t by cid = key fields v, t.n.x as x", "v x|10 7|20 |30 |40 |50 7"),
    (
      "list join d.csv as d by cid = `unit key` fields v, day(d.at) as day limit 2",
      "v day|10 1|20 31"
    ),
    ("list join c.csv as c by cid + 1 = id fields cid,c.id limit 2", "cid c.id|2 3|1 2"),
  ])
  func putsTheRowWithTheKeyBesideEachRecord(command: String, expected: String) throws {
    let run = try folder.run(["r.csv", "-e", command])
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n").map { $0.replacing("\t", with: " ") }
    #expect(lines.joined(separator: "|") == expected)
  }

  @Test(arguments: [
    (
      "list join twice.csv as c by cid = id fields v",
      "1 of 5 records: 2: twice.csv: rows 1 and 2 have id 1; write \"join all\" for a row for each"
    ),
    ("list join no.csv as c by cid = id", "column 11: \"no.csv\" not found"),
    (
      "list join c.csv as c by cid = key",
      "column 31: c.csv has no column \"key\"; available: id, name, tier"
    ),
    ("list join c.csv as v by cid = id", "column 20: \"v\" has a meaning already"),
    ("list join c.csv as c", "join: expected by KEY after c.csv as c"),
    ("list where c.no = 1 join c.csv as c by cid = id", "column 12: r has no field \"c.no\""),
  ])
  func saysWhatIsWrongWithAJoin(command: String, expected: String) throws {
    let run = try folder.run(["r.csv", "-e", command])
    #expect(run.status == 1 && run.output.isEmpty, "\(run)")
    #expect(run.errors.contains(expected), "\(run.errors)")
  }

  /// Keys are compared as = compares them: decimals with binary numbers, days with moments, links by their identifiers.
  @Test(arguments: [
    ("z.csv", "list join z.db as c by k fields k,c.w", "k c.w|0.5 7|3 "),
    ("z.db", "list join z.csv as c by k fields k,c.v", "k c.v|0.5 1"),
    ("days.csv", "list join moments.csv as c by d fields v,c.w", "v c.w|1 1|2 2"),
    ("moments.csv", "list join days.csv as c by d fields w,c.v", "w c.v|1 1|2 2"),
    ("fk.db", "list bo join fk.db#au as a by au = id fields t,a.name", "t a.name|Eden Lem|x "),
    ("fk.db", "list bo join aid.csv as a by au = aid fields t,a.x", "t a.x|Eden yes|x "),
    ("fk.db", "list au join fk.db#bo as b by id = au fields name,b.t", "name b.t|Lem Eden"),
  ])
  func keysAreComparedAsInConditions(store: String, command: String, expected: String) throws {
    try folder.write("k,v\n0.5,1\n3,2\n", to: "z.csv")
    try folder.write("d,v\n2020-01-01,1\n2020-01-02,2\n", to: "days.csv")
    try folder.write(
      "d,w\n2020-01-01T00:00:00Z,1\n2020-01-02T05:00:00Z,2\n",
      to: "moments.csv"
    )
    try folder.write("aid,x\n1,yes\n", to: "aid.csv")
    try folder.database("z.db", "CREATE TABLE t (k REAL, w INT)", "INSERT INTO t VALUES (0.5, 7)")
    try folder.database(
      "fk.db",
      "CREATE TABLE au (id INTEGER PRIMARY KEY, name TEXT)",
      "CREATE TABLE bo (id INTEGER PRIMARY KEY, au INTEGER REFERENCES au (id), t TEXT)",
      "INSERT INTO au VALUES (1, 'Lem')",
      "INSERT INTO bo VALUES (1, 1, 'Eden'), (2, NULL, 'x')"
    )
    let run = try folder.run([store, "-e", command])
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n").map { $0.replacing("\t", with: " ") }
    #expect(lines.joined(separator: "|") == expected)
  }

  /// Formerly the program crashed.
  @Test(arguments: [
    "list join c.csv as c by c.id = id",
    "list join d.csv as d by c.id = at join c.csv as c by cid = id",
  ])
  func aKeyKnowsNoColumnOfItsOwnFile(command: String) throws {
    let run = try folder.run(["r.csv", "-e", command])
    #expect(run.status == 1)
    #expect(run.errors.contains("r has no field \"c.id\""), "\(run.errors)")
  }

  /// Exports have no numbers of rows, and lists that do not ask for identifiers plain ones.
  @Test func onlyAListThatAsksForIdentifiersHasTheirChecks() throws {
    let join = "join c.csv as c by cid = id limit 1"
    let run = try folder.run(["r.csv", "-e", "list \(join)", "-e", "export - \(join)"])
    #expect(
      run.output == "id\tcid\tv\tc.id\tc.name\tc.tier\n1\t2\t10\t2\tBob\t\n"
        + "cid\tv\tc.id\tc.name\tc.tier\n2\t10\t2\tBob\t\n",
      "\(run)"
    )
  }

  @Test func theJoinedRowsAreExported() throws {
    let run = try folder.run([
      "r.csv", "-e", "export out.csv join c.csv as c by cid = id where c.id > 0 fields v,c.name",
    ])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try folder.read("out.csv") == "v,c.name\r\n10,Bob\r\n20,Ada\r\n50,Bob\r\n")
  }
}
