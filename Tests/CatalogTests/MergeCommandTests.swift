import Foundation
import OpenSwiftData
import Stores
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
    var result = ""
    /// The conflicts, or the reason for which nothing is merged.
    var conflicts: [String] = []
    var refusal: String?
    var form = MergeForm.separated(ReadingOptions(), promised: nil)
    var keys: [String] = []
    var testDescription: String { name }
  }

  private static let merges: [Case] = [
    Case(
      name: "fields and records, in the spelling of ours",
      base: "sku,name,price\nA1,Pen,1.50\nB2,Ink,4\nC3,Cap,9\n",
      ours: "sku,price,name\r\nC3,9,\"Cap\"\r\nA1,1.50,Pen\r\nB2,5,Ink",
      theirs: "sku,name,price\nA1,Pencil,1.50\nB2,Ink,4\nD4,\"Mug, \"\"big\"\"\",7.10\n",
      result: "sku,price,name\r\nA1,1.50,Pencil\r\nB2,5,Ink\r\nD4,7.10,\"Mug, \"\"big\"\"\""
    ),
    Case(
      name: "every change of characters arrives",
      base: "id,v,w\n1,1.1,7\n2,true,\n3,12e3,e\u{301}\n4,x,x\n",
      ours: "id,v,w\n1,1.1,007\n2,true,\n3,12e3,e\u{301}\n4,x,y\n",
      theirs: "id,v,w\n1,1.10,7\n2,TRUE,\"\"\n3,12000,\u{e9}\n4,x ,x\n",
      result: "id,v,w\n1,1.10,007\n2,TRUE,\"\"\n3,12000,\u{e9}\n4,x ,y\n"
    ),
    Case(
      name: "a field that both have changed, be it to values that look alike",
      base: "sku,name,price\nA1,Pen,1\nB2,Ink,4\n",
      ours: "sku,name,price\nA1,Pen,2\nB2,Ink,4\n",
      theirs: "sku,name,price\nA1,Pen,2.0\nB2,Tinte,4\n",
      result:
        "sku,name,price\n<<<<<<< ours\nA1,Pen,2\n=======\nA1,Pen,2.0\n>>>>>>> theirs\nB2,Tinte,4\n",
      conflicts: ["sku \"A1\": price \"2\" in ours, \"2.0\" in theirs"]
    ),
    Case(
      name: "a column that both have added, in which one has left out a value",
      base: "id,note\n1,NA\n2,x\n",
      ours: "id,remark\n1,NA\n2,x\n",
      theirs: "id,remark\n1,\n2,x\n",
      result: "id,remark\n<<<<<<< ours\n1,NA\n=======\n1,\n>>>>>>> theirs\n2,x\n",
      conflicts: ["id \"1\": remark \"NA\" in ours, empty in theirs"],
      keys: ["id"]
    ),
    Case(
      name: "changed and deleted",
      base: "sku,name,price\nA1,Pen,1\nB2,Ink,4\n",
      ours: "sku,name,price\nA1,Pen,1.0\nB2,Ink,4\n",
      theirs: "sku,name,price\nB2,Ink,4\n",
      result: "sku,name,price\n<<<<<<< ours\nA1,Pen,1.0\n=======\n>>>>>>> theirs\nB2,Ink,4\n",
      conflicts: ["sku \"A1\": changed in ours, deleted in theirs"]
    ),
    Case(
      name: "the same key added twice",
      base: "sku,name\nA1,Pen\n",
      ours: "sku,name\nA1,Pen\nB2,Ink\nC3,Cap\n",
      theirs: "sku,name\nA1,Pen\nB2,Mug\nC3,Cap\n",
      result: "sku,name\nA1,Pen\n<<<<<<< ours\nB2,Ink\n=======\nB2,Mug\n>>>>>>> theirs\nC3,Cap\n",
      conflicts: ["sku \"B2\": added in both, with different values"]
    ),
    Case(
      name: "a column of each side, and one that is removed",
      base: "sku,name,old\nA1,Pen,x\nB2,Ink,y\n",
      ours: "sku,name,old,size\nA1,Pen,x,S\nB2,Ink,y,\n",
      theirs: "sku,color,name\nA1,red,Pen\nB2,,Ink\n",
      result: "sku,name,size,color\nA1,Pen,S,red\nB2,Ink,,\n"
    ),
    Case(
      name: "whole records without a key, in the places that they had",
      base: "a,b\nx,1\ny,2\nz,3\n",
      ours: "a,b\nn,9\ny,2\nz,3\n",
      theirs: "a,b\nx,1\ny,2\nm,8\nz,4\n",
      result: "a,b\nn,9\ny,2\nm,8\nz,4\n"
    ),
    Case(
      name: "JSON keeps its types, nulls and form",
      base:
        "[\n  {\"id\": 1, \"v\": 1.50, \"t\": {\"a\": null}},\n  {\"id\": 2, \"v\": 2, \"t\": null}\n]\n",
      ours: "[\n  {\"id\": 1, \"v\": 1.50, \"t\": 6},\n  {\"id\": 2, \"v\": 2, \"t\": null}\n]\n",
      theirs:
        "[{\"id\":1,\"v\":1.5,\"t\":{\"a\":null}},{\"id\":2,\"v\":2},{\"id\":3,\"x\":[ null ]}]\n",
      result:
        "[\n  {\"id\": 1, \"v\": 1.5, \"t\": 6},\n  {\"id\": 2, \"v\": 2},\n  {\"id\":3,\"x\":[ null ]}\n]\n",
      form: .json
    ),
    Case(
      name: "the last element of an array in conflict",
      base: "{\"v\": 1, \"rows\": [\n  {\"id\": 1},\n  {\"id\": 2}\n]}\n",
      ours: "{\"v\": 1, \"rows\": [\n  {\"id\": 1},\n  {\"id\": 2, \"x\": 5}\n]}\n",
      theirs: "{\"v\": 1, \"rows\": [\n  {\"id\": 1}\n]}\n",
      result:
        "{\"v\": 1, \"rows\": [\n<<<<<<< ours\n  {\"id\": 1},\n  {\"id\": 2, \"x\": 5}\n=======\n  {\"id\": 1}\n>>>>>>> theirs\n]}\n",
      conflicts: ["id \"2\": changed in ours, deleted in theirs"],
      form: .json,
      keys: ["id"]
    ),
    Case(
      name: "JSON Lines",
      base: "{\"id\":1,\"v\":1}\n{\"id\":2,\"v\":2}\n",
      ours: "{\"id\":1,\"v\":5}\n{\"id\":2,\"v\":2}\n",
      theirs: "{\"id\":1,\"v\":6}\n",
      result: "<<<<<<< ours\n{\"id\":1,\"v\":5}\n=======\n{\"id\":1,\"v\":6}\n>>>>>>> theirs\n",
      conflicts: ["id \"1\": v 5 in ours, 6 in theirs"],
      form: .lines
    ),
    Case(
      name: "a file of both sides without an ancestor",
      base: "",
      ours: "sku,name\nA1,Pen\nB2,Ink\n",
      theirs: "sku,name\nB2,Ink\nC3,Cap\n",
      result: "sku,name\nA1,Pen\nB2,Ink\nC3,Cap\n"
    ),
  ]

  private static let refusals: [Case] = [
    Case(
      name: "equal records that both have added",
      base: "item,qty\negg,6\n",
      ours: "item,qty\negg,6\nmilk,1\n",
      theirs: "item,qty\nham,2\negg,6\nmilk,1\n",
      refusal: "both have added, changed or deleted item \"milk\", qty \"1\""
    ),
    Case(
      name: "equal records of which each side has changed one",
      base: "item,qty\nmilk,1\nmilk,1\n",
      ours: "item,qty\nmilk,2\nmilk,1\n",
      theirs: "item,qty\nmilk,1\nmilk,2\n",
      refusal: "one of several records item \"milk\", qty \"1\" was changed"
    ),
    Case(
      name: "a changed record without a key, next to a change of the other side",
      base: "k,v\na,1\nb,2\nc,3\n",
      ours: "k,v\na,1\nc,3\nc,4\n",
      theirs: "k,v\na,1\nb,2\nc,5\n",
      refusal: "both have changed something at k \"b\", v \"2\""
    ),
    Case(
      name: "an identifier of which the base has spellings that look alike",
      base: "sku,d\n1.1,a\n1.10,b\n",
      ours: "sku,d\n1.1,a\n1.10,b\n5,x\n",
      theirs: "sku,d\n1.1,a\n1.10,b\n5,y\n",
      refusal: "sku \"1.10\" also occurs in another spelling"
    ),
    Case(
      name: "keys that look alike",
      base: "ver,d\n1.1,a\n1.10,b\n",
      ours: "ver,d\n1.1,c\n1.10,b\n",
      theirs: "ver,d\n1.1,a\n1.10,e\n",
      refusal: "ver \"1.10\" also occurs in another spelling",
      keys: ["ver"]
    ),
    Case(
      name: "a key that occurs twice",
      base: "sku,n\nA1,1\nB2,2\n",
      ours: "sku,n\nA1,1\nB2,3\n",
      theirs: "sku,n\nA1,5\nA1,6\nB2,2\n",
      refusal: "THEIRS: several records have sku \"A1\"",
      keys: ["sku"]
    ),
    Case(
      name: "a record without a key",
      base: "{\"id\":1}\n{\"id\":2}\n",
      ours: "{\"id\":1,\"x\":1}\n{\"id\":2}\n",
      theirs: "{\"id\":1}\n{\"id\":null}\n",
      refusal: "THEIRS: a record has no id",
      form: .lines,
      keys: ["id"]
    ),
    Case(
      name: "ids that were given out anew",
      base: "id,name,qty\n1,Pen,5\n2,Ink,5\n3,Cap,5\n",
      ours: "id,name,qty\n1,Mug,5\n2,Pen,5\n3,Ink,5\n4,Cap,5\n",
      theirs: "id,name,qty\n1,Pen,5\n2,Ink,6\n3,Cap,5\n",
      refusal: "id \"1\" may be another record with the same id now"
    ),
    Case(
      name: "a new record before the last one, which has a new id now",
      base: "id,n,s\n1,Ann,open\n2,Bob,open\n3,Cid,open\n",
      ours: "id,n,s\n1,Ann,open\n2,Bob,open\n3,Cid,done\n",
      theirs: "id,n,s\n1,Ann,open\n2,Bob,open\n3,Zed,open\n4,Cid,open\n",
      refusal: "id \"4\" has the other values that id \"3\" had"
    ),
    Case(
      name: "a column that one has removed and the other has edited",
      base: "sku,a,b\nA1,1,x\nB2,2,y\n",
      ours: "sku,a\nA1,1\nB2,2\n",
      theirs: "sku,a,b\nA1,1,x\nB2,2,\"\"\n",
      refusal: "column b: one side has removed it, the other has edited it",
      keys: ["sku"]
    ),
    Case(
      name: "a column that one has renamed, in which the other has a new record",
      base: "sku,a,b\nA1,1,x\n",
      ours: "sku,a,c\nA1,1,x\n",
      theirs: "sku,a,b\nA1,1,x\nB2,2,y\n",
      refusal: "column b: one side has removed it, the other has edited it",
      keys: ["sku"]
    ),
    Case(
      name: "a column that both have added under the same name twice",
      base: "sku,a\nA1,1\n",
      ours: "sku,a,x,x\nA1,1,2,3\n",
      theirs: "sku,a\nA1,2\n",
      refusal: "columns without a name of their own",
      keys: ["sku"]
    ),
    Case(
      name: "an ancestor that was merged with conflicts",
      base: "sku,name\n<<<<<<< ours\nA1,Pen\n=======\nA1,Ink\n>>>>>>> theirs\nB2,Cap\n",
      ours: "sku,name\nA1,Pen\nB2,Cap\n",
      theirs: "sku,name\nA1,Ink\nB2,Cap\n",
      refusal: "BASE has the markers of a merge before"
    ),
    Case(
      name: "other delimiters",
      base: "sku,a\nA1,1\nB2,2\n",
      ours: "sku;a\nA1;1\nB2;3\n",
      theirs: "sku,a\nA1,4\nB2,2\n",
      refusal: "the files divide values in different ways"
    ),
    Case(
      name: "a title above the table",
      base: "My report\n\nid,a,c\n1,x,1\n2,y,2\n3,z,3\n",
      ours: "My report\n\nid,a,c\n1,z,1\n2,y,2\n3,z,3\n",
      theirs: "My report of May\n\nid,a,c\n1,x,1\n2,q,2\n3,z,3\n",
      refusal: "THEIRS has changed something outside the records"
    ),
    Case(
      name: "what is beside the records",
      base: "{\"v\": 12345678901234567890, \"rows\": [\n{\"id\": 1, \"v\": 1}\n]}\n",
      ours: "{\"v\": 12345678901234567890, \"rows\": [\n{\"id\": 1, \"v\": 2}\n]}\n",
      theirs: "{\"v\": 12345678901234567891, \"rows\": [\n{\"id\": 1, \"v\": 1}\n]}\n",
      refusal: "THEIRS has changed something outside the records",
      form: .json
    ),
    Case(
      name: "what is not made of records",
      base: "{\"name\": \"x\", \"size\": 1}\n",
      ours: "{\"name\": \"x\", \"size\": 2}\n",
      theirs: "{\"name\": \"y\", \"size\": 1}\n",
      refusal: "BASE: a file of one array of objects is required",
      form: .json
    ),
  ]

  private func merge(_ test: Case) throws -> FileMerge {
    let texts = [test.base, test.ours, test.theirs].map { Array($0.utf8) }
    return try FileMerge(texts, test.form, by: test.keys)
  }

  @Test(arguments: merges)
  func mergesRecords(_ test: Case) throws {
    let merge = try merge(test)
    #expect(String(decoding: merge.text, as: UTF8.self).utf8.elementsEqual(test.result.utf8))
    #expect(String(decoding: merge.text, as: UTF8.self) == test.result)
    #expect(merge.conflicts == test.conflicts)
  }

  @Test(arguments: refusals)
  func refusesWhatIsNotCertain(_ test: Case) throws {
    let refusal = #expect(throws: MergeRefusal.self) { try merge(test) }
    let words = refusal?.description ?? ""
    #expect(words.hasPrefix(test.refusal ?? ""), "\(words)")
  }

  @Test func afterAFileThatIsMissingOursIsUnchanged() throws {
    try "a,b\n1,2\n".write(toFile: folder.file("o.csv"), atomically: true, encoding: .utf8)
    let run = try folder.run(["merge", "none.csv", "o.csv", "o.csv"])
    #expect(run.status == 129)
    #expect(run.errors.contains("none.csv"))
    #expect(try String(contentsOfFile: folder.file("o.csv"), encoding: .utf8) == "a,b\n1,2\n")
    #expect(try folder.run(["merge", "a", "b"]).status == 2)
  }

  /// Markers would be lost in a text with zero bytes, such as UTF-16.
  @Test func aTextThatCannotBeMarkedIsUnchanged() throws {
    for file in ["b", "o", "t"] { try folder.write("a\u{0},\(file)\n", to: file) }
    let run = try folder.run(["merge", "b", "o", "t", "as", "x.csv"])
    #expect(run.status == 129)
    #expect(run.errors.contains("nothing was written"), "\(run.errors)")
    #expect(try folder.read("o") == "a\u{0},o\n")
  }

  @Test func theReadingIsThatOfAllFiles() throws {
    for (file, text) in [
      ("b", "1,2\n3,4\n5,6\n"), ("o", "1,9\n3,4\n5,6\n"), ("t", "1,2\n3,4\n5,6\n7,8\n"),
    ] {
      try folder.write(text, to: file)
    }
    let run = try folder.run(["merge", "b", "o", "t", "as", "x.csv", "--read", "header=no"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try folder.read("o") == "1,9\n3,4\n5,6\n7,8\n")
  }

  @Test func helpNeedsNoFiles() throws {
    for words in [["merge", "--help"], ["--help", "salvage"]] {
      let run = try folder.run(words)
      #expect(run.status == 0 && run.output.contains("catalog merge BASE OURS THEIRS"), "\(run)")
    }
  }

  @Test func theNameTellsWhatGitsCopiesContain() throws {
    for (file, text) in [("b", "a|b\n1|x\n"), ("o", "a|b\n1|y\n"), ("t", "a|b\n1|z\n")] {
      try folder.write(text, to: file)
    }
    let unnamed = try folder.run(["merge", "b", "o", "t"])
    #expect(unnamed.status == 1)
    #expect(unnamed.errors.hasPrefix("catalog: o: not merged, both versions are marked: the name"))
    let both = "<<<<<<< ours\na|b\n1|y\n=======\na|b\n1|z\n>>>>>>> theirs\n"
    #expect(try folder.read("o") == both)
    try folder.write("a|b\n1|y\n", to: "o")
    let run = try folder.run(["merge", "b", "o", "t", "as", "dir/x.psv", "by", " a"])
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(
      run.errors == """
        catalog: dir/x.psv: 1 conflict, marked in the file
        catalog: dir/x.psv: a "1": b "y" in ours, "z" in theirs

        """
    )
    #expect(
      try folder.read("o") == "a|b\n<<<<<<< ours\n1|y\n=======\n1|z\n>>>>>>> theirs\n"
    )
  }
}
