import CatalogApp
import Testing

/// One place of the screen is bright: where the next key acts.
@Suite struct BrightPlaceTests {
  /// The number of bright places, each of them on one line.
  private func places(_ screen: ScreenFixture) -> Int {
    let canvas = screen.runner.canvas
    return (0..<canvas.size.rows).reduce(0) { count, y in
      let roles = (0..<canvas.size.columns).map { canvas.role(at: Point(x: $0, y: y)) }
      let before = [nil] + roles.dropLast()
      return count + zip(before, roles).count { $0 != .cursorCell && $1 == .cursorCell }
    }
  }

  @Test(arguments: [
    "", "j l", "Space", "d", "F", "F j", "C-p", "C", "C j", "v v", "v v j", "b", "b z", "F Escape",
    "v v Escape",
  ])
  func tablesListsAndDetailsHaveOne(keys: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press(keys)
    #expect(places(screen) == 1, "\(screen.text)")
  }

  @Test(arguments: ["Enter", "e", "c", "a", "/", "/so", "f", "f so", ":", ":se", "?", "d q", "H"])
  func entriesAndPagesHaveOneAtMost(keys: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press(keys)
    #expect(places(screen) <= 1, "\(screen.text)")
  }

  /// What a command takes and what is not saved are told of the same record.
  @Test func statesOfARecordAndOfItsRowDoNotHideEachOther() throws {
    let screen = try ScreenFixture.films()
    try screen.press("l e BSpace 8 Enter Space k")
    let canvas = screen.runner.canvas
    let row = canvas.cells[canvas.size.columns..<(2 * canvas.size.columns)]
    #expect(row.contains { $0.role == .changed && $0.band == .cursorRow })
    #expect(row.contains { $0.role == .markSign && $0.band == .cursorRow })
    try screen.press("j")
    let left = screen.runner.canvas.cells[canvas.size.columns..<(2 * canvas.size.columns)]
    #expect(left.contains { $0.role == .changed && $0.band == .marked })
    #expect(left.allSatisfy { $0.band == .marked })
  }
}
