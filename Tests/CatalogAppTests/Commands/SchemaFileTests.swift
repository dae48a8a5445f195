import CatalogApp
import OpenSwiftData
import Testing

/// Schemas in files: what is missing is made once, and differences are found.
@Suite struct SchemaFileTests {
  private static let library = """
    {"entities": [
      {"name": "Book", "attributes": [
        {"name": "title", "type": "text", "required": true}, {"name": "author", "type": "link:Author"}]},
      {"name": "Author", "attributes": [
        {"name": "name", "type": "text", "required": true}, {"name": "best", "type": "link:Book"},
        {"name": "alive", "type": "boolean", "default": true}]}]}
    """

  private func fixture(_ files: [String: String] = [:], _ schema: Schema = Schema()) throws
    -> ScriptFixture
  {
    let fixture = try ScriptFixture(schema)
    fixture.services.files["library.json"] = Array(Self.library.utf8)
    for (name, text) in files { fixture.services.files[name] = Array(text.utf8) }
    return fixture
  }

  /// Entities that link to each other are possible, too.
  @Test func applyingMakesWhatIsMissingOnce() throws {
    let fixture = try fixture()
    let result = try fixture.run(
      """
      schema apply library.json
      schema apply library.json
      schema check library.json
      undo
      entities
      redo
      insert Author name=Calvino
      insert Book title=Cosmicomics author=t1
      set t1 best=t2
      save
      schema apply library.json
      """
    )
    #expect(
      result.output.normalized == """
        create Book
        create Author
        add author to Book
        name\trecords\tfields
        t1
        t2
        saved: 2 inserted, 0 updated, 0 deleted
        t1 -> ID
        t2 -> ID

        """,
      "\(result)"
    )
    #expect(result.errors == "")
  }

  @Test func fieldsAreAddedAndRenamedAndOthersStay() throws {
    let fixture = try fixture(
      [
        "s.json": """
        {"entities": [{"name": "Film", "attributes": [
          {"name": "title", "type": "text", "required": true},
          {"name": "year", "type": "integer", "originalName": "releaseYear"},
          {"name": "stars", "type": "integer", "required": true, "default": 3}]}]}
        """
      ],
      Schema(ScriptFixture.film)
    )
    let result = try fixture.run(
      """
      insert title=Up releaseYear=2009 director="Pete Docter"
      save
      schema apply s.json
      schema apply s.json
      list fields year,stars,director
      """
    )
    #expect(
      result.output.contains(
        "rename releaseYear to year in Film\nadd stars to Film\nyear\tstars\tdirector\n"
          + "2009\t3\tPete Docter\n"
      ),
      "\(result)"
    )
  }

  @Test(arguments: [
    (
      #"{"name": "title", "type": "integer", "required": true}"#,
      "Film.title: expected integer!, found text!; schema apply only adds what is missing"
    ),
    (
      #"{"name": "stars", "type": "integer", "unique": true, "required": true}"#,
      "s.json: required field \"stars\" needs a default for existing records"
    ), (#"{"name": "stars", "type": "stars"}"#, "s.json: entities.1.attributes.1.type: unknown"),
    (#"{"name": "stars", "typ": "text"}"#, "s.json: unknown key \"typ\" of field \"Film.stars\""),
    (#"{"name": "stars" "type": "text"}"#, "s.json:1:64: invalid JSON"),
    (#"{"name": "author", "type": "link:Author"}"#, "s.json: "),
  ])
  func whatCannotBeMadeIsOneLineAndChangesNothing(field: String, message: String) throws {
    let fixture = try fixture(
      [
        "s.json": """
        {"entities": [{"name": "Film", "attributes": [\(field)]},
          {"name": "New", "attributes": [{"name": "a", "type": "text"}]}]}
        """
      ],
      Schema(ScriptFixture.film)
    )
    let result = try fixture.run("schema apply s.json\nstatus", keepsGoing: true)
    #expect(result.errors.hasPrefix("1: \(message)"), "\(result)")
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.output.contains("unsaved: 0\n"), "\(result)")
  }

  @Test func checkingPrintsEachDifferenceAndFails() throws {
    let fixture = try fixture([:], Schema(ScriptFixture.film))
    let result = try fixture.run(
      """
      schema export film.json
      schema check film.json
      schema export -
      field add rank:integer
      field drop seen
      entity create Old a:text
      schema check film.json
      """
    )
    #expect(result.status == 1)
    #expect(result.errors == "7: schema check found 3 differences\n")
    #expect(
      result.output == (fixture.services.text("film.json") ?? "") + """
        Film.seen: missing field, expected boolean default "false"
        Film.rank: unexpected field
        Old: unexpected entity

        """,
      "\(result)"
    )
  }

  @Test func entitiesAreCreatedIfTheyAreMissing() throws {
    let fixture = try fixture()
    let result = try fixture.run(
      """
      entity create Note text:text! if missing
      entity create Note other:integer if missing
      schema Note
      entity create Note text:text if there
      """
    )
    #expect(
      result.output == "field\ttype\trequired\tunique\tdefault\ntext\ttext\ttrue\tfalse\t\n",
      "\(result)"
    )
    #expect(result.errors == "4: \"if\" is not a field definition; use FIELD:TYPE\n")
  }

  @Test func filesAreNotWrittenReadOnly() throws {
    let fixture = try ScriptFixture(isReadOnly: true)
    let result = try fixture.run("schema export a.json\nschema export", keepsGoing: true)
    #expect(
      result.errors
        == "1: schema export: read-only store (opened with --read-only); use - for standard output\n"
        + "2: missing file name\n"
    )
  }
}
