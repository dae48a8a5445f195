import Foundation
import Glibc
import Testing

/// Recovery after another program has renamed a field in the header of a file.
@Suite struct RenamedHeaderRecoveryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Makes changes, kills the program, replaces the file, and recovers and saves.
  private func recovered(_ changes: [String], as text: String) throws -> ProgramRun {
    try folder.write("name,n,city\none,1,Rome\ntwo,2,Oslo\nthree,3,Bern\n", to: "c.csv")
    let run = try ScreenRun([folder.file("c.csv"), "--plain"])
    #expect(run.shows("catalog> "))
    for line in changes { run.type(line + "\n") }
    run.type("status\n")
    #expect(run.shows("deleted: 1"), "\(run.received)")
    #expect(run.shows("catalog> "))
    kill(run.process, SIGKILL)
    #expect(run.wait() == .killed(SIGKILL))
    try folder.write(text, to: "c.csv")
    return try folder.run(["c.csv", "-e", "recover", "-e", "save"])
  }

  private static let renamed = "name,number,city\none,1,Rome\ntwo,2,Oslo\nthree,3,Bern\n"

  @Test func changesOfFieldsThatStillExistAreRecovered() throws {
    let run = try recovered(
      ["set 1 name=ONE n=11", "insert name=four n=4 city=Kyiv", "delete 2"],
      as: Self.renamed
    )
    #expect(run.status == 0, "\(run)")
    #expect(
      try folder.read("c.csv") == "name,number,city\nONE,1,Rome\nthree,3,Bern\nfour,,Kyiv\n",
      "\(run)"
    )
    #expect(run.output.contains("n not set to \"11\": the field no longer exists"), "\(run)")
    #expect(run.output.contains("n not set to \"4\": the field no longer exists"), "\(run)")
    #expect(try folder.names().contains { $0.contains("conflicts") }, "a copy is kept")
  }

  @Test func aRecordWithOtherValuesIsStillAnotherOne() throws {
    let run = try recovered(
      ["set 1 name=ONE", "delete 2"],
      as: "name,number,city\nzero,1,Lima\none,1,Rome\nthree,3,Bern\n"
    )
    #expect(run.errors.contains("nothing recovered"), "\(run)")
    #expect(
      try folder.read("c.csv") == "name,number,city\nzero,1,Lima\none,1,Rome\nthree,3,Bern\n"
    )
  }

  @Test func withoutAnyOfItsFieldsNothingIsRecovered() throws {
    let run = try recovered(
      ["set 1 name=ONE", "delete 2"],
      as: "a,b,c\none,1,Rome\ntwo,2,Oslo\nthree,3,Bern\n"
    )
    #expect(run.errors.contains("nothing recovered"), "\(run)")
    #expect(run.output.contains("its fields no longer exist"), "\(run)")
  }
}
