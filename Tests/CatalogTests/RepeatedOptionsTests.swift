import Testing

/// Duplicate options.
@Suite struct RepeatedOptionsTests {
  @Test(arguments: [
    ["--store", "memory", "--store", "json"], ["--schema", "a", "--schema=b"],
    ["--entity", "A", "--entity", "B"], ["--keys", "a", "--keys", "b"],
    ["--history", "all", "--history", "none"],
  ])
  func contradictionsAreRefused(options: [String]) throws {
    let run = try TemporaryFolder().run(options)
    #expect(run.status == 2, "\(run)")
    #expect(run.errors.contains("duplicate \(options[0])"), "\(run)")
  }

  @Test(arguments: [
    ["--store", "memory", "--store", "memory", "--sample"],
    ["--store", "memory", "--sample", "--entity", "Film", "--entity", "Film"],
    ["--store", "memory", "--sample", "--format", "csv", "--format", "tsv"],
    ["--store", "memory", "--sample", "--theme", "dark", "--theme", "light"],
    ["--store", "memory", "--sample", "--size", "90x24", "--size", "80x24"],
  ])
  func whatSaysTheSameOrHowItLooksMayBeRepeated(options: [String]) throws {
    let run = try TemporaryFolder().run(options + ["-e", "count"])
    #expect(run.status == 0 && run.output == "31\n", "\(run)")
  }
}
