import Testing

/// Counts and pivots by the columns of joined files.
@Suite struct PivotedFilesTests {
  @Test func joinedColumnsAreCountedAndPivoted() throws {
    let folder = try TemporaryFolder()
    try folder.write("name,land\na,N\nb,S\n", to: "towns.csv")
    let join = "join towns.csv as t by city = name"
    let lines = [
      "entity create R city:text year:integer amount:decimal",
      "insert city=a year=1 amount=2", "insert city=b year=2 amount=3",
      "insert city=a year=2 amount=4", "insert city=x year=1 amount=8",
      "freq t.land \(join)",
      "stats amount where t.land = \"N\" \(join)",
      "pivot t.land by year sum(amount) \(join)",
      "pivot year by t.land count() where t.name is not null \(join)",
      "unpivot amount as n,v \(join) having t.land = \"S\"",
      "freq year * 10", "quit!",
    ]
    let run = try folder.run(["memory:"] + lines.flatMap { ["-e", $0] })
    #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
    let output = run.output.replacing("\t", with: " ")
    #expect(output.contains("value count\nN 2\n 1\nS 1\n"), "\(output)")
    #expect(output.contains("mean 3\n") && output.contains("sum 6\n"), "\(output)")
    #expect(output.contains("t.land 1 2\nN 2 4\nS 0 3\n 8 0\n"), "\(output)")
    #expect(output.contains("year N S\n1 1 0\n2 1 1\n"), "\(output)")
    #expect(output.contains("b 2 b S amount 3\n"), "\(output)")
    #expect(output.hasSuffix("value count\n10 2\n20 2\n"), "\(output)")
  }
}
