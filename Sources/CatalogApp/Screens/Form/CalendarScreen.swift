import OpenSwiftData

/// A month to choose a day from.
struct CalendarScreen: Screen {
  private let name: String
  private let today: CalendarDate
  private var day: CalendarDate
  /// The time of day after the date, such as `T18:30:00Z`; empty for a date.
  private let time: String

  /// Starts on the day of a field, or on the current day.
  init(_ field: FieldEditor, today: CalendarDate) {
    name = field.attribute.name
    self.today = today
    let text = field.assignment.value?.text ?? ""
    day = CalendarDate(String(text.prefix(10))) ?? today
    time = field.attribute.type == .date ? "" : String(text.dropFirst(10))
  }

  var place: KeyPlace { CalendarAction.place }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    [
      .accept, .earlierMonth, .laterMonth, .earlierYear, .laterYear, .today, .left, .right, .up,
      .down, .leave,
    ] as [CalendarAction]
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if case .interrupt = event { return .close }
    guard case .key(let key) = event, let action: CalendarAction = host.keys.action(for: key)
    else { return .stay }
    switch action {
    case .accept: return .answer(day.description + time)
    case .leave: return .close
    case .left: move(byDays: -1)
    case .right: move(byDays: 1)
    case .up: move(byDays: -7)
    case .down: move(byDays: 7)
    case .earlierMonth: move(byMonths: -1)
    case .laterMonth: move(byMonths: 1)
    case .earlierYear: move(byMonths: -12)
    case .laterYear: move(byMonths: 12)
    case .today: day = today
    }
    return .stay
  }

  private mutating func move(byDays count: Int32) {
    let moved = CalendarDate(daysSince1970: day.daysSince1970 + count)
    if moved.isInRange { day = moved }
  }

  private mutating func move(byMonths count: Int) {
    if let moved = day.adding(months: count) { day = moved }
  }

  /// The field, the month and the year; of a long name, the beginning.
  private func title(width: Int) -> DisplayText {
    let (year, month, _) = day.components
    let date = DisplayText(" · \(CalendarDate.monthNames[month - 1]) \(year)")
    return DisplayText(name).clipped(to: max(8, width - date.width)) + date
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let (year, month, _) = day.components
    let title = self.title(width: host.size.columns - 6)
    let chosen = DisplayText("\(day)\(time), a \(day.weekdayName)")
    let inner = Sheet.draw(on: &canvas, in: host.layout.sheet(lines: 8), title: title)
    canvas.write("Mo Tu We Th Fr Sa Su", at: inner.origin, width: inner.width, role: .dim)
    guard let first = CalendarDate(year: year, month: month, day: 1) else { return }
    var place = first.weekday
    var shown = first
    while shown.components.month == month {
      let y = inner.minY + 1 + place / 7
      guard y < inner.maxY else { break }
      let number = shown.components.day
      let isSelected = shown == day
      let role: Role = isSelected ? .cursorCell : shown == today ? .title : .normal
      canvas.write(
        DisplayText((number < 10 ? " " : "") + "\(number)"),
        at: Point(x: inner.minX + place % 7 * 3, y: y),
        role: role
      )
      if isSelected { canvas.cursor = Point(x: inner.minX + place % 7 * 3, y: y) }
      let next = CalendarDate(daysSince1970: shown.daysSince1970 + 1)
      guard next.isInRange else { break }
      shown = next
      place += 1
    }
    canvas.write(
      chosen,
      at: Point(x: inner.minX, y: inner.maxY - 1),
      width: inner.width,
      role: .dim
    )
  }
}

/// The actions of keys in the calendar.
enum CalendarAction: String, KeyAction {
  case accept, leave, left, right, up, down
  case earlierMonth = "earlier month"
  case laterMonth = "later month"
  case earlierYear = "earlier year"
  case laterYear = "later year"
  case today

  static let place = KeyPlace("calendar", "In the calendar")

  var binding: KeyBinding {
    switch self {
    case .accept: KeyBinding([.enter], "choose the day")
    case .leave: KeyBinding([.escape, "q"], "cancel", hint: "cancel")
    case .left: KeyBinding([.left, "h"], "go to the day before", hint: "-day")
    case .right: KeyBinding([.right, "l"], "go to the next day", hint: "+day")
    case .up: KeyBinding([.up, "k"], "go to the week before", hint: "-week")
    case .down: KeyBinding([.down, "j"], "go to the next week", hint: "+week")
    case .earlierMonth: KeyBinding([.pageUp, "p"], "go to the month before", hint: "-month")
    case .laterMonth: KeyBinding([.pageDown, "n"], "go to the next month", hint: "+month")
    case .earlierYear: KeyBinding([.home, "P"], "go to the year before", hint: "-year")
    case .laterYear: KeyBinding([.end, "N"], "go to the next year", hint: "+year")
    case .today: KeyBinding(["t"], "go to the current day")
    }
  }
}
