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

  /// Saves and ends the program; without unsaved changes, `quit(isDiscarding:)`.
  mutating func saveAndQuit() -> (any Screen)? {
    guard status.unsaved > 0 else { return quit(isDiscarding: status.isLasting) }
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
