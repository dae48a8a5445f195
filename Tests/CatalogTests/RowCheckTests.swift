import Testing

/// The numbers of rows, which lists print with a check of their values.
@Suite struct RowCheckTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("name,town\nAda,Rome\nBob,Oslo\nCid,Bern\nDot,Riga\n", to: "p.csv")
    try folder.write(
      "[{\"sku\": \"A1\", \"price\": 1}, {\"sku\": \"B2\", \"price\": 2}]\n",
      to: "shop.json"
    )
  }

  private func list(_ file: String, _ filter: String) throws -> String {
    try folder.run([file, "-e", "list where \(filter) fields id"]).output
  }

  /// Formerly another person was deleted.
  @Test func aListThatIsOutOfDateDeletesNobody() throws {
    let listed = try list("p.csv", "name = 'Bob'")
    #expect(listed.wholeMatch(of: /id\n2~[0-9a-z]{4}\n/) != nil, "\(listed)")
    #expect(try folder.run(["p.csv", "-e", "delete where name = 'Ada'", "-e", "save"]).status == 0)
    let before = try folder.read("p.csv")
    for command in ["delete - expect 1", "set - town=Nice", "show -"] {
      let run = try folder.run(["p.csv", "-e", command, "-e", "save"], input: listed)
      #expect(run.status == 1 && run.errors.contains("is another one now"), "\(run)")
      #expect(run.output == "", "\(run)")
    }
    #expect(try folder.read("p.csv") == before)
  }

  @Test func aListOfThePresentFileIsAccepted() throws {
    let listed = try list("p.csv", "name = 'Bob'")
    let run = try folder.run(["p.csv", "-e", "delete - expect 1", "-e", "save"], input: listed)
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("p.csv") == "name,town\nAda,Rome\nCid,Bern\nDot,Riga\n")
  }

  /// A check follows the key, so another value may change.
  @Test func aChangedValueBesideTheKeyLeavesTheCheckAlone() throws {
    let listed = try list("shop.json", "sku = 'B2'")
    let set = try folder.run(["shop.json", "-e", "set where sku = 'B2' price=3", "-e", "save"])
    #expect(set.status == 0, "\(set)")
    let run = try folder.run(["shop.json", "-e", "delete -", "-e", "save"], input: listed)
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("shop.json") == "[{\"sku\": \"A1\", \"price\": 1}]\n")
  }

  @Test func aTypedIdentifierMayHaveItsCheck() throws {
    let listed = try list("p.csv", "name = 'Cid'").split(separator: "\n")
    let checked = String(listed.last ?? "")
    let shown = try folder.run(["p.csv", "-e", "show \(checked)"])
    #expect(shown.output.contains("Bern"), "\(shown)")
    let wrong = try folder.run(["p.csv", "-e", "show 3~zzzz"])
    #expect(wrong.errors.contains("3~zzzz: record 3 is another one now"), "\(wrong)")
    #expect(try folder.run(["p.csv", "-e", "show 3"]).output.contains("Bern"))
  }

  @Test func aNumberWithoutACheckIsRefusedFromStandardInput() throws {
    let run = try folder.run(["p.csv", "-e", "delete -", "-e", "save"], input: "2\n3\n")
    #expect(run.status == 1 && run.errors.contains("record 2 is a row number"), "\(run)")
    #expect(try folder.read("p.csv").contains("Bob"))
  }

  @Test func allRowsThatAreOthersAreNamed() throws {
    let listed = try list("p.csv", "name != 'Ada'")
    try folder.write("name,town\nAda,Rome\nEve,Oslo\nCid,Bern\n", to: "p.csv")
    let run = try folder.run(["p.csv", "-e", "delete -"], input: listed)
    let pattern = #/record (4|2)~\S+ is another one now \(and (2|4)~\S+\); nothing was done/#
    #expect(run.status == 1 && run.errors.contains(pattern), "\(run)")
  }

  /// Formerly exports had numbers alone, which no command accepts.
  @Test(arguments: ["export - fields id", "export ids.csv where name != 'Ada' fields id,name"])
  func exportsThatNameTheIdentifierHaveChecks(command: String) throws {
    let exported = try folder.run(["p.csv", "--format", "csv", "-e", command])
    #expect(exported.status == 0, "\(exported)")
    let text = command.contains("ids.csv") ? try folder.read("ids.csv") : exported.output
    #expect(text.contains(/2~[0-9a-z]{4}/), "\(text)")
    let ids = text.split(whereSeparator: \.isNewline).dropFirst()
      .map { $0.prefix { $0 != "," } + "\n" }.joined()
    #expect(try folder.run(["p.csv", "-e", "delete -", "-e", "save"], input: ids).status == 0)
    #expect(try !folder.read("p.csv").contains("Bob"))
  }

  /// Unsaved records have no number, in an export no identifier either.
  @Test func recordsThatAreNotSavedHaveNoCheck() throws {
    func print(_ command: String) throws -> [Substring] {
      let commands = ["insert name=Eve", command, "rollback"]
      let run = try folder.run(["p.csv"] + commands.flatMap { ["-e", $0] })
      return run.output.split(separator: "\n", omittingEmptySubsequences: false).suffix(3)
    }
    let listed = try print("list where name > 'D' fields id,name")
    #expect(listed[listed.startIndex].contains(/^4~[0-9a-z]{4}\tDot$/), "\(listed)")
    #expect(listed[listed.startIndex + 1] == "t1\tEve")
    let exported = try print("export - where name > 'D' fields id,name")
    #expect(exported[exported.startIndex].contains(/^4~[0-9a-z]{4}\tDot$/), "\(exported)")
    #expect(exported[exported.startIndex + 1] == "\tEve")
  }

  /// A list that names the identifier may be read by another command, whatever its format.
  @Test(arguments: ["tsv", "csv", "json", "jsonl"])
  func onlyListsThatNameTheIdentifierHaveChecks(format: String) throws {
    func list(_ clauses: String) throws -> String {
      try folder.run(["p.csv", "--format", format, "-e", "list where name = 'Bob' \(clauses)"])
        .output
    }
    #expect(try list("fields id").contains(/2~[0-9a-z]{4}/))
    #expect(try list("fields name,id").contains(/2~[0-9a-z]{4}/))
    let whole = try list("")
    #expect(whole.contains("2") && !whole.contains("~"), "\(whole)")
    let read = try folder.run(["p.csv", "-e", "delete -"], input: "2\n")
    #expect(read.status == 1 && read.errors.contains("use the identifiers with checks"), "\(read)")
  }
}
