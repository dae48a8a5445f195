import CatalogApp
import OpenSwiftData
import Testing

/// Editing on the screen or in a script while another program saves to the same file.
@Suite struct SharedEditingTests {
  private static let endings = ["json", "catlog"]

  // MARK: Undoing

  @Test(arguments: endings) func undoingASavedChangeDoesNotOverwriteALaterSave(ending: String)
    throws
  {
    let films = try SharedFilms(ending)
    try films.script.run("set where title = 'Up' title=mine\nsave")
    try films.change(["title": .text("theirs")])
    #expect(try films.script.run("undo").status == 0)
    let save = try films.script.run("save")
    #expect(save.status == 5)
    #expect(save.errors.contains("conflicts"), "\(save.errors)")
    #expect(try films.saved().first == "theirs")
    let conflicts = try films.script.run("conflicts").output
    #expect(conflicts.contains("Up") && conflicts.contains("theirs"), "\(conflicts)")
    try films.script.run("resolve all mine\nsave")
    #expect(try films.saved().first == "Up")
  }

  @Test(arguments: endings) func undoingASavedChangeKeepsOtherFieldsOfALaterSave(ending: String)
    throws
  {
    let films = try SharedFilms(ending)
    try films.script.run("set where title = 'Up' title=mine\nsave")
    try films.change(["releaseYear": .integer(1)])
    #expect(try films.script.run("undo\nsave").status == 0)
    #expect(try films.saved().first == "Up")
    #expect(try films.saved("releaseYear").first == "1")
  }

