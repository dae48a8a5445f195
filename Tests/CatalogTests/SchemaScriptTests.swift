import Foundation
import Testing

/// Schema changes, links, and stores without records in the real program.
@Suite struct SchemaScriptTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let stores = ["s.json", "s.catlog"]

  private func script(_ store: String, _ lines: String..., expecting status: Int32 = 0) throws
    -> ProgramRun
  {
    let run = try folder.run([store], input: lines.joined(separator: "\n") + "\n")
    #expect(run.status == status, "\(run)")
    return run
  }

  @Test(arguments: stores)
  func anEmptyStoreWithASchemaIsAStore(store: String) throws {
    _ = try script(store, "entity create E k:text!", "save")
    #expect(try folder.names().contains(store))
    #expect(try script(store, "schema E").output.contains("k\ttext\ttrue"))
    _ = try script(store, "saveas copy.json", "saveas copy.catlog")
    for copy in ["copy.json", "copy.catlog"] {
      #expect(try script(copy, "schema E").output.contains("k\ttext\ttrue"))
    }
  }

  @Test(arguments: stores)
  func theLastEntityComesAndGoes(store: String) throws {
    let turns = [
      "entity create E k:integer!", "save", "undo", "save", "redo", "save", "undo", "save",
    ]
    let run = try folder.run([store], input: turns.joined(separator: "\n") + "\n")
    #expect(run.status == 0, "\(run)")
    _ = try script(store, "entity create F k:text", "save", "undo", "save", "entities")
    #expect(try script(store, "check").output == "ok\n")
  }

  @Test(arguments: stores + ["own.jsonl"])
  func theOpenStoreIsNoPlaceToExportTo(store: String) throws {
    let name = store == "own.jsonl" ? "own" : "E"
    _ = try script(store, "entity create \(name) k:integer", "insert k=1", "save", expecting: 0)
    let before = try folder.read(store)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link.csv",
      withDestinationPath: store
    )
    for path in ["link.csv"] + (store.hasSuffix("catlog") ? [] : [store]) {
      let run = try folder.run([store, "-e", "export \(path)"])
      #expect(run.status == 1 && run.errors.contains("is the open store"), "\(run)")
    }
    #expect(try folder.read(store) == before)
  }

  @Test func aMomentOutsideTheYearsIsRefusedAtOnce() throws {
    for text in ["9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00"] {
      let run = try folder.run(["a.json"], input: "entity create E d:datetime\ninsert d=\(text)\n")
      #expect(run.status == 1 && run.errors.contains("outside the years 0000 to 9999"), "\(run)")
    }
  }

  @Test(arguments: stores)
  func aDeleteRuleStaysOneAfterReopening(store: String) throws {
    _ = try script(store, "entity create E k:text", "field add E next:link:E:deny", "save")
    _ = try script(store, "field rename E k name", "save")
    _ = try script(store, "insert name=a", "save", "check")
    #expect(try script(store, "schema E").output.contains("next\tlink:E:deny"))
  }

  @Test func aRequiredFieldMayHoldTheJSONValueNull() throws {
    _ = try script("n.json", "entity create E j:json! d:json!=5", "insert j=null d=null", "save")
    let run = try folder.run([
      "n.json", "--format", "jsonl", "-e", "list fields id,j,d", "-e", "check",
    ])
    #expect(run.status == 0, "\(run)")
  }

  @Test func anUnsavedSchemaGoesOnTopOfWhatOthersSaved() throws {
    _ = try script("o.json", "entity create E s:text", "insert s=a", "insert s=b", "save")
    let run = try folder.inShell(
      """
      other() { "$catalog" o.json -e 'set where s = "b" s=B' -e save >other; }
      { echo 'field add z:text=q'; echo 'count'; sleep 1; other; echo save; echo 'list sort s'; } |
        "$catalog" o.json
      """
    )
    #expect(run.status == 0, "\(run)")
    #expect(run.output.hasSuffix("B\tq\n") || run.output.contains("\tB\tq\n"), "\(run)")
  }

  @Test(arguments: stores)
  func aSchemaThatIsGivenIsSaved(store: String) throws {
    try folder.write(
      #"{"entities": [{"name": "E", "attributes": [{"name": "k", "type": "text"}]}]}"#,
      to: "schema"
    )
    let run = try folder.run([store, "--schema", "schema", "-e", "save"])
    #expect(run.status == 0 && run.output == "saved: 0 inserted, 0 updated, 0 deleted\n")
    #expect(try script(store, "entities").output.contains("E\t0\tk"))
  }

  @Test func saveasOfNothingIsRefused() throws {
    let run = try script("memory:", "saveas x.json", expecting: 1)
    #expect(run.errors.contains("no entities"))
    #expect(try folder.names().isEmpty)
  }

  @Test(arguments: stores)
  func aFailingLineLeavesNothingOfAnImportBehind(store: String) throws {
    try folder.write(#"[{"name": "Ann"}, {"name": "Bob"}]"#, to: "people.json")
    _ = try script(store, "entity create E k:text", "save")
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.file(store)))
    _ = try script(store, "import people.json into P", "show nothing", expecting: 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file(store))) == before)
    _ = try script(store, "import people.json into P", "save")
    #expect(try script(store, "count P").output == "2\n")
  }

  @Test(arguments: stores)
  func anUnsavedSchemaIsToldAndCountsAsUnsaved(store: String) throws {
    _ = try script(store, "entity create E k:text n:integer", "insert k=a n=1", "save")
    let run = try script(store, "field drop n", "field add m:text=x", "status", expecting: 3)
    #expect(run.output.contains("unsaved: 2\n"))
    #expect(run.output.contains("schema: drop n from E; add m to E\n"))
    #expect(run.errors.contains("discarded 2 unsaved changes"))
    #expect(try script(store, "list fields id,n").output.hasSuffix("\t1\n"))
    let undone = try script(
      store,
      "field drop n",
      "save",
      "undo",
      "list fields id,n",
      "save",
      "list fields id,n"
    )
    #expect(undone.output.split(separator: "\n").filter { $0.hasSuffix("\t1") }.count == 2)
    #expect(undone.output.contains("saved: 0 inserted, 1 updated, 0 deleted"))
  }

  @Test(arguments: stores)
  func deletingSaysWhatElseChanged(store: String) throws {
    _ = try script(
      store,
      "entity create P name:text boss:link:P:cascade",
      "entity create F title:text by:link:P with:links:P keeper:link:P:deny",
      "insert P name=Ann",
      "insert P name=Bob boss=t1",
      "insert F title=Up by=t1 with=\"t1 t2\"",
      "insert F title=Jaws keeper=t2",
      "save"
    )
    let schema = try script(store, "schema F").output
    #expect(schema.contains("keeper\tlink:P:deny\t"))
    let refused = try script(store, "delete P where name = 'Ann'", expecting: 1)
    #expect(refused.errors.contains("cannot delete"))
    let run = try script(
      store,
      "set F where title = 'Jaws' keeper=",
      "delete P where name = 'Ann'",
      "save",
      "check",
      "undo",
      "save",
      "check",
      "count P"
    )
    #expect(run.output.contains("deleted 1 record that linked to it, cleared 3 links"), "\(run)")
    #expect(run.output.contains("saved: 0 inserted, 2 updated, 2 deleted"), "\(run)")
    #expect(run.output.hasSuffix("2\n"))
  }

  @Test func saveasSaysWhichLinksItLeavesOut() throws {
    try folder.write(
      """
      {"catalog": {"format": 1, "store": "s", "schema": {"entities": [
        {"name": "P", "attributes": [{"name": "boss", "type": "link:P"}]}]}},
       "P": [{"id": "a", "boss": "gone"}]}
      """,
      to: "a.json"
    )
    let run = try script("a.json", "saveas b.catlog", "saveas c.json")
    #expect(run.output.contains("skipped 1 link to records that do not exist"), "\(run)")
    #expect(try script("b.catlog", "list fields id,boss").output.hasSuffix("\t\n"))
    let found = try script("a.json", "check", expecting: 1)
    #expect((found.output + found.errors).contains("which does not exist"))
  }
}
