import Testing

/// Identifiers that two entities of one file share.
@Suite struct TwoEntitiesTests {
  private static let library =
    #"{"books": [{"title": "Invisible Cities"}, {"title": "Marcovaldo"}],"#
    + #" "authors": [{"name": "Italo Calvino"}]}"#

  private func run(_ lines: [String], options: [String] = []) throws -> ProgramRun {
    let folder = try TemporaryFolder()
    try folder.write(Self.library, to: "library.json")
    return try folder.run(["library.json"] + options + lines.flatMap { ["-e", $0] })
  }

  @Test func aSharedIdentifierIsAmbiguousAndTheMessageSaysWhatToWrite() throws {
    let shown = try run(["show 1"])
    #expect(shown.status == 1)
    #expect(
      shown.errors == "catalog: 1: identifier \"1\" is ambiguous (authors/1, books/1); "
        + "give one of these, or use --entity NAME\n"
    )
  }

  @Test(arguments: [("books/1", "Invisible Cities"), ("authors/1", "Italo Calvino")])
  func theEntityBeforeTheIdentifierDecides(name: String, title: String) throws {
    let shown = try run(["show \(name)"])
    #expect(shown.status == 0, "\(shown.errors)")
    #expect(shown.output.contains(title))
  }

  @Test(arguments: [("books", "Invisible Cities"), ("authors", "Italo Calvino")])
  func theEntityOfTheOptionDecides(entity: String, title: String) throws {
    let shown = try run(["show 1"], options: ["--entity", entity])
    #expect(shown.status == 0, "\(shown.errors)")
    #expect(shown.output.contains(title))
  }

  @Test func aCopyThatIsRefusedNamesItsPlaceOnce() throws {
    let copied = try run(["saveas copy.csv"])
    #expect(copied.status != 0)
    #expect(
      copied.errors.hasPrefix(
        "catalog: 1: not saved to copy.csv: a file of separated values holds one entity, not 2"
      ),
      "\(copied.errors)"
    )
  }

  @Test func aWholeIdentifierIsNeverTooShort() throws {
    let shown = try run(["show 2"])
    #expect(shown.status == 0, "\(shown.errors)")
    #expect(shown.output.contains("Marcovaldo"))
  }
}
