import Testing

@testable import CatalogApp

/// Completion of the commands whose arguments have fixed places.
@Suite struct ArgumentWordsTests {
  /// What the completion key inserts first, and what must not be offered.
  static let lines: [(keys: String, line: String)] = [
    (#": "field type " Tab"#, ":field type title"),
    (#": "field type " Tab Tab"#, ":field type releaseYear"),
    (#": "field type releaseYear " Tab"#, ":field type releaseYear text"),
    (#": "field type releaseYear da" Tab Tab"#, ":field type releaseYear datetime"),
    (#": "field type Film releaseYear de" Tab"#, ":field type Film releaseYear decimal"),
    (#": "field type releaseYear date o" Tab"#, ":field type releaseYear date order"),
    (#": "field type releaseYear date order m" Tab"#, ":field type releaseYear date order mdy"),
    (#": "field type releaseYear decimal d" Tab"#, ":field type releaseYear decimal decimal"),
    (#": "field drop dir" Tab"#, ":field drop director"),
    (#": "field drop F" Tab"#, ":field drop Film"),
    (#": "field add size:in" Tab"#, ":field add size:integer"),
    (#": "field " Tab"#, ":field add"),
    (#": "column format releaseYear " Tab"#, ":column format releaseYear plain"),
    (#": "column format releaseYear dec" Tab"#, ":column format releaseYear decimals="),
    (#": "column freeze rel" Tab"#, ":column freeze releaseYear"),
    (#": "column freeze releaseYear " Tab"#, ":column freeze releaseYear on"),
    (#": "column freeze releaseYear " Tab Tab"#, ":column freeze releaseYear off"),
    (#": "column width releaseYear " Tab"#, ":column width releaseYear fit"),
    (#": "column move releaseYear l" Tab"#, ":column move releaseYear left"),
    (#": "column hide dir" Tab"#, ":column hide director"),
    (#": "column hide title " Tab"#, ":column hide title"),
    (#": "group dir" Tab"#, ":group director"),
    (#": "set them" Tab"#, ":set theme="), (#": "set theme=d" Tab"#, ":set theme=dark"),
    (#": "set remember-li" Tab"#, ":set remember-lines"), (#": "set nom" Tab"#, ":set nomouse"),
    (#": "set rat" Tab"#, ":set rating="),
    (#": "sort title,-rel" Tab"#, ":sort title,-releaseYear"),
  ]

  @Test(arguments: lines) func tabOffersWhatCanFollow(keys: String, line: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press(keys)
    #expect(screen.message == line, "\(screen.text)")
  }

  @Test func plainLinesAreCompletedInTheSameWay() throws {
    let fixture = try ScriptFixture.withFilms()
    let completion = CommandCompletion(fixture.session)
    #expect(
      try completion.lines(completing: "field type releaseYear da")
        == ["field type releaseYear date", "field type releaseYear datetime"]
    )
    #expect(try completion.lines(completing: "field drop dir") == ["field drop director"])
  }
}
