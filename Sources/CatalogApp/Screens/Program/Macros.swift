import OpenSwiftData

/// The keys that are being recorded, those that were recorded last, and what is being played.
///
/// Recorded are the events as they reach the screens, so that playing them is typing them again.
struct Macros: Sendable {
  /// One step of what is played.
  enum Step: Hashable, Sendable {
    /// An event, as if it came from the terminal.
    case event(InputEvent)
    /// A line, as if it had been typed after the colon.
    case line(String)
  }

  /// The number of keys that can be recorded.
  static let limit = 10_000

  /// The events recorded so far; nil while nothing is recorded.
  private(set) var recorded: [InputEvent]?
  /// The number of them before the last key that was pressed in the table.
  private var countBeforeTableKey = 0
  /// The events that were recorded last; empty before the first recording.
  private(set) var last: [InputEvent] = []
  /// What is being played; nil while nothing is.
  private(set) var playing: Playing?

  var isRecording: Bool { recorded != nil }
  var isPlaying: Bool { playing != nil }

  // MARK: Recording

  mutating func beginRecording() {
    recorded = []
    countBeforeTableKey = 0
  }

  /// Records an event; false if there are too many, which ends the recording.
  mutating func record(_ event: InputEvent, inTable: Bool) -> Bool {
    guard let count = recorded?.count else { return true }
    guard count < Self.limit else {
      cancelRecording()
      return false
    }
    if inTable { countBeforeTableKey = count }
    recorded?.append(event)
    return true
  }

  /// Notes that the next key ends the recording, or is not one of the recorded ones; true, as a key to handle.
  mutating func markEnd() -> Bool {
    countBeforeTableKey = recorded?.count ?? 0
    return true
  }

  /// Ends the recording, without the keys that ended it.
  ///
  /// - Returns: The number of recorded keys; without any, the keys recorded before stay.
  mutating func endRecording() -> Int {
    let keys = (recorded ?? []).prefix(countBeforeTableKey)
    if !keys.isEmpty { last = Array(keys) }
    cancelRecording()
    return keys.count
  }

  /// Ends the recording; the keys recorded before it stay.
  mutating func cancelRecording() { recorded = nil }

  // MARK: Playing

  /// What is being played.
  struct Playing: Sendable {
    /// The steps of one round.
    let steps: [Step]
    /// The steps of a key with several commands, which come first.
    fileprivate var inserted: ArraySlice<Step> = []
    fileprivate var next = 0
    /// The number of rounds, and how many of them were begun.
    let rounds: Int
    fileprivate(set) var round = 1
    /// The number of steps that could be undone before.
    let undoableSteps: Int
    /// The row before a step that moves to another record; nil after any other step.
    var rowBeforeMove: Int?

    /// True for recorded keys, false for the commands of a key.
    var isMacro: Bool { if case .event? = steps.first { true } else { false } }
  }

  mutating func play(_ steps: [Step], rounds: Int, undoableSteps: Int) {
    playing = Playing(steps: steps, rounds: rounds, undoableSteps: undoableSteps)
  }

  /// Plays commands before the remaining steps.
  mutating func insert(_ lines: [String]) {
    guard let rest = playing?.inserted else { return }
    playing?.inserted = (lines.map { .line($0) } + rest)[...]
  }

  /// Takes the next step; nil at the end.
  mutating func takeStep() -> Step? {
    guard var playing else { return nil }
    defer { self.playing = playing }
    if let step = playing.inserted.popFirst() { return step }
    if playing.next == playing.steps.count, playing.round < playing.rounds {
      playing.next = 0
      playing.round += 1
    }
    guard playing.next < playing.steps.count else { return nil }
    playing.next += 1
    return playing.steps[playing.next - 1]
  }

  /// Notes that the next step moves the cursor from a row.
  mutating func noteMove(from row: Int?) { playing?.rowBeforeMove = row }

  mutating func endPlaying() { playing = nil }
}