  /// A change of a record that is gone is left out, and those before it can still be undone.
  @Test(arguments: endings) func undoGoesOnAfterARecordThatIsGone(ending: String) throws {
    let films = try SharedFilms(ending)
    let lines = [
      "set where releaseYear > 2010 title=Other", "set where title = 'Up' title=mine",
      "set where releaseYear > 1900 director=Somebody",
    ]
    for line in lines { #expect(try films.script.run(line).status == 0) }
    try films.change(nil)
    #expect(try films.script.run("save").status == 5)
    #expect(try films.script.run("resolve all theirs").status == 0)
    let partly = try films.script.run("undo")
    #expect(partly.status == 0, "\(partly)")
    #expect(partly.output.contains("; not undone: Film record "), "\(partly)")
    #expect(partly.output.hasSuffix(" no longer exists\n"), "\(partly)")
    let none = try films.script.run("undo")
    #expect(none.status == 1, "\(none)")
    #expect(none.errors.contains("not undone: set title of "), "\(none)")
    let end = "no longer exists; the next undo goes on without it\n"
    #expect(none.errors.hasSuffix(end), "\(none)")
    #expect(try films.script.run("undo").status == 0)
    let left = try films.script.run("list fields title,director where director = 'Somebody'")
    #expect(left.output == "title\tdirector\n", "\(left)")
    #expect(try films.script.run("status").output.contains("unsaved: 0"))
    // What was undone in part is redone in part.
    try films.script.run("redo\nredo")
    let again = try films.script.run("list fields title,director where director = 'Somebody'")
    #expect(again.output.split(separator: "\n").count == 3, "\(again)")
    #expect(try films.script.run("redo").errors.contains("nothing to redo"))
  }

  @Test(arguments: endings) func severalStepsAreUndoneAroundARecordThatIsGone(ending: String) throws
  {
    let films = try SharedFilms(ending)
    let screen = films.screen
    try screen.press("j e C-u Other Enter k e C-u Mine Enter")
    try films.change(nil)
    #expect(try films.script.run("save").status == 5)
    #expect(try films.script.run("resolve all theirs").status == 0)
    try screen.press("2 u")
    let text = screen.text.replacing("\n", with: " ")
    #expect(text.contains("undone 2 changes; the last: set title"), "\(screen.text)")
    #expect(text.contains("; not undone: Film record "), "\(screen.text)")
    #expect(!screen.text.contains("Other"), "\(screen.text)")
  }

  // MARK: Marks

  @Test(arguments: endings) func changesOfAnotherProgramAreMarkedUntilTheyWereSeen(ending: String)
    throws
  {
    let films = try SharedFilms(ending)
    let screen = films.screen
    try screen.press("j")
    try films.changeAndTell(["title": .text("theirs"), "rating": .number(1)])
    let marked = screen.lines[1]
    #expect(marked.hasPrefix("  !") && marked.contains(" !theirs"), "\(screen.text)")
    #expect(!marked.contains("!Pete"))
    let canvas = screen.runner.canvas
    #expect(canvas.role(at: Point(x: 11, y: 1)) == .foreign)
    try screen.press("k")
    #expect(screen.lines[1].contains("!theirs"), "the cursor is on it")
    try screen.press("j")
    #expect(!screen.lines[1].contains("!"), "\(screen.text)")
    try films.changeAndTell(["title": .text("again")])
    try screen.press("C-l")
    #expect(screen.lines[1].contains("!again"), "only a look or Esc unmarks it")
    try screen.press("Escape")
    #expect(screen.message == "cleared the signs of changes by other programs", "\(screen.text)")
    #expect(!screen.lines[1].contains("!"))
  }

  @Test(arguments: endings) func aSaveKeepsTheMarksOfOtherRecords(ending: String) throws {
    let films = try SharedFilms(ending)
    let screen = films.screen
    try screen.press("j")
    try films.changeAndTell(["title": .text("theirs")])
    try screen.press("e C-u mine Enter w")
    #expect(screen.message.hasPrefix("saved"), "\(screen.text)")
    #expect(screen.lines[1].contains("!theirs"), "\(screen.text)")
  }

  /// The record was drawn over the one that had taken its line.
  @Test(arguments: endings) func aDeletedRecordThatIsEditedStaysBetweenTheOthers(ending: String)
    throws
  {
    let films = try SharedFilms(ending)
    let screen = films.screen
    let former = screen.lines[1...3].map { $0.dropFirst(11) }
    try screen.press("l e C-u 1999")
    try films.changeAndTell(nil)
    #expect(screen.lines[1].hasPrefix(">") && screen.lines[1].contains("1999"), "\(screen.text)")
    #expect(screen.lines[2...3].map { $0.dropFirst(11) } == Array(former[1...]), "\(screen.text)")
    #expect(screen.lines.count { $0.hasPrefix(">") } == 1, "\(screen.text)")
    try screen.press("Escape")
    #expect(screen.lines[1...2].map { $0.dropFirst(11) } == Array(former[1...]), "\(screen.text)")
  }

  // MARK: Conflicts

  @Test(arguments: endings) func openConflictsShowNewSaves(ending: String) throws {
    let films = try SharedFilms(ending)
    let screen = films.screen
    try screen.press(#": "set where title='Up' title=mine releaseYear=1" Enter"#)
    try films.change(["title": .text("theirs"), "releaseYear": .integer(2)])
    try screen.press("w j")
    #expect(screen.text.contains("theirs theirs"), "\(screen.text)")
    try films.changeAndTell(["title": .text("newer"), "releaseYear": .integer(3)])
    #expect(screen.text.contains("theirs newer"), "\(screen.text)")
    #expect(screen.text.contains("in conflict with your unsaved"), "\(screen.message)")
    #expect(
      screen.lines.contains { $0.hasPrefix("> Film") && $0.contains(" releaseYear ") },
      "the line stays selected"
    )
    try screen.press("M w")
    #expect(try films.saved().first == "mine")
  }

  @Test(arguments: endings, ["m", "t", "M", "T"])
  func versionsThatWereNotShownStayInConflict(ending: String, key: String) throws {
    let films = try SharedFilms(ending)
    let screen = films.screen
    try screen.press(#": "set where title='Up' title=mine" Enter"#)
    try films.change(["title": .text("theirs")])
    try screen.press("w")
    try films.change(["title": .text("newer")])
    try screen.press(key)
    #expect(
      screen.text.contains("1 record not resolved: another program has saved again"),
      "\(screen.text)"
    )
    #expect(screen.text.contains("theirs newer"))
    #expect(screen.text.contains("mine mine"))
    try screen.press("\(key) w")
    #expect(try films.saved().first == (key.lowercased() == "m" ? "mine" : "newer"))
  }

  @Test(arguments: endings) func aVersionAfterSettlingIsAConflictAgain(ending: String) throws {
    let films = try SharedFilms(ending)
    let screen = films.screen
    try screen.press(#": "set where title='Up' title=mine" Enter"#)
    try films.change(["title": .text("theirs")])
    try screen.press("w m")
    try films.change(["title": .text("newer")])
    try screen.press("w")
    #expect(screen.text.contains("theirs newer"), "\(screen.text)")
    #expect(try films.saved().first == "newer")
  }

  @Test(arguments: endings) func aDeletionMeanwhileIsShownAndNotSettledUnseen(ending: String) throws
  {
    let films = try SharedFilms(ending)
    let screen = films.screen
    try screen.press(#": "set where title='Up' title=mine" Enter"#)
    try films.change(["title": .text("theirs")])
    try screen.press("w")
    try films.change(nil)
    try screen.press("t")
    #expect(screen.text.contains("not resolved"), "\(screen.text)")
    #expect(screen.text.contains("the record is deleted"), "\(screen.text)")
    #expect(films.script.session.context.hasChanges)
    try screen.press("t")
    #expect(!films.script.session.context.hasChanges)

    let told = try SharedFilms(ending)
    try told.screen.press(#": "set where title='Up' title=mine" Enter"#)
    try told.change(["title": .text("theirs")])
    try told.screen.press("w")
    try told.changeAndTell(nil)
    #expect(told.screen.text.contains("the record is deleted"), "\(told.screen.text)")
  }

  @Test(arguments: endings) func aScriptSettlesWhatItPrintedLast(ending: String) throws {
    let films = try SharedFilms(ending)
    try films.script.run("set where title='Up' releaseYear=1")
    try films.change(["releaseYear": .integer(2)])
    #expect(try films.script.run("save").status == 5)
    #expect(try films.script.run("conflicts").output.contains("\t1\t2\n"))
    try films.change(["releaseYear": .integer(3)])
    let unseen = try films.script.run("resolve all mine\nsave", echoesNotes: true)
    #expect(unseen.status == 5)
    #expect(unseen.output.contains("not resolved: another program has saved again"), "\(unseen)")
    #expect(try films.saved("releaseYear").first == "3")
    // The error of the failed save counts as having shown the conflict.
    #expect(try films.script.run("resolve all mine\nsave").status == 0)
    #expect(try films.saved("releaseYear").first == "1")
  }

  @Test func aLongValueIsShownWholeInAConflict() throws {
    let films = try SharedFilms("json")
    let text = (1...25).map { "word\($0)" }.joined(separator: " ")
    try films.screen.press(#": "set where title='Up' title=mine" Enter"#)
    try films.change(["title": .text(text)])
    try films.screen.press("w")
    #expect(films.screen.text.contains("word25"), "\(films.screen.text)")
    #expect(films.screen.lines.last?.contains("resolve the conflicts first") == true)
    try films.screen.press("?")
    #expect(films.screen.text.contains("take their version of the marked values, or of this one"))
  }

  // MARK: Editors

  /// The keys that open an editor and type, then those that accept the value.
  private static let editors = [("c mine", "Enter"), ("Enter C-u mine", "Enter"), ("E", "")]

  @Test(arguments: endings, editors)
  func savesDuringEditingAreConflicts(
    ending: String,
    editor: (open: String, accept: String)
  ) throws {
    let films = try SharedFilms(ending)
    let screen = films.screen
    try screen.press(editor.open)
    try films.changeAndTell(["title": .text("theirs"), "director": .text("D")])
    try screen.press(editor.accept)
    if editor.open == "E" { screen.runner.finishEditing("mine\n") }
    #expect(screen.text.contains("saved title \"theirs\""), "\(screen.text)")
    try screen.press("w")
    #expect(screen.text.contains("mine mine") && screen.text.contains("theirs theirs"))
    #expect(!screen.text.contains("director  "), "only what both changed")
    #expect(try films.saved().first == "theirs")
    try screen.press("m w")
    #expect(try films.saved().first == "mine")
    #expect(try films.saved("director").first == "D")
  }

  @Test(arguments: endings) func suchAnEditCanBeUndone(ending: String) throws {
    let films = try SharedFilms(ending)
    let screen = films.screen
    try screen.press("c mine")
    try films.changeAndTell(["title": .text("theirs")])
    try screen.press("Enter")
    #expect(films.script.session.context.hasChanges)
    try screen.press("u")
    #expect(screen.text.contains("theirs"), "\(screen.text)")
    #expect(!films.script.session.context.hasChanges)
    #expect(screen.status.contains("unsaved") == false, "\(screen.status)")
  }

  @Test(arguments: endings) func fieldsThatWereNotTypedAreMerged(ending: String) throws {
    let films = try SharedFilms(ending)
    try films.screen.press("Enter C-u mine")
    try films.changeAndTell(["director": .text("D")])
    try films.screen.press("Enter w")
    #expect(!films.screen.message.contains("meanwhile"))
    #expect(try films.saved().first == "mine")
    #expect(try films.saved("director").first == "D")
  }

  // MARK: News

  /// The answer to the last key is not replaced before anybody has read it.
  @Test(arguments: endings) func newsFollowTheAnswerToTheLastKey(ending: String) throws {
    let films = try SharedFilms(ending)
    try films.screen.press(": count Enter")
    try films.changeAndTell(["title": .text("A")])
    #expect(films.screen.message == "3; saved by another program: 1 changed")
    try films.changeAndTell(nil)
    #expect(films.screen.message.hasPrefix("3; saved by another program: 1 deleted"))
    try films.screen.press("j")
    try films.changeAndTell(["title": .text("B")])
    #expect(films.screen.message == "saved by another program: 1 changed")
  }
}
