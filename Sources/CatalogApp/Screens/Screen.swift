import OpenSwiftData

/// What lies on the screen, one above the other: the table, forms, prompts, lists.
///
/// To add one: one file with one type, and one command that opens it.
protocol Screen: Sendable {
  /// Where its keys are listed.
  var place: ScreenCommand.Place { get }
  /// True when nothing below is to be seen.
  var isOpaque: Bool { get }
  /// The record that it works on, which the cursor follows; nil for none.
  var record: PersistentIdentifier? { get }
  /// Does what an event asks.
  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition
  /// Takes the answer to an effect that this screen asked for.
  mutating func receive(_ message: AppMessage, _ app: inout AppState) -> Transition
  /// Draws itself.
  func draw(on canvas: inout Canvas, _ app: AppState)
  /// The commands whose keys matter now, the most important first.
  func hints(_ app: AppState) -> [String]
  /// The answers to the question that it asks, which are the hints then; none when it asks nothing.
  var answers: [Answer] { get }
}

extension Screen {
  var isOpaque: Bool { false }
  var record: PersistentIdentifier? { nil }
  var answers: [Answer] { [] }

  mutating func receive(_ message: AppMessage, _ app: inout AppState) -> Transition { .stay }

  func hints(_ app: AppState) -> [String] {
    ScreenCommand.all(at: place).map(\.name)
  }
}

/// What happens to a screen after it handled something.
enum Transition: Sendable {
  /// It stays.
  case stay
  /// It goes.
  case close
  /// Another one lies on it.
  case open(any Screen)
  /// Another one takes its place.
  case replace(any Screen)
}

/// What stands in the message line until the next key.
struct Notice: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case information, warning, error
  }

  var kind: Kind
  var text: String

  var role: Role {
    switch kind {
    case .information: .message
    case .warning: .warning
    case .error: .error
    }
  }
}
