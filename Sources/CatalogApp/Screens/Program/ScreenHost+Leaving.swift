/// Leaving the store; asked for by keys of the table and by typed commands.
extension ScreenHost {
  /// Ends the program, or returns a question if changes would be lost.
  mutating func quit(isDiscarding: Bool) -> (any Screen)? {
    guard !isDiscarding, status.isLossy else {
      request(.quit(0))
      return nil
    }
    return ChoiceScreen.quit(status)
  }

  /// The exit status of a program that should print picked records when none are picked.
  static let nothingPicked: Int32 = 1

  /// How to leave with records and without.
  var pickingNote: String {
    "press \(name(of: .quit)) to print the marked records, or else all shown; press ^C to cancel"
  }

  /// Ends the program without picking records, or returns a question if changes would be lost.
  mutating func cancelPicking() -> (any Screen)? {
    guard status.isLossy else {
      request(.quit(Self.nothingPicked))
      return nil
    }
    return ChoiceScreen.cancelPicking(status)
  }

  /// Saves and ends the program; without unsaved changes, `quit(isDiscarding:)`.
  mutating func saveAndQuit() -> (any Screen)? {
    guard status.unsaved > 0 else { return quit(isDiscarding: status.traits.isLasting) }
    perform(Save(), then: .quit)
    return nil
  }

  /// Opens another store, or returns a question if changes would be lost.
  mutating func open(_ location: String) -> (any Screen)? {
    guard status.isLossy else {
      request(.open(location))
      return nil
    }
    return ChoiceScreen.open(location, status)
  }
}
