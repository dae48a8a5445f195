import Foundation
import Testing

/// Codes of failed schema changes, comparisons with files, and output without a reader.
@Suite struct FurtherAnswersTests {
  @Test(arguments: [
    "field add E k:text", "field add E r:text!", "entity create E k:text", "field rename E k l",
  ])
  func aSchemaChangeThatIsNotPossibleHasOneCode(command: String) throws {
    let folder = try TemporaryFolder()
    let run = try folder.run([
      "a.catlog", "--answers", "jsonl", "-e", "entity create E k:text l:text", "-e", "insert k=1",
      "-e", command,
    ])
    let line = try #require(run.output.split(separator: "\n").first { $0.contains("\"line\":3") })
    #expect(line.contains("\"code\":\"invalid-schema\""), "\(run)")
  }

  @Test func theOnlyEntityOfAFileIsComparedWithANamedOne() throws {
    let folder = try TemporaryFolder()
    try folder.write("sku,n\nA,1\nB,3\n", to: "dd.csv")
    let run = try folder.run([
      "a.catlog", "-e", "entity create Item sku:text n:integer", "-e",
      "entity create Other sku:text", "-e", "insert Item sku=A n=1", "-e", "insert Item sku=B n=2",
      "-e", "diff dd.csv Item by sku",
    ])
    #expect(run.status == 1)
    #expect(run.output.contains("~\tItem\tt2\tB\tn: 2 → 3\n"), "\(run)")
    #expect(run.errors.contains("1 difference"), "\(run)")
  }

  @Test func aFollowedHistoryEndsWhenNobodyReadsIt() throws {
    let folder = try TemporaryFolder()
    _ = try folder.run(["a.catlog", "--sample", "-e", "save"])
    // Without a reader, only the limit of 20 seconds would end it.
    let run = try folder.inShell(
      """
      cd "\(folder.path)"
      { timeout 20 "$catalog" a.catlog -e 'history --follow'; echo $? >status; } | head -1
      cat status
      """
    )
    #expect(run.output.hasSuffix("\n141\n"), "\(run)")
  }

  @Test func aMisspelledOptionIsNotARecord() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(["memory:", "--sample", "-e", "history --folow"])
    #expect(
      run.errors == "catalog: 1: unknown option \"--folow\"; did you mean \"--follow\"?\n",
      "\(run)"
    )
  }

  @Test func aLinkByAnUnknownFieldNamesTheField() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run([
      "memory:", "-e", "entity create Author name:text", "-e",
      "entity create Book title:text author:link:Author", "-e", "insert Author name=Dup", "-e",
      "insert Book title=x author=nme:Dup",
    ])
    #expect(
      run.errors.contains("author: Author has no field \"nme\"; did you mean \"name\"?"),
      "\(run)"
    )
  }

  @Test(arguments: ["a.db", "a.catlog"])
  func anUpsertForEachRowFindsWhatEarlierRowsAdded(store: String) throws {
    let folder = try TemporaryFolder()
    let rows = (1...300).map { "title \($0 % 100),\($0)\n" }
    try folder.write("title,n\n" + rows.joined(), to: "f.csv")
    let run = try folder.run([
      store, "-e", "entity create Item title:text n:integer", "-e",
      "insert title='title 7' n=0", "-e", "save", "-e",
      "each f.csv upsert by title title=$title n=$n", "-e", "save", "-e", "count", "-e",
      "count where n > 200", "-e", "list where title = 'title 7' fields n",
    ])
    #expect(
      run.output.contains("imported: 99 inserted, 201 updated, 0 unchanged, 0 deleted\n"),
      "\(run)"
    )
    #expect(run.output.hasSuffix("100\n100\nn\n207\n"), "\(run)")
  }
}
