import OpenSwiftData

/// A screen for typing one value, with the keys of all such screens.
protocol CellEditor: Screen {
  var field: FieldEditor { get set }
  /// The number of columns to move after the value was accepted.
  var step: Int { get }

  /// Accepts the value, and then moves the given number of columns to the right.
  mutating func accept(_ step: Int, _ host: inout ScreenHost) -> Transition
}

extension CellEditor {
  var place: KeyPlace { CellAction.place }
  var step: Int { 0 }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    CellAction.allCases.filter { action in
      switch action {
      case .null: field.attribute.isOptional
      case .choose: FieldPicker.word(for: field.attribute.type) != nil
      default: true
      }
    }
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if case .interrupt = event { return .close }
    if case .key(let key) = event, let action: CellAction = host.keys.action(for: key) {
      switch action {
      case .accept: return accept(0, &host)
      case .leave: return .close
      case .next: return accept(1, &host)
      case .previous: return accept(-1, &host)
      case .null: field.makeNull()
      case .choose:
        if field.attribute.type == .boolean {
          field.toggle()
        } else if let picker = FieldPicker.screen(for: field, &host) {
          return .open(picker)
        }
      case .help: return .open(TextScreen.help(host.keys, from: place))
      }
      return .stay
    }
    _ = field.handle(field.oneLine(event))
    return .stay
  }

  /// Receives a value from the user's editor, a picker or a question, and the current day.
  mutating func receiveValue(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    switch message {
    case .edited(nil):
      host.say("no change")
      return .close
    case .edited(let text?):
      field.take(fromEditor: text)
      return accept(0, &host)
    case .answered(let text):
      let isMeaning = !field.meanings.isEmpty
      field.choose(text)
      // A value from a picker is accepted with Enter, as a typed one.
      if isMeaning { return accept(step, &host) }
    case .answer(let answer):
      if let (_, today) = answer.to(ReadClock.self) { field.setToday(today) }
    default: break
    }
    return .stay
  }

  /// What to do about a value that cannot be accepted as it is; nil if it can.
  func refusal(_ host: inout ScreenHost) -> Transition? {
    if let question = ChoiceScreen.meaning(of: field) { return .open(question) }
    guard let problem = field.problem else { return nil }
    host.refuse(problem)
    return .stay
  }

  /// Draws the value on the line of the messages, and a hint or a problem above it.
  func drawLine(
    labeled label: String,
    hint: String,
    isProblem: Bool,
    on canvas: inout Canvas,
    _ layout: ScreenLayout
  ) {
    let columns = canvas.size.columns
    let y = layout.messageLine
    StatusBar.drawHint(hint, isProblem: isProblem, on: &canvas, layout)
    canvas.fill(Rect(x: 0, y: y, width: columns, height: 1), role: .normal)
    let shown = DisplayText(label).clipped(to: max(0, columns - 12))
    let x = canvas.write(shown, at: Point(x: 0, y: y), role: .prompt)
    let point = Point(x: x, y: y)
    let width = max(1, columns - x)
    canvas.cursor = field.draw(on: &canvas, at: point, width: width, isFocused: true)
  }
}

extension FieldEditor {
  /// Starts with a value of the table.
  init(_ attribute: Schema.Attribute, _ value: Value, _ host: ScreenHost) {
    self.init(
      attribute,
      value,
      today: host.today,
      readsPercent: host.table.showsPercent(attribute.name),
      keepsTexts: host.status.traits.keepsTexts
    )
  }

  /// An event for a text of one line: what is pasted loses the end of its line, which was copied with it.
  fileprivate func oneLine(_ event: InputEvent) -> InputEvent {
    guard case .paste(let text) = event, text.hasSuffix("\n"), !editor.text.contains("\n") else {
      return event
    }
    return .paste(String(text.dropLast()))
  }
}

/// The actions of keys in a cell editor.
enum CellAction: String, KeyAction {
  case accept, leave, next, previous, null, choose, help

  static let place = KeyPlace("cell", "In a cell")

  var binding: KeyBinding {
    switch self {
    case .accept: KeyBinding([.enter], "accept the value")
    case .leave: KeyBinding([.escape], "cancel, keep the old value", hint: "cancel")
    case .next: KeyBinding([.tab], "accept and edit the next column")
    case .previous: KeyBinding([.backTab], "accept and edit the previous column")
    case .null: KeyBinding([.control("n")], "set the cell to null")
    case .choose:
      KeyBinding([.control("t")], "choose the value: a record, a day, a value of other records")
    case .help: KeyBinding([.function(1)], "show the keys")
    }
  }
}
