import OpenSwiftData

/// A screen on which one value is typed: the keys of all such screens.
protocol CellEditor: Screen {
  var field: FieldEditor { get set }

  /// Takes the value, and goes on so many columns to the right when it was taken.
  mutating func accept(_ step: Int, _ app: inout AppState) -> Transition
}

extension CellEditor {
  var place: ScreenCommand.Place { .cell }

  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition {
    if case .interrupt = event { return .close }
    if case .key(let key) = event, let command = app.keys.command(for: key, at: .cell) {
      switch command.name {
      case "accept": return accept(0, &app)
      case "next": return accept(1, &app)
      case "previous": return accept(-1, &app)
      case "null": field.makeNull()
      case "help": return .open(TextScreen.help(app, from: .cell))
      default: return .close
      }
      return .stay
    }
    _ = field.handle(event)
    return .stay
  }

  /// Accepts what came back from the user's editor; nil closes the screen.
  mutating func take(fromEditor text: String?, _ app: inout AppState) -> Transition {
    guard let text else {
      app.say("no change")
      return .close
    }
    field.take(fromEditor: text)
    return accept(0, &app)
  }
}
