import Foundation
import OpenSwiftData
import Testing

@testable import CatalogProgram

/// Merges of three versions of a file: what is merged, and what is a conflict.
@Suite struct MergeCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let base: String
    let ours: String
    let theirs: String
    let result: String
    /// The beginning of each conflict; empty if everything is merged.
    var conflicts: [String] = []
    var ending = "csv"
    var keys: [String] = []
    var testDescription: String { name }
  }

  private static let cases: [Case] = [
    Case(
      name: "fields and records, each in its own spelling",
      base: "sku,name,price\nA1,Pen,1.50\nB2,Ink,4\nC3,Cap,9\n",
      ours: "sku;name;price\nC3;\"Cap\";9.00\nA1;Pen;1.50\nB2;Ink;5\n",
      theirs: "sku,name,price\nA1,Pencil,1.50\nB2,Ink,4\nD4,Mug,7.10\n",
      result: "sku;name;price\nA1;Pencil;1.50\nB2;Ink;5\nD4;Mug;7.10\n"
    ),
    Case(
      name: "a field that both have changed",
      base: "sku,name,price\nA1,Pen,1\nB2,Ink,4\n",
      ours: "sku,name,price\nA1,Pen,2\nB2,Ink,4\n",
      theirs: "sku,name,price\nA1,Pen,3\nB2,Tinte,4\n",
      result:
        "sku,name,price\n<<<<<<< ours\nA1,Pen,2\n=======\nA1,Pen,3\n>>>>>>> theirs\nB2,Tinte,4\n",
      conflicts: ["sku A1: price \"2\" in ours, \"3\" in theirs"]
    ),
    Case(
      name: "changed and deleted",
      base: "sku,name,price\nA1,Pen,1\nB2,Ink,4\n",
      ours: "sku,name,price\nA1,Pen,2\nB2,Ink,4\n",
      theirs: "sku,name,price\nB2,Ink,4\n",
      result: "sku,name,price\n<<<<<<< ours\nA1,Pen,2\n=======\n>>>>>>> theirs\nB2,Ink,4\n",
      conflicts: ["sku A1: changed in ours, deleted in theirs"]
    ),
    Case(
      name: "the same key added twice",
      base: "sku,name\nA1,Pen\n",
      ours: "sku,name\nA1,Pen\nB2,Ink\n",
      theirs: "sku,name\nA1,Pen\nB2,Mug\n",
      result: "sku,name\nA1,Pen\n<<<<<<< ours\nB2,Ink\n=======\nB2,Mug\n>>>>>>> theirs\n",
      conflicts: ["sku B2: added in both, with different values"],
      keys: ["sku"]
    ),
    Case(
      name: "added on both sides to a new file",
      base: "",
      ours: "sku,name\nA1,Pen\nB2,Ink\n",
      theirs: "sku,name\nB2,Ink\nC3,Cap\n",
      result: "sku,name\nA1,Pen\nB2,Ink\nC3,Cap\n"
    ),
    Case(
      name: "a column of each side",
      base: "sku,name\nA1,Pen\nB2,Ink\n",
      ours: "sku,name,size\nA1,Pen,S\nB2,Ink,\n",
      theirs: "sku,color,name\nA1,red,Pen\nB2,,Ink\n",
      result: "sku,name,size,color\nA1,Pen,S,red\nB2,Ink,,\n"
    ),
    Case(
      name: "without a key",
      base: "a,b,c\nx,1,one\ny,2,two\nz,3,three\n",
      ours: "a,b,c\ny,2,two\nz,3,three\nn,9,nine\n",
      theirs: "a,b,c\nx,1,one\ny,2,two\nz,3,three\nm,8,eight\n",
      result: "a,b,c\ny,2,two\nz,3,three\nn,9,nine\nm,8,eight\n"
    ),
    Case(
      name: "JSON keeps its types and its form",
      base:
        "[\n  {\"id\": 1, \"v\": 1.50, \"t\": \"5\"},\n  {\"id\": 2, \"v\": 2, \"t\": null}\n]\n",
      ours:
        "[\n  {\"id\": 1, \"v\": 1.50, \"t\": \"6\"},\n  {\"id\": 2, \"v\": 2, \"t\": null}\n]\n",
      theirs: "[{\"id\":1,\"v\":\"n/a\",\"t\":\"5\"},{\"id\":2,\"v\":2,\"t\":7}]\n",
      result:
        "[\n  {\"id\": 1, \"v\": \"n/a\", \"t\": \"6\"},\n  {\"id\": 2, \"v\": 2, \"t\": 7}\n]\n",
      ending: "json"
    ),
    Case(
      name: "JSON Lines",
      base: "{\"id\":1,\"v\":1}\n{\"id\":2,\"v\":2}\n",
      ours: "{\"id\":1,\"v\":5}\n{\"id\":2,\"v\":2}\n",
      theirs: "{\"id\":1,\"v\":6}\n",
      result: "<<<<<<< ours\n{\"id\":1,\"v\":5}\n=======\n{\"id\":1,\"v\":6}\n>>>>>>> theirs\n",
      conflicts: ["id 1: v \"5\" in ours, \"6\" in theirs"],
      ending: "jsonl"
    ),
    Case(
      name: "what is not made of records",
      base: "{\"name\": \"x\",\n\"version\": 1,\n\"size\": 2}\n",
      ours: "{\"name\": \"x\",\n\"version\": 2,\n\"size\": 2}\n",
      theirs: "{\"name\": \"y\",\n\"version\": 1,\n\"size\": 2}\n",
      result:
        "<<<<<<< ours\n{\"name\": \"x\",\n\"version\": 2,\n=======\n{\"name\": \"y\",\n\"version\": 1,\n>>>>>>> theirs\n\"size\": 2}\n",
      conflicts: ["BASE"],
      ending: "json"
    ),
    Case(
      name: "backslashes mean the same in all versions",
      base: "sku\tpath\nA1\tx\\ny\nB2\t\n",
      ours: "sku\tpath\nA1\tx\\ny\nB2\tz\n",
      theirs: "sku\tpath\nA1\tx\\ny\nB2\t\nC3\t\"a\nb\"\n",
      result: "sku\tpath\nA1\tx\\ny\nB2\tz\nC3\t\"a\nb\"\n",
      ending: "tsv"
    ),
    Case(
      name: "a column that one has removed and the other has edited",
      base: "sku,a,b\nA1,1,x\nB2,2,y\n",
      ours: "sku,a\nA1,1\nB2,2\n",
      theirs: "sku,a,b\nA1,1,x\nB2,2,z\n",
      result: "",
      conflicts: ["column b: OURS has removed it, THEIRS has edited it"]
    ),
    Case(
      name: "a column that both have added with different types",
      base: "sku,a\nA1,1\nB2,2\n",
      ours: "sku,a,b\nA1,1,5\nB2,2,\n",
      theirs: "sku,a,b\nA1,1,\nB2,2,big\n",
      result: "",
      conflicts: ["column b: OURS has added it as integer, THEIRS as text"]
    ),
    Case(
      name: "a record that is not known for certain",
      base: "item,qty\nmilk,1\negg,6\nham,2\n",
      ours: "item,qty\nmilk,3\negg,6\nham,2\n",
      theirs: "item,qty\nsoy milk,1\negg,6\nham,2\n",
      result:
        "item,qty\n<<<<<<< ours\nmilk,3\n=======\nsoy milk,1\n>>>>>>> theirs\negg,6\nham,2\n",
      conflicts: ["item milk: THEIRS: "]
    ),
    Case(
      name: "equal records that both have touched",
      base: "item,qty\nmilk,1\nmilk,1\nmilk,1\n",
      ours: "item,qty\nmilk,1\nmilk,1\n",
      theirs: "item,qty\nmilk,1\nmilk,1\nmilk,2\n",
      result: "",
      conflicts: ["both have changed or deleted one of equal records"]
    ),
    Case(
      name: "an ancestor that was merged with conflicts",
      base: "sku,name\n<<<<<<< ours\nA1,Pen\n=======\nA1,Ink\n>>>>>>> theirs\nB2,Cap\n",
      ours: "sku,name\nA1,Pen\nB2,Cap\n",
      theirs: "sku,name\nA1,Ink\nB2,Cap\n",
      result: "sku,name\n<<<<<<< ours\nA1,Pen\n=======\nA1,Ink\n>>>>>>> theirs\nB2,Cap\n",
      conflicts: ["BASE: the file has conflicts"]
    ),
    Case(
      name: "files of different tables",
      base: "a,b\n1,2\n",
      ours: "a,b\n1,3\n",
      theirs: "c,d\n5,6\n",
      result: "",
      conflicts: ["the files have no columns in common"]
    ),
    Case(
      name: "a title above the table",
      base: "My report\n\nid,a,c\n1,x,1\n2,y,2\n3,z,3\n",
      ours: "My report\n\nid,a,c\n1,z,1\n2,y,2\n3,z,3\n",
      theirs: "My report of May\n\nid,a,c\n1,x,1\n2,q,2\n3,z,3\n",
      result: "",
      conflicts: ["THEIRS has changed something outside the records"]
    ),
    Case(
      name: "what is beside the records",
      base: "{\"version\": 12345678901234567890, \"rows\": [\n{\"id\": 1, \"v\": 1}\n]}\n",
      ours: "{\"version\": 12345678901234567890, \"rows\": [\n{\"id\": 1, \"v\": 2}\n]}\n",
      theirs: "{\"version\": 12345678901234567891, \"rows\": [\n{\"id\": 1, \"v\": 1}\n]}\n",
      result: "",
      conflicts: ["THEIRS has changed something outside the records"],
      ending: "json"
    ),
  ]

  @Test(arguments: cases)
  func mergesRecords(_ test: Case) throws {
    let merge = try FileMerge(
      FileMerge.Versions(
        base: Array(test.base.utf8),
        ours: Array(test.ours.utf8),
        theirs: Array(test.theirs.utf8)
      ),
      name: "file.\(test.ending)",
      by: test.keys,
      reading: nil,
      in: folder.file("merge")
    )
    // Without an expected text, it is only that of a conflict.
    if !test.result.isEmpty {
      #expect(String(decoding: merge.text, as: UTF8.self) == test.result)
    }
    #expect(merge.conflicts.count == test.conflicts.count, "\(merge.conflicts)")
    for (conflict, expected) in zip(merge.conflicts, test.conflicts) {
      #expect(conflict.hasPrefix(expected))
    }
  }

  @Test func afterAFileThatIsMissingOursIsUnchanged() throws {
    try "a,b\n1,2\n".write(toFile: folder.file("o.csv"), atomically: true, encoding: .utf8)
    let run = try folder.run(["merge", "none.csv", "o.csv", "o.csv"])
    #expect(run.status == 129)
    #expect(run.errors.contains("none.csv"))
    #expect(try String(contentsOfFile: folder.file("o.csv"), encoding: .utf8) == "a,b\n1,2\n")
    #expect(try folder.run(["merge", "a", "b"]).status == 2)
  }

  @Test func theNameTellsWhatGitsCopiesContain() throws {
    for (file, text) in [("b", "a|b\n1|x\n"), ("o", "a|b\n1|y\n"), ("t", "a|b\n1|z\n")] {
      try folder.write(text, to: file)
    }
    let run = try folder.run(["merge", "b", "o", "t", "as", "dir/x.psv", "by", "a"])
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(
      run.errors == """
        catalog: dir/x.psv: 1 conflict, marked in the file
        catalog: dir/x.psv: a 1: b "y" in ours, "z" in theirs

        """
    )
    #expect(
      try folder.read("o") == "a|b\n<<<<<<< ours\n1|y\n=======\n1|z\n>>>>>>> theirs\n"
    )
  }
}
