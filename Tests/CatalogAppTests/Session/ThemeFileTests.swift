import Testing

@testable import CatalogApp

@Suite struct ThemeFileTests {
  @Test func aFileChangesRolesOfItsBase() throws {
    let theme = try ThemeFile.theme(
      named: "mine",
      parsing: """
        # My colors
        base light
        header #88c0d0 on 236 bold # as in the editor
        cursor-row on bright-blue
        hint default dim italic

        """
    )
    #expect(theme.name == "mine" && theme.usesTrueColor)
    #expect(
      theme[.header]
        == Style(foreground: .rgb(0x88, 0xC0, 0xD0), background: .indexed(236), attributes: .bold)
    )
    #expect(theme[.cursorRow] == Style(background: .indexed(12)))
    #expect(theme[.hint] == Style(attributes: [.dim, .italic]))
    #expect(theme[.status] == Theme.light[.status])
  }

  @Test(arguments: [
    ("base drak", "1:6: base: expected one of dark, light, high-contrast, none"),
    ("header red\nbase dark", "2:1: base: expected before the first role"),
    ("\nheadr red", "2:1: expected base or a role, found \"headr\"; did you mean \"header\"?"),
    ("header", "1:7: header: expected [COLOR] [on COLOR] [ATTRIBUTE …], found nothing"),
    ("header red on", "1:14: header: expected a color after \"on\", found nothing"),
    (
      "header red bright",
      "1:12: header: expected on COLOR, bold, dim, italic, underline, reverse, found \"bright\""
    ),
    ("header red\nheader blue", "2:1: duplicate header"),
    (
      "header #12345g",
      "1:8: header: expected a color (default, black, red, green, yellow, blue, magenta, cyan, white, "
        + "bright-red …, 0 to 255 or #rrggbb), found \"#12345g\""
    ),
    (
      "header 256",
      "1:8: header: expected a color (default, black, red, green, yellow, blue, magenta, cyan, white, "
        + "bright-red …, 0 to 255 or #rrggbb), found \"256\""
    ),
  ])
  func errorsNameTheLineAndWhatWasExpected(text: String, message: String) {
    let error = #expect(throws: PlacedError.self) {
      try ThemeFile.theme(named: "mine", parsing: text)
    }
    #expect(error?.description == message)
  }

  @Test func rolesAreWrittenWithHyphens() {
    #expect(ThemeFile.name(of: .headerSorted) == "header-sorted")
    #expect(Set(Role.allCases.map(ThemeFile.name)).count == Role.allCases.count)
  }
}
