import OpenSwiftData

/// All fields of a record, existing or new, in a frame over the table.
struct FormScreen: Screen {
  let entity: Schema.Entity
  /// The record; nil for a new one.
  private(set) var edited: EditedRecord?
  private(set) var fields: [FieldEditor]
  private(set) var focus = 0
  private var isWaiting = false

  /// Opens the record under the cursor.
  init?(editing host: ScreenHost) {
    guard let edited = EditedRecord(host) else { return nil }
    entity = edited.entity
    self.edited = edited
    fields = zip(entity.fields, edited.row.values).map {
      FieldEditor($0.edited(in: edited.identifier), $1, host)
    }
    focus = host.table.currentColumn?.look.expression == nil ? host.table.currentSlot : 0
  }

  /// Starts a new record with the defaults.
  init?(addingTo host: ScreenHost) {
    guard let entity = host.table.entity else { return nil }
    self.entity = entity
    fields = entity.fields.map { FieldEditor($0.edited(in: nil), $0.defaultValue, host) }
    // A key that the store makes can be typed, but need not be.
    focus = entity.fields.firstIndex { $0.fixedReason == nil } ?? 0
  }

  var identifier: PersistentIdentifier? { edited?.identifier }
  /// The field with the cursor; nil in a form without fields.
  var focused: FieldEditor? { fields.indices.contains(focus) ? fields[focus] : nil }

