import CatalogApp
import OpenSwiftData
import Testing

/// A screen whose records are printed when it is left, and how to leave it without any.
@Suite struct PickingTests {
  private static func screen() throws -> ScreenFixture {
    let script = try ScriptFixture.withFilms()
    let size = Size(columns: 80, rows: 24)
    return ScreenFixture(
      script,
      runner: AppRunner(session: script.session, size: size, isPicking: true)
    )
  }

  @Test func theFirstMessageTellsBothWaysOut() throws {
    let message = "press q to print the marked records, or else all shown; press ^C to cancel"
    #expect(try Self.screen().message == message)
  }

  /// Keys after which `^C` or Esc ends the program.
  @Test(arguments: ["", "Space Escape", "s Escape", "f up Enter Escape", "/ u Enter Escape"])
  func cancelingHasAStatusOfItsOwn(keys: String) throws {
    for event in [InputEvent.interrupt, .key(.escape)] {
      let screen = try Self.screen()
      try screen.press(keys)
      #expect(screen.runner.exitStatus == nil, "\(keys)")
      #expect(keys.isEmpty || screen.message.hasSuffix("; press Esc again to cancel"), "\(keys)")
      screen.runner.handle(event)
      #expect(screen.runner.exitStatus == 1, "\(keys)")
    }
    let picked = try Self.screen()
    try picked.press(keys + " q")
    #expect(picked.runner.exitStatus == 0, "\(keys)")
  }

  /// What is open above the table is closed first.
  @Test(arguments: ["?", ": sort", "f u", "Enter"])
  func cancelingAScreenStays(keys: String) throws {
    let screen = try Self.screen()
    try screen.press(keys)
    screen.runner.handle(.interrupt)
    #expect(screen.runner.exitStatus == nil, "\(keys)")
  }

  /// The answer to the question about unsaved changes, the exit status, and the number of unsaved changes.
  @Test(arguments: [("d", 1, true), ("s", 1, false), ("Escape", nil, true)])
  func cancelingAsksAboutUnsavedChanges(answer: String, status: Int32?, hasChanges: Bool) throws {
    let screen = try Self.screen()
    try screen.press("c New Enter")
    screen.runner.handle(.interrupt)
    #expect(screen.text.contains("cancel with unsaved changes?"), "\(screen.text)")
    try screen.press(answer)
    #expect(screen.runner.exitStatus == status)
    #expect(screen.script.session.context.hasChanges == hasChanges)
  }

  @Test func theAnswersTellWhatFollows() throws {
    let screen = try Self.screen()
    try screen.press("c New Enter")
    screen.runner.handle(.interrupt)
    #expect(screen.text.contains("s  save and cancel"), "\(screen.text)")
    let other = try ScreenFixture.films()
    try other.press("c New Enter q")
    #expect(other.text.contains("s  save and quit"), "\(other.text)")
    #expect(other.text.contains("d  discard the changes and quit"), "\(other.text)")
    try other.press("Escape : \"e other.json\" Enter")
    #expect(other.text.contains("s  save and open it"), "\(other.text)")
  }

  @Test func nothingEndsAScreenThatDoesNotPick() throws {
    let screen = try ScreenFixture.films()
    screen.runner.handle(.interrupt)
    #expect(screen.message == "nothing to cancel; press q to quit")
    try screen.press("Escape")
    #expect(screen.message == "nothing to clear; press q to quit")
    #expect(screen.runner.exitStatus == nil)
  }
}
