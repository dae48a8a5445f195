import OpenSwiftData

/// A layer of the screen: the table, a form, a prompt, a list.
///
/// The last layer receives the keys. To add a screen, write a type in a file of its own, and an action
/// or a command that opens it. A screen with keys of its own has an enumeration of its actions in the
/// same file, listed in `KeyCommand.places`.
protocol Screen: Sendable {
  /// The place of its keys.
  var place: KeyPlace { get }
  /// True if it hides all layers below.
  var isOpaque: Bool { get }
  /// The record that it edits, which the cursor follows; nil for none.
  var record: PersistentIdentifier? { get }
  /// Handles an event.
  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition
  /// Receives the result of an effect that this screen requested.
  mutating func receive(_ message: AppMessage, _ app: inout AppState) -> Transition
  /// Draws itself.
  func draw(on canvas: inout Canvas, _ app: AppState)
  /// The actions to show as hints, most important first.
  func hints(_ app: AppState) -> [any KeyAction]
  /// The answers to its question, which then replace the hints; empty without a question.
  var answers: [Answer] { get }
}

extension Screen {
  var isOpaque: Bool { false }
  var record: PersistentIdentifier? { nil }
  var answers: [Answer] { [] }

  mutating func receive(_ message: AppMessage, _ app: inout AppState) -> Transition { .stay }

  func hints(_ app: AppState) -> [any KeyAction] { [] }
}

/// The effect of an event on the screen itself.
enum Transition: Sendable {
  /// Keep the screen.
  case stay
  /// Close the screen.
  case close
  /// Open another screen above it.
  case open(any Screen)
  /// Replace it with another screen.
  case replace(any Screen)
}

/// The text of the message line until the next key.
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
