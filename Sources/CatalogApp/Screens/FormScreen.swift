import OpenSwiftData

/// All fields of a record, existing or new, one line each.
struct FormScreen: Screen {
  private let entity: Schema.Entity
  /// The record; nil for a new one.
  private var edited: EditedRecord?
  private var fields: [FieldEditor]
  private var focus = 0
  private var isWaiting = false

  /// Opens the record under the cursor.
  init?(editing host: ScreenHost) {
    guard let edited = EditedRecord(host) else { return nil }
    entity = edited.entity
    self.edited = edited
    fields = zip(entity.fields, edited.row.values).map { FieldEditor($0, $1) }
    focus = host.table.column
  }

  /// Starts a new record with the defaults.
  init?(addingTo host: ScreenHost) {
    guard let entity = host.table.entity else { return nil }
    self.entity = entity
    fields = entity.fields.map { FieldEditor($0, $0.defaultValue) }
  }

  private var identifier: PersistentIdentifier? { edited?.identifier }

  var place: KeyPlace { FormAction.place }
  var record: PersistentIdentifier? { identifier }
  var isOpaque: Bool { true }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    switch event {
    case .interrupt: return .close
    case .key(let key):
      if let action: FormAction = host.keys.action(for: key) { return perform(action, &host) }
    case .mouse(let mouse) where mouse.kind == .press:
      let line = visibleFields(host).lowerBound + mouse.point.y - 1
      if visibleFields(host).contains(line) { focus = line }
      return .stay
    default: break
    }
    guard fields.indices.contains(focus) else { return .stay }
    if let reason = reasonNotToChangeField(host) {
      if case .mouse = event { return .stay }
      host.warn(reason)
      return .stay
    }
    _ = fields[focus].handle(event)
    return .stay
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    edited?.follow(message, sayingIn: &host)
    guard isWaiting, case .ran(let report) = message else { return .stay }
    isWaiting = false
    let changed = fields.filter(\.isChanged)
    if let edited, report.isRecordMissing {
      isWaiting = true
      return .open(edited.offerToAdd(changed))
    }
    if case .failed = report.answer { return .stay }
    if identifier != nil, edited?.state != .deleted, changed.count == 1 {
      host.remember(.set(changed[0].assignment))
    }
    return .close
  }

  func hints(_ host: ScreenHost) -> [any KeyAction] { FormAction.allCases }

  private mutating func perform(_ action: FormAction, _ host: inout ScreenHost) -> Transition {
    switch action {
    case .accept: return accept(&host)
    case .leave: return .close
    case .next: focus = (focus + 1) % max(1, fields.count)
    case .previous: focus = (focus + fields.count - 1) % max(1, fields.count)
    case .null:
      if let reason = reasonNotToChangeField(host) {
        host.warn(reason)
      } else if fields.indices.contains(focus) {
        fields[focus].makeNull()
      }
    case .help: return .open(TextScreen.help(host.keys, from: place))
    }
    return .stay
  }

  /// The reason why the field with the cursor cannot be changed.
  private func reasonNotToChangeField(_ host: ScreenHost) -> String? {
    reasonNotToChange(host).map { "read-only form: \($0)" }
      ?? (fields.indices.contains(focus) ? fields[focus].fixedReason : nil)
  }

  private func reasonNotToChange(_ host: ScreenHost) -> String? {
    if let reason = host.readOnlyReason { return reason }
    if edited?.row.pending == .deleted {
      return "deleted record; press u to undo"
    }
    return nil
  }

  private mutating func accept(_ host: inout ScreenHost) -> Transition {
    let changed = fields.filter(\.isChanged)
    let isGone = edited?.state == .deleted
    if identifier != nil, changed.isEmpty, !isGone { return .close }
    for (place, field) in fields.enumerated() where field.isChanged || identifier == nil {
      guard let problem = field.problem else { continue }
      focus = place
      host.refuse(problem)
      return .stay
    }
    isWaiting = true
    if let edited, isGone { return .open(edited.offerToAdd(changed)) }
    if let identifier {
      host.set(changed, of: identifier)
    } else {
      host.perform(
        InsertRecord(entityName: entity.name, assignments: changed.map(\.assignment))
      )
    }
    return .stay
  }

  // MARK: Drawing

  private func visibleFields(_ host: ScreenHost) -> Range<Int> {
    let room = max(1, host.layout.statusLine - 1)
    let start = max(0, min(focus - room + 1, fields.count - room))
    return start..<min(fields.count, start + room)
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let columns = canvas.size.columns
    let fate = edited?.state == .deleted ? " · deleted by another program" : ""
    let title = identifier.map { "\(entity.name) \($0)\(fate)" } ?? "new \(entity.name) record"
    canvas.fill(Rect(x: 0, y: 0, width: columns, height: 1), role: .header)
    canvas.write(DisplayText(title), at: Point(x: 1, y: 0), width: columns - 1, role: .header)
    let names = fields.map { DisplayText($0.attribute.name) }
    let types = fields.map {
      DisplayText($0.attribute.isReadOnly ? "read-only" : $0.attribute.specification)
    }
    let nameWidth = min(names.map(\.width).max() ?? 0, columns / 3)
    let typeWidth = min(types.map(\.width).max() ?? 0, columns / 5)
    var y = 1
    for place in visibleFields(host) {
      let field = fields[place]
      let isFocused = place == focus
      let sign: DisplayText = field.isChanged ? (field.problem == nil ? "~" : "!") : " "
      canvas.write((isFocused ? ">" : " ") + sign, at: Point(x: 0, y: y), role: .gutter)
      canvas.write(
        names[place].clipped(to: nameWidth),
        at: Point(x: 2, y: y),
        role: isFocused ? .fieldFocused : .fieldLabel
      )
      canvas.write(
        types[place].clipped(to: typeWidth),
        at: Point(x: 3 + nameWidth, y: y),
        role: .dim
      )
      let x = 5 + nameWidth + typeWidth
      let cursor = field.draw(
        on: &canvas,
        at: Point(x: x, y: y),
        width: max(1, columns - x - 1),
        isFocused: isFocused
      )
      if isFocused { canvas.cursor = cursor }
      y += 1
    }
    drawMessage(on: &canvas, host)
  }

  private func drawMessage(on canvas: inout Canvas, _ host: ScreenHost) {
    guard host.notice == nil, fields.indices.contains(focus) else { return }
    let field = fields[focus]
    let problem = field.isChanged ? field.problem : nil
    canvas.write(
      DisplayText(problem ?? FieldDescription.text(field.attribute)),
      at: Point(x: 0, y: host.layout.messageLine),
      width: canvas.size.columns,
      role: problem == nil ? .message : .error
    )
  }
}

/// The actions of keys in a form.
enum FormAction: String, KeyAction {
  case accept, leave, next, previous, null, help

  static let place = KeyPlace("form")

  var binding: KeyBinding {
    func binding(_ keys: [Key], _ summary: String, hint: String? = nil) -> KeyBinding {
      KeyBinding("In a form", keys, summary, hint: hint)
    }
    return switch self {
    case .accept: binding([.enter, .control("s")], "accept all fields")
    case .leave: binding([.escape], "cancel, keep the old values", hint: "cancel")
    case .next: binding([.tab, .down], "go to the next field")
    case .previous: binding([.backTab, .up], "go to the previous field")
    case .null: binding([.control("n")], "set the field to null")
    case .help: binding([.function(1)], "show the keys")
    }
  }
}
