import Testing

/// What the screen says where a name was mistyped, or is not what the program calls it.
@Suite struct MistypedNamesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("a,b\n2,y\n1,x\n", to: "films.csv")
  }

  private func press(_ keys: String) throws -> ProgramRun {
    try folder.run(["films.csv", "--keys", "-"], input: keys)
  }

  @Test func aFileThatDoesNotExistIsOpenedAfterAQuestion() throws {
    let asked = try press(#"":e flims.csv" Enter"#)
    #expect(asked.output.contains("open flims.csv as a new store?"), "\(asked)")
    #expect(asked.output.contains("did you mean films.csv?"))
    #expect(asked.output.contains(" films.csv · 2 of 2 "))
    let other = try press(#"":e flims.csv" Enter n"#)
    #expect(other.output.contains(" films.csv · 2 of 2 "))
    let opened = try press(#"":e new.json" Enter y"#)
    #expect(opened.output.contains("opened new.json"), "\(opened)")
    #expect(try folder.names() == ["films.csv"], "nothing is written before a save")
    // With unsaved changes, both questions are asked.
    let unsaved = try press(#"e 7 Enter ":e new.json" Enter y"#)
    #expect(unsaved.output.contains("unsaved"), "\(unsaved)")
  }

  @Test func thePaletteOffersWhatIsNearestOrTheHelp() throws {
    let near = try press("C-p exprot")
    #expect(near.output.contains(#"no command contains "exprot"; similar ones"#), "\(near)")
    #expect(near.output.contains(":export"))
    let nothing = try press("C-p zzqq")
    #expect(nothing.output.contains(#"no command contains "zzqq"; Enter opens the help"#))
    #expect(try press("C-p zzqq Enter").output.contains("search in all fields as you type"))
  }

  @Test func theMessageLineSaysHowTheTableIsOrdered() throws {
    #expect(try press("s").output.contains("sorted by a\n"))
    #expect(try press("s s l S").output.contains("sorted by a, descending, then by b\n"))
    #expect(try press(#":sort Enter"#).output.contains("no longer sorted"))
    #expect(try press("b").output.contains("grouped by a; press Z to fold all groups"))
  }
}
