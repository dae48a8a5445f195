import Testing

@testable import CatalogApp

/// The looks of roles.
@Suite struct ThemeTests {
  private static let themes: [(Theme, back: Color)] = [
    (.dark, .indexed(16)), (.light, .indexed(231)),
  ]

  @Test func themesAreFoundByName() {
    for name in Theme.names { #expect(Theme.named(name.uppercased())?.name == name) }
    #expect(Theme.named("pink") == nil)
  }

  @Test func textIsReadableInEveryRole() throws {
    for (theme, back) in Self.themes {
      for role in Role.allCases where ![.border, .barRest].contains(role) {
        let style = theme[role]
        guard style.foreground != .default else { continue }
        let behind = style.background == .default ? back : style.background
        let ratio = contrast(style.foreground, behind)
        #expect(ratio >= 4, "\(theme.name) \(role): \(ratio)")
      }
    }
  }

  @Test(arguments: [Theme.dark, .light, .none])
  func meaningNeverHangsOnColourAlone(theme: Theme) {
    let groups: [[Role]] = [
      [.normal, .cursorCell, .cursorRow, .marked], [.header, .headerSorted],
      [.popup, .popupSelected], [.tab, .tabSelected], [.field, .fieldFocused],
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
  func fewerColoursStayReadable(count: Int) {
    for (theme, _) in Self.themes {
      for role in Role.allCases {
        let style = theme[role].degraded(to: count)
        #expect(style.foreground == .default || style.foreground != style.background)
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

  /// The ratio of WCAG 2.
  private func contrast(_ left: Color, _ right: Color) -> Double {
    let levels = [luminance(left), luminance(right)].sorted()
    return (levels[1] + 0.05) / (levels[0] + 0.05)
  }

  private func luminance(_ color: Color) -> Double {
    guard let parts = color.components else { return 0 }
    let linear = [parts.red, parts.green, parts.blue].map { part -> Double in
      let value = Double(part) / 255
      return value * value * (0.6 + 0.4 * value)
    }
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
  }
}
