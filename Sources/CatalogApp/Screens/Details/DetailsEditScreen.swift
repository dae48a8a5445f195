import OpenSwiftData

/// Edits a value in the details pane, or one part of its JSON, on the line of the prompts.
struct DetailsEditScreen: CellEditor {
  private var edited: EditedRecord
  /// The field that is set.
  private let whole: FieldEditor
  /// The JSON and its part that is edited; nil for the whole value.
  private let part: (tree: JSONTree, node: Int)?
  /// The value or the part as the user edits it.
  var field: FieldEditor
  private var isWaiting = false

  init?(_ host: ScreenHost, field place: Int, part: (JSONTree, Int)?) {
    guard let edited = EditedRecord(host), edited.row.values.indices.contains(place) else {
      return nil
    }
    self.edited = edited
    let today = host.today
    let attribute = edited.entity.fields[place].edited(in: edited.identifier)
    whole = FieldEditor(attribute, edited.row.values[place], host)
    self.part = part.map { (tree: $0.0, node: $0.1) }
    field = whole
    if let (tree, node) = part { field = Self.editor(of: tree, node, in: whole, today) }
  }

  /// An editor for a part of JSON: a string as its text, anything else as JSON.
  private static func editor(
    of tree: JSONTree,
    _ node: Int,
    in whole: FieldEditor,
    _ today: CalendarDate
  ) -> FieldEditor {
    let text = tree.text(of: tree.nodes[node])
    let path = tree.path(of: node)
    let name = whole.attribute.name + (path.isEmpty || path.hasPrefix("[") ? "" : ".") + path
    return FieldEditor(
      Schema.Attribute(name, text == nil ? .json : .text, isOptional: false),
      text.map { .text($0) } ?? .json(tree.json(of: tree.nodes[node])),
      today: today
    )
  }

  var record: PersistentIdentifier? { edited.identifier }
  var unlistedRow: TableRow? { edited.state == .listed ? nil : edited.row }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    edited.follow(message, sayingIn: &host)
    switch message {
    case .ran(let report) where isWaiting:
      isWaiting = false
      if case .failed = report.answer { return .stay }
      return .close
    default: return receiveValue(message, &host)
    }
  }

  /// The field to set, with the part in its place.
  private var result: FieldEditor {
    guard let part else { return field }
    var result = whole
    let json =
      switch field.assignment.value {
      case .text(let text)?: JSONText.quoted(text)
      case .json(let json)?: json
      default: "null"
      }
    result.choose(part.tree.replacing(part.tree.nodes[part.node], with: json))
    return result
  }

  mutating func accept(_ step: Int, _ host: inout ScreenHost) -> Transition {
    guard field.isChanged || isNullPart else { return .close }
    if !isNullPart, let refusal = refusal(&host) { return refusal }
    if edited.state == .deleted { return .open(edited.offerToAdd([result])) }
    isWaiting = true
    host.set([result], of: edited.row)
    return .stay
  }

  /// True for a part of JSON that becomes null, which it can whatever it was.
  private var isNullPart: Bool { part != nil && field.isNull }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    // The input takes the line of the messages.
    let problem = host.messages.notice?.text ?? (isNullPart ? nil : field.problem)
    let about = part == nil ? FieldDescription.text(field.attribute) : partText
    drawLine(
      labeled: field.attribute.name + ": ",
      hint: problem ?? field.preview ?? about,
      isProblem: problem != nil,
      on: &canvas,
      host.layout
    )
  }

  private var partText: String {
    field.attribute.type == .text
      ? "text in JSON; all other parts stay as they are"
      : "JSON such as 12 or true, or text; all other parts stay as they are"
  }
}
