import Testing

/// Copies of whole stores, in which records keep their identifiers.
@Suite struct KeptIdentifierTests {
  private let folder: TemporaryFolder
  private static let kinds = ["catlog", "json", "db"]

  init() throws { folder = try TemporaryFolder() }

  private func run(_ store: String, _ commands: String...) throws -> ProgramRun {
    try folder.run([store] + commands.flatMap { ["-e", $0] })
  }

  private static let making = [
    "entity create A name:text n:integer", "entity create B title:text a:link:A as:links:A",
    "insert A name=x n=1", "insert A name=gone", "insert A name=y",
    "insert B title=T a=t1 as=t1,t3",
    "save", "delete A where name = 'gone'", "save",
  ]

  private func make(_ store: String) throws {
    let run = try folder.run([store] + Self.making.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test(arguments: kinds, kinds)
  func aCopyDiffersInNothing(from: String, to: String) throws {
    try make("a.\(from)")
    let run = try run("a.\(from)", "saveas b.\(to)", "diff b.\(to)")
    #expect(run.status == 0 && run.errors == "", "\(run)")
    let back = try folder.run(["b.\(to)", "--to", "c.\(from)"])
    #expect(back.status == 0, "\(back.errors)")
    #expect(try self.run("a.\(from)", "diff c.\(from)").status == 0)
    // New records get other keys.
    let new = try self.run("b.\(to)", "insert A name=z", "save", "check", "count A", "list B")
    #expect(new.status == 0 && new.output.contains("\n3\n"), "\(new)")
    #expect(new.output.contains(try self.run("a.\(from)", "list B").output))
  }

  @Test(arguments: kinds)
  func aCopyOfMemoryKeepsSavedRecordsAndNumbersUnsavedOnes(to: String) throws {
    let run = try folder.run(
      ["memory:"]
        + (Self.making + ["insert A name=new", "saveas b.\(to)", "list A fields id,name", "quit!"])
        .flatMap { ["-e", $0] }
    )
    #expect(run.status == 0, "\(run.errors)")
    let records = run.output.split(separator: "\n").suffix(3)
    let copied = try self.run("b.\(to)", "list A fields id,name").output.split(separator: "\n")
    #expect(copied.dropFirst().prefix(2) == records.prefix(2))
    #expect(records.last == "t5\tnew" && copied.last?.hasSuffix("\tnew") == true, "\(copied)")
    #expect(copied.last?.hasPrefix("t") == false || copied.last?.count == 20, "\(copied)")
  }

  @Test(arguments: ["5", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "a/b", "née"], kinds)
  func keysOfOtherKindsAreKept(key: String, to: String) throws {
    try folder.write(
      """
      {"catalog": {"format": 1, "store": "s", "schema": {"entities": [
        {"name": "P", "attributes": [{"name": "boss", "type": "link:P"}]}]}},
       "P": [{"id": "z", "boss": "P/\(key)"}, {"id": "\(key)", "boss": "z"}]}
      """,
      to: "a.json"
    )
    let run = try run("a.json", "saveas b.\(to)", "diff b.\(to)")
    #expect(run.status == 0 && run.errors == "", "\(run)")
    let new = try self.run("b.\(to)", "insert boss=\"\(key)\"", "save", "check", "count")
    #expect(new.status == 0 && new.output.contains("\n3\n"), "\(new)")
  }

  @Test(arguments: kinds)
  func recordsOfOtherFilesGetIdentifiers(to: String) throws {
    try folder.write(#"[{"title": "Up"}, {"title": "Soul"}]"#, to: "films.json")
    #expect(try run("films.json", "saveas b.\(to)").status == 0)
    let list = try run("b.\(to)", "list fields id").output.split(separator: "\n").dropFirst()
    #expect(list.count == 2 && list.allSatisfy { $0.count == 16 }, "\(list)")
  }

  /// An exported file has no schema: links are texts that are identifiers of records in the same file.
  @Test(arguments: kinds, kinds)
  func anExportBringsLinksBack(from: String, to: String) throws {
    let made = try run(
      "a.\(from)",
      "entity create Author name:text note:text",
      "entity create Book title:text author:link:Author editors:links:Author next:link:Book",
      "insert Author name=Calvino note=t9",
      "insert Author name=Lem",
      "insert Book title=Palomar author=t1 editors=t1,t2",
      "insert Book title=Eden author=t2 next=t3",
      "save",
      "export all.json"
    )
    #expect(made.status == 0, "\(made)")
    let copied = try run("b.\(to)", "import all.json by id", "save", "diff a.\(from)")
    #expect(copied.status == 0 && copied.output.hasPrefix("imported: 4 inserted,"), "\(copied)")
    let list = try run(
      "b.\(to)",
      "list Book sort title fields title,author.name,next.title,editors"
    )
    #expect(list.output.contains("Eden\tLem\tPalomar\t\n"), "\(list)")
    let again = try run("b.\(to)", "import all.json by id", "schema Author")
    #expect(again.output.contains("4 unchanged"), "\(again)")
    #expect(again.output.contains("note\ttext"), "\(again)")
  }
}
