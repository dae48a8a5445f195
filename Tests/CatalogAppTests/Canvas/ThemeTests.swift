import Testing

@testable import CatalogApp

/// The styles of roles.
@Suite struct ThemeTests {
  @Test func themesAreFoundByName() {
    for name in Theme.names { #expect(Theme.named(name.uppercased())?.name == name) }
    #expect(Theme.named("pink") == nil)
  }

  /// The bands on which records, lists and the status are written.
  private static let bands: [Role] = [.normal, .cursorRow, .marked, .status, .header, .field]

  /// Text has a contrast of at least 4.5 on every band; lines, bars and dimmed text have at least 3.
  @Test(arguments: [8, 16, 88, 256, 1 << 24], ["black", "white"])
  func everyRoleIsReadable(count: Int, terminal: String) {
    let isBlack = terminal == "black"
    let own = (text: Color.indexed(isBlack ? 231 : 16), back: Color.indexed(isBlack ? 16 : 231))
    for theme in Theme.bundled {
      for (role, band) in Role.allCases.flatMap({ role in Self.bands.map { (role, $0) } }) {
        let style = theme.grounded(on: nil).style(of: role, over: band, colors: count)
        let isDim = style.attributes.contains(.dim)
        // Terminals draw dim text halfway between the colors of text and background.
        let plain = isDim ? Color.rgb(127, 127, 127) : own.text
        let text = style.foreground == .default ? plain : style.foreground
        let back = style.background == .default ? own.back : style.background
        let ratio = text.contrast(to: back)
        let least = isDim ? 3 : role.leastContrast
        #expect(ratio >= least, "\(theme.name) \(role) over \(band): \(ratio)")
        if case .indexed(let index) = style.foreground, index < 8,
          style.attributes.contains(.bold)
        {
          let bright = Color.indexed(index + 8).contrast(to: back)
          #expect(bright >= least, "\(theme.name) \(role), where bold is bright: \(bright)")
        }
      }
    }
  }

  /// The colors that tell states apart are not given up for the contrast, whatever band is below them.
  @Test(arguments: [Theme.dark, .light], [Role.normal, .cursorRow, .marked])
  func statesKeepTheirColors(theme: Theme, band: Role) {
    for role in [Role.inserted, .changed, .deleted, .foreign, .null, .markSign] {
      let style = theme.style(of: role, over: band, colors: 256)
      #expect(style.foreground == theme[role].foreground, "\(theme.name) \(role) over \(band)")
      #expect(theme[role].background == .default, "\(theme.name) \(role)")
    }
  }

  /// A theme leaves the background to the terminal where that is known and everything is readable on it.
  @Test(arguments: [
    (Theme.dark, "#000000", true), (.dark, "#121214", true), (.dark, "#1e1e2e", true),
    (.dark, "#282c34", true), (.dark, "#586e75", false), (.light, "#ffffff", true),
    (.light, "#fafaf7", true), (.light, "#eff1f5", true), (.light, "#93a1a1", false),
  ])
  func theTerminalKeepsItsBackgroundIfAllIsReadableThere(
    theme: Theme,
    background: String,
    isKept: Bool
  ) throws {
    let number = try #require(UInt32(background.dropFirst(), radix: 16))
    let color = Color.rgb(
      UInt8(number >> 16),
      UInt8(number >> 8 & 255),
      UInt8(number & 255)
    )
    let style = theme.grounded(on: color).style(of: .normal, colors: 256)
    #expect((style == Style()) == isKept, "\(style)")
    #expect(theme.grounded(on: nil).style(of: .dim, colors: 256).background != .default)
  }

  /// Colors of its own on every terminal, with the ratio that WCAG asks for at level AAA.
  @Test(arguments: [8, 16, 88, 256, 1 << 24])
  func highContrastIsAtLeastSeven(count: Int) {
    for role in Role.allCases {
      let style = Theme.highContrast.style(of: role, colors: count)
      #expect(style.background != .default && !style.attributes.contains(.dim), "\(role)")
      let ratio = style.foreground.contrast(to: style.background)
      #expect(ratio >= 7, "\(role): \(ratio)")
    }
  }

  @Test(arguments: [0, 2, 8, 16, 88, 256, 1 << 24])
  func foregroundAndBackgroundAreSetTogether(count: Int) {
    // A terminal without colors uses the theme without colors.
    for theme in count < 8 ? [Theme.none] : Theme.bundled {
      for role in Role.allCases {
        let style = theme.grounded(on: nil).style(of: role, colors: count)
        #expect(
          (style.foreground == .default) == (style.background == .default),
          "\(theme.name) \(role)"
        )
      }
    }
  }

  /// Marks, changes, the header and the cursor differ with 8 colors as well.
  @Test(arguments: [0, 8, 16])
  func meaningSurvivesFewColours(count: Int) {
    // A terminal without colors uses the theme without colors.
    for theme in count < 8 ? [Theme.none] : Theme.bundled {
      let groups: [[Role]] = [
        [.normal, .cursorCell, .cursorRow], [.normal, .header], [.header, .headerSorted],
        [.normal, .status], [.normal, .markSign], [.normal, .chip],
      ]
      for group in groups {
        let looks = Set(group.map { theme.style(of: $0, colors: count) })
        #expect(looks.count == group.count, "\(theme.name) \(group)")
      }
    }
  }

  @Test func theBackgroundChoosesTheTheme() {
    #expect(Theme.suited(to: .rgb(0, 0, 0)) == .dark)
    #expect(Theme.suited(to: .rgb(0, 43, 54)) == .dark)
    #expect(Theme.suited(to: .rgb(253, 246, 227)) == .light)
    #expect(Theme.suited(to: .rgb(255, 255, 255)) == .light)
    #expect(Color.rgb(0, 0, 0).contrast(to: .rgb(255, 255, 255)) == 21)
  }

  @Test(arguments: Theme.bundled)
  func meaningNeverHangsOnColourAlone(theme: Theme) {
    let groups: [[Role]] = [
      [.cursorRow, .cursorCell], [.header, .headerSorted], [.tab, .tabSelected],
      [.field, .fieldFocused],
    ]
    for group in groups {
      let looks = Set(group.map { theme[$0].attributes })
      #expect(looks.count == group.count, "\(theme.name) \(group)")
    }
  }

  @Test func themeWithoutColoursHasNone() {
    for role in Role.allCases {
      #expect(Theme.none[role].foreground == .default)
      #expect(Theme.none[role].background == .default)
    }
  }

  @Test(arguments: [8, 16, 88, 256, 1 << 24])
  func onlyColoursThatTheTerminalHasAreUsed(count: Int) {
    for theme in Theme.bundled {
      for role in Role.allCases {
        let style = theme.style(of: role, colors: count)
        for case .indexed(let index) in [style.foreground, style.background] {
          #expect(Int(index) < count)
        }
      }
    }
  }

  @Test func coloursDegradeToTheNearest() {
    #expect(Color.rgb(255, 0, 0).degraded(to: 256) == .indexed(196))
    #expect(Color.rgb(250, 5, 5).degraded(to: 16) == .indexed(9))
    #expect(Color.indexed(236).degraded(to: 8) == .indexed(0))
    #expect(Color.indexed(3).degraded(to: 0) == .default)
  }
}
