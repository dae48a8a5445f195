import OpenSwiftData

/// A layer of the screen: the table, a form, a prompt, a list.
///
/// The last layer has the keys. To add one, write a type in a file of its own, and an action or a command
/// that opens it. A screen with keys of its own has an enumeration of its actions in the same file, listed
/// in `KeyCommand.places`.
protocol Screen: Sendable {
  /// Where its keys are listed.
  var place: KeyPlace { get }
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
  /// The actions whose keys matter now, the most important first.
  func hints(_ app: AppState) -> [any KeyAction]
  /// The answers to the question that it asks, which are the hints then; none when it asks nothing.
  var answers: [Answer] { get }
}

extension Screen {
  var isOpaque: Bool { false }
  var record: PersistentIdentifier? { nil }
  var answers: [Answer] { [] }

  mutating func receive(_ message: AppMessage, _ app: inout AppState) -> Transition { .stay }

  func hints(_ app: AppState) -> [any KeyAction] { [] }
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

/// What the message line says until the next key.
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
