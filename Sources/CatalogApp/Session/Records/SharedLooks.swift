import OpenSwiftData

/// Looks at the store for saves of other programs, of which each command makes one, except for edits in lines that were
/// read together.
///
/// A look at a file takes a tenth of the time of an edit. A program that has saved before it wrote a line finds that the
/// line sees the save, too, because the store is looked at after the line was read. What others save while the lines
/// run is seen within `life`, as if they had saved so much later, and the save of the script finds conflicts with it.
/// Commands that tell something, or write something, look.
package struct SharedLooks {
  /// How long edits rely on a look; longer only in tests.
  package var life = Duration.milliseconds(1)
  /// True while the lines that are run were all read before the first of them was run.
  private(set) var areShared = false
  /// True if the running command relies on the look of one before it.
  private(set) var wasReused = false
  /// The moment until which an edit relies on the look of the edit before it; nil if the next command looks.
  private var end: ContinuousClock.Instant?

  /// Begins to share looks among lines that were just read.
  mutating func share() {
    areShared = true
    forget()
  }

  /// Lets every command look again, and whatever else reads the store.
  mutating func endSharing(at container: ModelContainer) {
    areShared = false
    forget()
    container.forgetLook()
  }

  /// Makes the next command look.
  mutating func forget() { end = nil }

  /// Merges the saves of other programs, so that a command uses the schema of the records it finds.
  mutating func look(at container: ModelContainer, before command: Command) {
    let now = ContinuousClock.now
    wasReused = command.isEdit && end.map { now < $0 } ?? false
    if wasReused { return }
    forget()
    do {
      guard areShared else { return try container.refresh() }
      try container.refresh(reliedOnUntil: now + life)
      if command.isEdit { end = now + life }
    } catch {
      // A command that reads or saves reports the error, and others do not need the store.
    }
  }
}
