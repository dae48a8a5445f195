import OpenSwiftData
import Testing

/// Undoing the conversion of a field while another program saves to the same file.
@Suite struct SharedConversionTests {
  private static let endings = ["json", "catlog"]

  @Test(arguments: endings) func aConversionIsUndoneAndRepeated(ending: String) throws {
    let films = try SharedFilms(ending)
    #expect(try films.script.run("field type releaseYear text\nsave").status == 0)
    #expect(try films.script.run("undo\nsave\nredo\nsave\nundo\nsave").status == 0)
    #expect(try films.saved("releaseYear") == ["2009", "2003", "2020"])
    #expect(try films.script.run("schema Film").output.contains(/releaseYear\s+integer/))
  }

  /// The field with their value would be dropped, and the former one has the value from before.
  @Test(arguments: endings, [Value.text("soon"), .text("7")])
  func aValueSavedSinceIsNotLostByUndo(ending: String, value: Value) throws {
    let films = try SharedFilms(ending)
    #expect(try films.script.run("field type releaseYear text\nsave").status == 0)
    try films.change(["releaseYear": value])
    let undone = try films.script.run("undo")
    #expect(undone.status == 1, "\(undone)")
    #expect(undone.errors.contains("has been changed by another program"), "\(undone)")
    #expect(undone.errors.contains("use \"field type releaseYear integer\""), "\(undone)")
    #expect(try films.script.run("save").status == 0)
    #expect(try films.saved("releaseYear") == [value.text, "2003", "2020"])
  }

  @Test(arguments: endings) func aValueSavedSinceIsNotLostByRedo(ending: String) throws {
    let films = try SharedFilms(ending)
    #expect(try films.script.run("field type releaseYear text\nundo").status == 0)
    try films.change(["releaseYear": .integer(7)])
    let redone = try films.script.run("redo")
    #expect(redone.status == 1, "\(redone)")
    #expect(redone.errors.contains("use \"field type releaseYear text\""), "\(redone)")
    #expect(try films.script.run("field type releaseYear text\nsave").status == 0)
    #expect(try films.saved("releaseYear") == ["7", "2003", "2020"])
  }

  @Test(arguments: endings) func aRecordAddedSinceKeepsItsValue(ending: String) throws {
    let films = try SharedFilms(ending)
    #expect(try films.script.run("field type releaseYear text\nsave").status == 0)
    try films.add(["title": .text("New"), "releaseYear": .text("2030")])
    #expect(try films.script.run("undo").status == 1)
    #expect(try films.saved("releaseYear") == ["2009", "2003", "2020", "2030"])
  }
}
