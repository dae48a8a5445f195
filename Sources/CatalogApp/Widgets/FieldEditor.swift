import OpenSwiftData

/// Edits a value as text, and checks it against its type at every key.
struct FieldEditor: Sendable {
  let attribute: Schema.Attribute
  let original: Value
  private(set) var editor: LineEditor
  /// True if the field is null, which is neither empty text nor zero.
  private(set) var isNull: Bool
  private var reader: EntryReader
  /// True if the field gets the type that keeps what is typed.
  private let keepsTexts: Bool

  /// Starts with a value; `50%` is read as a number if the column shows percentages.
  init(
    _ attribute: Schema.Attribute,
    _ value: Value,
    today: CalendarDate,
    readsPercent: Bool = false,
    keepsTexts: Bool = false
  ) {
    self.attribute = attribute
    self.keepsTexts = keepsTexts
    reader = EntryReader(today: today, readsPercent: readsPercent)
    original = value
    editor = LineEditor(attribute.editedText(of: value))
    isNull = value.isNull
  }

  /// The reason why the field cannot be edited; nil if it can.
  var fixedReason: String? { attribute.fixedReason }

  /// The text to store; nil for null.
  var text: String? { isNull ? nil : editor.text }

  /// The record that the field refers to, unless something else was typed.
  var linkedRecord: PersistentIdentifier? {
    original.linkedIdentifiers.first { $0.description == text }
  }

  /// Handles an event; false for an event that is not for the editor.
  ///
  /// A letter after a whole truth value begins another one.
  mutating func handle(_ event: InputEvent) -> Bool {
    let before = editor.text
    if attribute.type == .boolean, ["true", "false"].contains(before),
      editor.cursor == before.count, case .key(let key) = event, key.typed?.isLetter == true
    {
      editor = LineEditor()
    }
    guard editor.handle(event) else { return false }
    if editor.text != before { isNull = false }
    return true
  }

  mutating func makeNull() {
    editor = LineEditor()
    isNull = true
  }

  /// Inserts text at the cursor.
  mutating func insert(_ text: String) {
    editor.insert(text)
    isNull = false
  }

  /// Moves the cursor to a character.
  mutating func moveCursor(to character: Int) { editor.move(to: character) }

  /// Switches between true and false; null becomes true.
  mutating func toggle() { choose(assignment.value == .boolean(true) ? "false" : "true") }

  /// Accepts the text from an external editor.
  mutating func take(fromEditor text: String) {
    // Editors add an end to the last line; it is removed unless the value had one.
    let isEnded = text.hasSuffix("\n") && !original.text.hasSuffix("\n")
    let typed = isEnded ? String(text.dropLast()) : text
    // The editor gets JSON with a line for each value.
    let json = attribute.type == .json ? try? JSONText.compact(typed) : nil
    editor = LineEditor(json ?? typed)
    isNull = false
  }

  /// Starts over with empty input, which is empty text if the field allows it.
  mutating func makeEmpty() {
    editor = LineEditor()
    isNull = attribute.type != .text
  }

  /// The field and its typed value; for a link, which only the store can resolve, the typed text.
  var assignment: Assignment {
    if isNull { return Assignment(attribute.name, .null) }
    if !isChanged { return Assignment(attribute.name, original) }
    guard typeKeepingText == nil, case .value(let value) = reading else {
      // The session gives the field another type, or reads an invalid text again and refuses it with the reason.
      return Assignment(attribute.name, typed: editor.text)
    }
    return Assignment(attribute.name, attribute.kept(value))
  }

  /// The type that the field gets to keep the text; nil if it keeps its own.
  private var typeKeepingText: AttributeType? {
    !keepsTexts || isNull || !isChanged ? nil : attribute.type(toKeep: editor.text)
  }

