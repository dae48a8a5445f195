import CatalogApp
import Testing

@Suite struct WordPlacesTests {
  private func text(_ line: String) throws -> [String] { try CommandText(line).words.map(\.text) }

  /// The output of bash's `${x@Q}` and `printf %q`.
  @Test(arguments: [
    (#"$'a\nb'"#, "a\nb"), (#"$'it\'s'"#, "it's"), (#"$'tab\there'"#, "tab\there"),
    (#"$'\E[1m'"#, "\u{1B}[1m"), (#"$'\303\251'"#, "é"), (#"$'\xc3\xa9'"#, "é"),
    (#"$'\u00e9\U0001F600'"#, "é😀"), (#"$'\a\b\f\v\\\"\?'"#, "\u{7}\u{8}\u{C}\u{B}\\\"?"),
    (#"$'\cA\001\1x'"#, "\u{1}\u{1}\u{1}x"), (#"a$'b'c"#, "abc"), (#"$'#'"#, "#"),
    (#"$'\0'"#, "\u{0}"), (#"'it'\''s'"#, "it's"), (#"'$'"#, "$"), (#"$"#, "$"), (#"$a"#, "$a"),
    (#""$'a'""#, "$'a'"),
  ])
  func quotesOfBashAreRead(line: String, expected: String) throws {
    #expect(try text(line) == [expected])
  }

  @Test func quotesOfBashAreValues() throws {
    let word = try #require(try CommandText(#"insert title=$'a\nb' note=$''"#).words.last)
    #expect(word.isValueQuoted && word.assignment?.value == "")
  }

  @Test(arguments: [
    (#"insert é=$'a"#, "column 10: unclosed $'"),
    (
      "insert é=O'Neil",
      "column 11: unclosed '; quote a text with an apostrophe like \"O'Neil\""
    ),
    (#"insert é="éé" x="abc"#, "column 17: unclosed \""),
    (#"insert é="éé\q""#, "column 13: invalid escape"),
    (#"insert é=$'é\q'"#, "column 13: invalid escape in $'…'"),
    (#"x $'\x'"#, "column 5: invalid escape in $'…'"),
    (#"x $'\uD800'"#, "column 5: invalid escape in $'…'"),
    (#"x $'\xff'"#, "column 3: invalid UTF-8 in $'…'"),
    ("é x\\", "column 4: unexpected \\ at the end of the line; a command is one line"),
  ])
  func whatCannotBeReadIsNamedByItsColumn(line: String, message: String) {
    let error = #expect(throws: CommandError.self) { try CommandText(line) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  /// Columns count characters from 1, also after letters of several bytes or several scalars.
  @Test(arguments: [
    ("set where title = 'é🇦🇼' titel=x", "column 24: Film has no field \"titel\""),
    ("set where true title='é🇦🇼' releaseYear=abc", "column 39: releaseYear: \"abc\""),
    ("insert title='é' titel=x", "column 18: Film has no field \"titel\""),
    ("insert title=a title=b", "column 16: duplicate field \"title\""),
    ("insert title=a b", "column 16: expected FIELD=VALUE, found \"b\""),
    ("list where title = 'é' sort title,-titel", "column 35: Film has no field \"titel\""),
    ("list sort 'title,titel'", "column 11: Film has no field \"titel\""),
    ("list sort title,,x", "column 17: invalid field list \"title,,x\""),
    ("list fields title,titel", "column 19: Film has no field \"titel\""),
    ("export - fields titel", "column 17: Film has no field \"titel\""),
    ("stats titel", "column 7: Film has no field \"titel\""),
    ("count where titel = 1", "column 13: Film has no field \"titel\""),
  ])
  func errorsAreNamedByTheirColumn(line: String, message: String) throws {
    let fixture = try ScriptFixture()
    let run = try fixture.run(line)
    #expect(run.errors.hasPrefix("1: \(message)"), "\(run.errors)")
  }
}
