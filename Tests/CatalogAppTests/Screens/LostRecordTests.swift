import CatalogApp
import OpenSwiftData
import Testing

/// Screens whose record another program deletes or changes.
@Suite struct LostRecordTests {
  private static let endings = ["json", "catlog"]
  /// Opening an editor and typing, then accepting.
  private static let editors = [("c mine", "Enter"), ("Enter C-u mine", "Enter"), ("E", "")]

  @Test(arguments: endings, editors)
  func anEditorStaysWithADeletedRecordAndOffersToAddIt(
    ending: String,
    editor: (open: String, accept: String)
  ) throws {
    let films = try SharedFilms(ending)
    let screen = films.screen
    try screen.press("v \(editor.open)")
    try films.changeAndTell(nil)
    #expect(screen.text.contains("another program deleted this record"), "\(screen.text)")
    if editor.open.hasPrefix("c") {
      #expect(screen.lines[1].hasPrefix("> -"), "\(screen.text)")
      #expect(screen.lines[1].contains("mine") && screen.lines[1].contains("Pete Docter"))
    }
    try screen.press(editor.accept)
    if editor.open == "E" { screen.runner.finishEditing("mine\n") }
    #expect(screen.text.contains("add the record again?"), "\(screen.text)")
    #expect(screen.text.contains("Another program deleted"), "\(screen.text)")
    try screen.press("Escape")
    #expect(!films.script.session.context.hasChanges, "cancelling goes back to the editor")
    try screen.press(editor.accept.isEmpty ? "Enter" : editor.accept)
    try screen.press("y")
    #expect(screen.message == "added t4", "\(screen.text)")
    try screen.press("w")
    #expect(try films.saved() == ["Finding Nemo", "Soul", "mine"])
    #expect(try films.saved("director").last == "Pete Docter")
    #expect(try films.saved("boxOffice").last == "735.1")
  }

  @Test(arguments: endings) func anEditThatNobodyToldOfTheDeletionIsAConflictOrAnOffer(
    ending: String
  ) throws {
    let films = try SharedFilms(ending)
    try films.screen.press("c mine")
    try films.change(nil)
    try films.screen.press("Enter")
    if films.screen.text.contains("add the record again?") {
      try films.screen.press("y w")
    } else {
      try films.screen.press("w")
      #expect(films.screen.text.contains("the record is deleted"), "\(films.screen.text)")
      try films.screen.press("m w")
    }
    #expect(try films.saved().sorted() == ["Finding Nemo", "Soul", "mine"])
  }

  @Test(arguments: endings) func anEditorStaysWithARecordThatTheFilterHides(ending: String) throws {
    let films = try SharedFilms(ending)
    let screen = films.screen
    try screen.press("f \"director beginswith 'Pete'\" Enter c mine")
    try films.changeAndTell(["director": .text("Other")])
    #expect(screen.text.contains("no longer listed"), "\(screen.text)")
    #expect(screen.lines[1].hasPrefix("> ") && screen.lines[1].contains("mine"), "\(screen.text)")
    try screen.press("Enter w")
    #expect(try films.saved().sorted() == ["Finding Nemo", "Soul", "mine"])
  }

  @Test(arguments: endings) func tabDoesNotGoOnInAnotherRecord(ending: String) throws {
    let films = try SharedFilms(ending)
    let screen = films.screen
    try screen.press("f \"director beginswith 'Pete'\" Enter c mine")
    try films.changeAndTell(["director": .text("Other")])
    try screen.press("Tab 1 Enter")
    #expect(screen.runner.state.status.unsaved == 1, "\(screen.text)")
    try screen.press("w")
    #expect(try films.saved("releaseYear") == ["2009", "2003", "2020"])
  }

  /// Command lines for the record under the cursor, which is deleted during typing.
  @Test(arguments: endings, ["set title=mine", "delete", "duplicate"])
  func aLineForTheRecordUnderTheCursorIsForNoOther(ending: String, line: String) throws {
    let films = try SharedFilms(ending)
    try films.screen.press(": \"\(line)\"")
    try films.changeAndTell(nil)
    try films.screen.press("Enter")
    #expect(films.screen.message.hasSuffix("another program deleted the record"))
    #expect(films.screen.runner.state.status.unsaved == 0)
  }

  @Test func historyTellsOfTheDeletionAndRestoresTheRecord() throws {
    let films = try SharedFilms("catlog")
    try films.screen.press("H")
    try films.changeAndTell(nil)
    #expect(films.screen.lines[0].contains("deleted by another program"), "\(films.screen.text)")
    #expect(films.screen.text.contains("deleted with title: Up"), "\(films.screen.text)")
    try films.screen.press("Enter w")
    #expect(try films.saved().sorted() == ["Finding Nemo", "Soul", "Up"], "\(films.screen.text)")
  }

  @Test(arguments: endings) func countsAndDetailsFollow(ending: String) throws {
    let films = try SharedFilms(ending)
    try films.screen.press("2l F")
    #expect(films.screen.text.contains("director: 2 values in 3 records"))
    try films.changeAndTell(nil)
    #expect(films.screen.text.contains("director: 2 values in 2 records"), "\(films.screen.text)")
    #expect(films.screen.text.contains("the current record was deleted"))
  }
}