  var place: KeyPlace { FormAction.place }
  var record: PersistentIdentifier? { identifier }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    switch event {
    case .interrupt: return leave(&host)
    case .key(let key):
      if moveInText(key, host) { return .stay }
      if let action: FormAction = host.keys.action(for: key) { return perform(action, &host) }
    case .mouse(let mouse):
      use(mouse, host)
      return .stay
    default: break
    }
    guard focused != nil else { return .stay }
    if let reason = reasonNotToChangeField(host) {
      host.warn(reason)
      return .stay
    }
    if event == .key(.space), fields[focus].attribute.type == .boolean {
      fields[focus].toggle()
    } else {
      _ = fields[focus].handle(event)
    }
    return .stay
  }

  /// Moves between the lines of a text and to their ends; false for other keys and at its ends.
  private mutating func moveInText(_ key: Key, _ host: ScreenHost) -> Bool {
    guard [.up, .down, .home, .end].contains(key), fields.indices.contains(focus) else {
      return false
    }
    let width = FormLayout(self, host).valueWidth
    guard fields[focus].rows(width: width).count > 1 else { return false }
    switch key {
    case .up: return fields[focus].moveRow(by: -1, width: width)
    case .down: return fields[focus].moveRow(by: 1, width: width)
    case .home: fields[focus].moveToLineStart()
    case .end: fields[focus].moveToLineEnd()
    default: return false
    }
    return true
  }

  private mutating func use(_ mouse: MouseEvent, _ host: ScreenHost) {
    switch mouse.kind {
    case .scrollDown: focus = min(focus + 1, max(0, fields.count - 1))
    case .scrollUp: focus = max(focus - 1, 0)
    case .press:
      let place = FormLayout(self, host).fields.last { $0.y <= mouse.point.y }?.place
      if let place, FormLayout(self, host).inner.contains(mouse.point) { focus = place }
    default: break
    }
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    edited?.follow(message, sayingIn: &host)
    switch message {
    case .answered(let text):
      if fields.indices.contains(focus) { fields[focus].choose(text) }
      return .stay
    case .answer(let answer):
      guard let (_, today) = answer.to(ReadClock.self) else { return .stay }
      fields.indices.forEach { fields[$0].setToday(today) }
    case .edited(let text):
      guard let text, fields.indices.contains(focus) else { return .stay }
      fields[focus].take(fromEditor: text)
    case .ran(let report) where isWaiting: return finish(report, &host)
    default: break
    }
    return .stay
  }

  /// Closes the form after its values were accepted.
  private mutating func finish(_ report: CommandReport, _ host: inout ScreenHost) -> Transition {
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

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    let type = focused?.attribute.type
    let isText = type == .text && focused?.attribute.isBlob == false
    let isFree = reasonNotToChangeField(host) == nil
    let others = FormAction.allCases.dropFirst(2).filter { action in
      switch action {
      case .newLine: isText && isFree
      case .null: isFree && focused?.attribute.isOptional == true
      case .editOutside: isFree
      case .choose, .restore: false
      default: true
      }
    }
    let first: [FormAction] = [.accept, .leave] + (draft(host) == nil ? [] : [.restore])
    // Of a link, a day or a truth value the choice is the easiest way.
    return first + (isFree && FieldPicker.word(for: type) != nil ? [.choose] : []) + others
  }

  private mutating func perform(_ action: FormAction, _ host: inout ScreenHost) -> Transition {
    switch action {
    case .accept: return accept(&host)
    case .leave: return leave(&host)
    case .restore: restore(&host)
    case .next: focus = (focus + 1) % max(1, fields.count)
    case .previous: focus = (focus + fields.count - 1) % max(1, fields.count)
    case .null, .newLine, .choose, .editOutside:
      guard let field = focused else { return .stay }
      if let reason = reasonNotToChangeField(host) {
        host.warn(reason)
        return .stay
      }
      return change(field, action, &host)
    case .help: return .open(TextScreen.help(host.keys, from: place))
    }
    return .stay
  }

  /// Closes the form, and keeps what was typed for the next form of the record.
  private func leave(_ host: inout ScreenHost) -> Transition {
    let changed = fields.filter(\.isChanged)
    guard !changed.isEmpty, reasonNotToChange(host) == nil else { return .close }
    host.keep(
      FormDraft(
        identifier: identifier,
        entityName: entity.name,
        fields: Dictionary(changed.map { ($0.attribute.name, $0) }, uniquingKeysWith: { $1 })
      )
    )
    let open = host.name(of: identifier == nil ? .add : .open)
    let key = host.keys.keys(for: FormAction.restore).first?.description ?? "restore"
    host.say("canceled; \(open) and then \(key) restore what you typed")
    return .close
  }

  /// What was typed before the last form of this record was left; nil if there is nothing.
  private func draft(_ host: ScreenHost) -> FormDraft? {
    host.past.draft.flatMap { $0.belongs(to: identifier, of: entity) ? $0 : nil }
  }

  private mutating func restore(_ host: inout ScreenHost) {
    guard let draft = draft(host) else {
      return host.warn("restore: no canceled input of this record")
    }
    var count = 0
    for (place, field) in fields.enumerated() {
      guard let typed = draft.fields[field.attribute.name], typed.attribute == field.attribute
      else { continue }
      fields[place].choose(typed.editor.text)
      if typed.isNull { fields[place].makeNull() }
      count += 1
    }
    host.say("restored \(counted(count, "field"))")
  }

  /// Performs an action that changes the field with the cursor.
  private mutating func change(
    _ field: FieldEditor,
    _ action: FormAction,
    _ host: inout ScreenHost
  ) -> Transition {
    switch action {
    case .null: fields[focus].makeNull()
    case .newLine where field.attribute.type == .text: fields[focus].insertLine()
    case .newLine: host.warn("\(field.attribute.name): only text has lines")
    case .choose:
      if field.attribute.type == .boolean { fields[focus].toggle() }
      if let picker = FieldPicker.screen(for: field, &host) { return .open(picker) }
    default: host.request(field.outsideEdit)
    }
    return .stay
  }

  /// The reason why the field with the cursor cannot be changed.
  private func reasonNotToChangeField(_ host: ScreenHost) -> String? {
    reasonNotToChange(host).map { "read-only form: \($0)" }
      ?? focused.flatMap { $0.attribute.fixedReason ?? $0.attribute.keyReason(identifier) }
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
      if let question = ChoiceScreen.meaning(of: field) { return .open(question) }
      host.refuse(problem)
      return .stay
    }
    isWaiting = true
    if let edited, isGone { return .open(edited.offerToAdd(changed)) }
    if let edited {
      host.set(changed, of: edited.row)
    } else {
      host.perform(
        InsertRecord(entityName: entity.name, assignments: changed.map(\.assignment))
      )
    }
    return .stay
  }
}

/// The actions of keys in a form.
enum FormAction: String, KeyAction {
  case accept, leave, next, previous, null
  case choose
  case newLine = "new line"
  case editOutside = "edit outside"
  case restore
  case help

  static let place = KeyPlace("form", "In a form")

  var binding: KeyBinding {
    switch self {
    case .accept: KeyBinding([.enter, .control("s")], "accept all fields")
    case .leave: KeyBinding([.escape], "cancel, keep the old values", hint: "cancel")
    case .next: KeyBinding([.tab, .down], "go to the next field")
    case .previous: KeyBinding([.backTab, .up], "go to the previous field")
    case .null: KeyBinding([.control("n")], "set the field to null")
    case .choose:
      KeyBinding([.control("t")], "choose the value: a record, a day, a value of other records")
    case .newLine: KeyBinding([.control("o"), Key(.enter, .alt)], "begin a new line in a text")
    case .editOutside: KeyBinding([.control("g")], "edit the field in $VISUAL or $EDITOR")
    case .restore:
      KeyBinding([.control("y")], "restore what was typed before this form was canceled")
    case .help: KeyBinding([.function(1)], "show the keys")
    }
  }
}
