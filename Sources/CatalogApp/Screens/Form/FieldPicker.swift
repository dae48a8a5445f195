import OpenSwiftData

/// The screens that choose the value of a field.
enum FieldPicker {
  /// What there is to choose for a type; nil if there is nothing.
  static func word(for type: AttributeType?) -> String? {
    switch type {
    case .boolean: "switch"
    case .date, .datetime: "calendar"
    case .link, .links: "record"
    case .text, .integer, .number, .decimal: "value"
    case .uuid, .json, nil: nil
    }
  }

  /// The screen for a field, with the effect that fills it requested; nil if there is nothing to choose.
  static func screen(for field: FieldEditor, _ host: inout ScreenHost) -> (any Screen)? {
    switch field.attribute.type {
    case .boolean: return nil
    case .date, .datetime: return CalendarScreen(field, today: host.today)
    case .link(let entity):
      return PickerScreen(.records(entity), current: field.linkedRecord.map { .link($0) }, &host)
    case .links(let entity):
      return PickerScreen(.records(entity), addingTo: field.text ?? "", &host)
    case .text, .integer, .number, .decimal:
      let current = field.text.map { Value.text($0) }
      return PickerScreen(.values(field.attribute.name), current: current, &host)
    case .uuid, .json:
      host.warn("\(field.attribute.name): nothing to choose from; type the value")
      return nil
    }
  }
}
