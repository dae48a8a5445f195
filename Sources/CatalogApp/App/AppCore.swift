import OpenSwiftData

/// A request of the program to the terminal; a loop without a terminal may ignore it.
package enum TerminalRequest: Hashable, Sendable {
  /// Copy a text to the clipboard.
  case copy(String)
  /// Edit a text in `$VISUAL` or `$EDITOR`, and return it through `finishEditing`.
  ///
  /// The ending of the file tells the editor what it contains.
  case edit(String, ending: String = "txt")
  /// Stop the program until it is continued, then send `resumed`.
  case suspend
  /// Redraw the whole screen.
  case redraw
  /// Change how the terminal is used.
  case use(TerminalSetting)
}

/// The state of the program, and its requests to the terminal.
struct AppCore {
  var state: AppState
  /// The exit status; nil while the program runs.
  private(set) var exitStatus: Int32?
  private var requests: [TerminalRequest] = []

  init(_ state: AppState) { self.state = state }

  /// Processes a message, and returns the effects that need the store.
  mutating func update(_ message: AppMessage) -> [Effect] { take(state.update(message)) }

  /// The effects that show the first screen.
  mutating func start() -> [Effect] { take(state.start()) }

  /// Returns and removes the requests to the terminal, oldest first.
  mutating func takeRequests() -> [TerminalRequest] {
    defer { requests = [] }
    return requests
  }

  /// True if the terminal has something to do, as after an editor whose text has to be edited again.
  var hasRequests: Bool { !requests.isEmpty }

  /// True if the text of an external editor is awaited.
  var awaitsEditor: Bool {
    requests.contains { if case .edit = $0 { true } else { false } }
  }

  /// Keeps the effects that do not need the store, and returns the others.
  private mutating func take(_ effects: [Effect]) -> [Effect] {
    var others: [Effect] = []
    for effect in effects {
      switch effect {
      case .copy(let text): requests.append(.copy(text))
      case .edit(let text, let ending): requests.append(.edit(text, ending: ending))
      case .suspend: requests.append(.suspend)
      case .redraw: requests.append(.redraw)
      case .use(let setting): requests.append(.use(setting))
      case .quit(let status): exitStatus = exitStatus ?? status
      default: others.append(effect)
      }
    }
    return exitStatus == nil ? others : []
  }
}