  /// The reason why the text is not valid for the field; nil if it is.
  var problem: String? {
    if attribute.isReadOnly || typeKeepingText != nil { return nil }
    if isNull { return attribute.isOptional ? nil : "a value is required" }
    switch attribute.type {
    case .text, .links: return nil
    case .link:
      return editor.text.isEmpty ? emptiness("type the title or the identifier of a record") : nil
    default:
      guard !editor.text.isEmpty else { return emptiness("type a value") }
      switch reading {
      case .refused(let reason): return reason
      case .ambiguous(let meanings):
        return
          "\(Value.quoted(editor.text)) can be \(meanings.words); press Enter to choose"
      case .value, nil: return nil
      }
    }
  }

  /// The problem of empty text, with what to do about it.
  private func emptiness(_ advice: String) -> String {
    attribute.isOptional ? "empty; \(advice) or set it to null" : "a value is required; \(advice)"
  }

  /// True if accepting the value would change the record.
  var isChanged: Bool {
    // The text shows a part of the bytes.
    if attribute.isBlob { return false }
    guard let text else { return !original.isNull }
    // Texts that look the same may differ in their bytes.
    let isOriginal = [original.text, attribute.editedText(of: original)].contains {
      text.utf8.elementsEqual($0.utf8)
    }
    return original.isNull || !isOriginal && !isSameValue
  }

  /// True if the text is a code such as `007`, for which the field becomes text.
  private var isCode: Bool { keepsTexts && attribute.type(toKeep: editor.text) == .text }

  /// True if the text is another spelling of the original value.
  private var isSameValue: Bool {
    guard !original.isNull, attribute.type != .text, attribute.type != .json, !isCode,
      case .value(let value) = reading
    else { return false }
    return attribute.kept(value) == original
  }

  /// Uses another day for relative dates.
  mutating func setToday(_ today: CalendarDate) {
    reader = EntryReader(today: today, readsPercent: reader.readsPercent)
  }

  /// What the text means; nil for null and for links, which only the store can find.
  private var reading: EntryReading? {
    isNull || attribute.type.destination != nil
      ? nil : reader.read(editor.text, as: attribute.type)
  }

  /// The values that the text may mean; empty unless the user has to choose.
  var meanings: [EntryMeaning] {
    guard isChanged, case .ambiguous(let meanings) = reading else { return [] }
    return meanings
  }

  /// The exact value to store, if it is written differently from the text, or that it is the present one; nil otherwise.
  var preview: String? {
    if let type = typeKeepingText {
      return "Enter makes the column \(type), to keep \(Value.quoted(editor.text))"
    }
    guard !isNull, case .value(let value) = reading else { return nil }
    let exact = attribute.kept(value)
    guard isChanged else {
      if attribute.letters(of: original) != nil {
        return "\(attribute.name): not UTF-8; the bytes stay as they are unless you change the text"
      }
      let isTyped = !attribute.shownText(of: original).utf8.elementsEqual(editor.text.utf8)
      return isTyped && isSameValue ? "\(exact.text) is the present value" : nil
    }
    guard !exact.text.utf8.elementsEqual(editor.text.utf8) else { return nil }
    return "Enter stores \(exact.text)" + (EntryPreview.note(on: exact).map { " (\($0))" } ?? "")
  }

  /// Replaces the text with one of its meanings.
  mutating func choose(_ text: String) {
    editor.replace(with: text)
    isNull = false
  }

  /// Draws the field in the given number of cells and returns the position of the cursor.
  func draw(on canvas: inout Canvas, at point: Point, width: Int, isFocused: Bool) -> Point {
    let role: Role =
      problem != nil && (isFocused || isChanged)
      ? .fieldInvalid : isFocused ? .fieldFocused : .field
    canvas.fill(Rect(x: point.x, y: point.y, width: width, height: 1), role: role)
    if isNull {
      canvas.write("∅", at: point, width: width, role: isFocused ? role : .null)
      return point
    }
    let window = editor.visibleWindow(width)
    if editor.text.isEmpty, !isFocused {
      canvas.write("\"\"", at: point, width: width, role: .empty)
    } else {
      canvas.write(window.text, at: point, width: width, role: role)
    }
    return Point(x: point.x + window.cursorColumn, y: point.y)
  }
}
