import OpenSwiftData

/// A layer of the screen: the table, or a screen above it.
protocol Layer: Sendable {
  /// The place of its keys.
  var place: KeyPlace { get }
  /// True if it hides all layers below.
  var isOpaque: Bool { get }
  /// Draws itself.
  func draw(on canvas: inout Canvas, _ host: ScreenHost)
  /// The actions to show as hints, most important first.
  func hints(_ host: ScreenHost) -> [any KeyAction]
  /// The word next to the key of an action in the hints; nil for the usual one.
  func word(of action: any KeyAction, _ host: ScreenHost) -> String?
  /// The keys with commands of the user, shown after the most important hints.
  func ownHints(_ host: ScreenHost) -> [Answer]
  /// The answers to its question, which then replace the hints; empty without a question.
  var answers: [Answer] { get }
}

extension Layer {
  var isOpaque: Bool { false }
  var answers: [Answer] { [] }

  func hints(_ host: ScreenHost) -> [any KeyAction] { [] }
  func word(of action: any KeyAction, _ host: ScreenHost) -> String? { nil }
  func ownHints(_ host: ScreenHost) -> [Answer] { [] }
}

/// A layer above the table: a form, a prompt, a list.
///
/// The last screen receives the keys. It reads the state of the program from the `ScreenHost` that it
/// is handed, and changes it only through the operations of the host and the `Transition` that it
/// returns.
///
/// To add a screen, write a type in a file of its own, and an action or a command that opens it. A
/// screen with keys of its own has an enumeration of its actions in the same file, listed in
/// `KeyCommand.places`.
protocol Screen: Layer {
  /// The record that it edits, which the cursor follows; nil for none.
  var record: PersistentIdentifier? { get }
  /// Where the cursor was before the screen began to change the list while something is typed; nil for others.
  var cursorOrigin: CursorOrigin? { get }
  /// The row of that record if the table no longer lists it, for the pane of details; nil if it does.
  var unlistedRow: TableRow? { get }
  /// The state of the details pane while this screen has its keys; nil for other screens.
  var detailsView: DetailsView? { get }
  /// The kind of result that it shows itself, so that the message line does not report it; nil for
  /// none.
  var shows: ShownResult? { get }
  /// True for a prompt whose text is edited on while its effects are performed; a result may then
  /// belong to an earlier text.
  var acceptsTextWhileWorking: Bool { get }
  /// True for a prompt in which a completion that was requested is not wanted after further typing.
  var typingCancelsCompletion: Bool { get }
  /// Handles an event.
  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition
  /// Receives the result of an effect, after the table.
  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition
}

extension Screen {
  var record: PersistentIdentifier? { nil }
  var cursorOrigin: CursorOrigin? { nil }
  var unlistedRow: TableRow? { nil }
  var detailsView: DetailsView? { nil }
  var shows: ShownResult? { nil }
  var acceptsTextWhileWorking: Bool { false }
  var typingCancelsCompletion: Bool { false }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition { .stay }
}

/// A kind of result that an open screen can show in place of the message line.
enum ShownResult: Hashable, Sendable {
  /// The conflicts with another program.
  case conflicts
  /// The row that a search found, or that there is none.
  case match
  /// The reason why a filter was refused.
  case refusedFilter
  /// What a command would change.
  case preview
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
  /// Close the screen, and pass a text to the screen below, which asked for it.
  case answer(String)
  /// Keep the screen, and move the table to a record that the shown one refers to.
  case follow(PersistentIdentifier)
  /// Close the screen, and move the table to a record, and perhaps to a field of it.
  case go(to: PersistentIdentifier, field: String? = nil)
  /// Keep the screen, and move the table back to the record before the last link.
  case goBack
  /// Close the screen, and show the records that refer to a record.
  case show(RecordDetails.Referrer, referringTo: PersistentIdentifier)
  /// Close the screen, and perform an action of the table.
  case perform(TableAction)
  /// Keep the screen, and perform an action of the table.
  case act(TableAction)
}

/// The text of the message line until the next key.
struct Notice: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case information, warning, error
  }

  var kind: Kind
  var text: String
  /// True if it is over as soon as the store can be read again.
  var endsWithReading = false
  /// What the text was before news of other programs were added to it; nil if there are none in it.
  var answer: String?

  var role: Role {
    switch kind {
    case .information: .message
    case .warning: .warning
    case .error: .error
    }
  }
}
