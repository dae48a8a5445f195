import Foundation
import Testing

/// All stores treat values that are hard to distinguish, and their history, in the same way.
@Suite struct StoredAsTypedTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The output without record identifiers, which differ in each run.
  private func plain(_ run: ProgramRun) -> String {
    run.output.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.replacing(/^(id|t[0-9]+|[0-9a-z]{16})\t/, with: "")
    }.joined(separator: "\n")
  }

  @Test(arguments: ["a.json", "a.catlog"])
  func aNullComesBackAsNoValueAndNotAsTheDefault(name: String) throws {
    let script = """
      entity create E k:text m:json='{"a":1}' j:json
      insert k=1 m=null j=null
      insert k=2 m=
      insert k=3
      save
      check
      list fields id,k,m,j
      """
    let list = "k\tm\tj\n1\t\tnull\n2\t\t\n3\t{\"a\":1}\t\n"
    let run = try folder.run([name], input: script)
    #expect(plain(run).hasSuffix("\nok\n" + list), "\(run)")
    let again = try folder.run([name, "-e", "list fields id,k,m,j", "-e", "check"])
    #expect(plain(again) == list + "ok\n", "\(again)")
  }

  @Test func aNullInAFileOfOthersIsNoDifference() throws {
    let url = URL(fileURLWithPath: folder.file("p.json"))
    try Data(#"[{"a":{"x":1}}]"#.utf8).write(to: url)
    let run = try folder.run(["p.json", "-e", "set 1 a=null", "-e", "save", "-e", "check"])
    #expect(run.output.hasSuffix("\nok\n"), "\(run)")
  }

  @Test(arguments: ["a.json", "a.catlog", "a.jsonl"])
  func duplicateKeysAreRefusedWhereTheyAreTyped(name: String) throws {
    let script = "entity create a m:json\ninsert m='{\"a\":1,\"a\":2}'\n"
    let run = try folder.run([name], input: script)
    #expect(run.status == 1)
    #expect(run.errors.contains("2: column 10: m: invalid JSON at byte 8: duplicate key \"a\""))
  }

  @Test(arguments: ["memory:", "a.json", "a.catlog"])
  func theHistoryTellsWhatWasDroppedAndTheDefaults(location: String) throws {
    let script = """
      entity create E a:text b:integer=5 c:text
      insert a=x
      save
      field drop E c
      field add E d:integer!=7
      field rename E a aa
      save
      field add E q:text="a b"
      save
      history
      """
    let run = try folder.run([location], input: script)
    let changes = run.output.split(separator: "\n").compactMap { line in
      line.split(separator: "\t").last.map(String.init)
    }
    #expect(
      changes.suffix(2) == [
        "field drop E c, field add E d:integer!=7, field rename E a aa",
        "field add E q:text=\"a b\"",
      ],
      "\(run)"
    )
  }
}
