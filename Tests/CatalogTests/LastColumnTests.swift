import Testing

/// Changes of the columns of separated values that the file cannot keep, or that lose values.
@Suite struct LastColumnTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Formerly the file was emptied before the check failed.
  @Test(arguments: [
    ("5\n", ["field drop column1"]), ("n\n5\n", ["field drop n"]),
    ("a,b\n5,6\n", ["field drop a", "field drop b"]),
  ])
  func theLastColumnStays(text: String, commands: [String]) throws {
    try folder.write(text, to: "c.csv")
    let arguments = (commands + ["save"]).flatMap { ["-e", $0] }
    let read = text.first == "5" ? ["--read", "header=no"] : []
    let run = try folder.run(["c.csv"] + read + arguments)
    #expect(run.status == 1 && run.errors.contains("empty lines without a column"), "\(run)")
    #expect(try folder.read("c.csv") == text)
  }

  @Test func aScriptIsToldWhatAConversionLoses() throws {
    try folder.write("k,x\na,foo\nb,7\n", to: "m.csv")
    for options in [["--dry-run"], []] {
      let run = try folder.run(
        ["m.csv"] + options + ["-e", "field type x integer missing", "-e", "save"]
      )
      #expect(run.status == 0 && run.errors.contains("x: 1 value became missing"), "\(run)")
    }
    #expect(try folder.read("m.csv") == "k,x\na,\nb,7\n")
  }
}
