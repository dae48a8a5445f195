import OpenSwiftData

/// The positions of the fields of a form.
struct FormLayout {
  /// A field that is visible, at least in part.
  struct Field {
    let place: Int
    let y: Int
    let lines: Int
  }

  /// The sheet.
  let area: Rect
  /// The cells below its title.
  let inner: Rect
  let nameWidth: Int
  let typeWidth: Int
  /// The cells for the values.
  let valueWidth: Int
  /// The fields from the first visible one on.
  let fields: [Field]
  /// The number of lines of all fields, and those before the first visible field.
  let lineCount: Int
  let firstLine: Int

  /// The maximum number of lines of a text without the cursor.
  private static let mostLines = 4

  init(_ form: FormScreen, _ host: ScreenHost) {
    let screen = host.layout
    let whole = Sheet.inside(screen.sheet(lines: .max))
    let (room, innerWidth) = (whole.height, whole.width)
    let names = form.fields.map { DisplayText($0.attribute.name).width }
    nameWidth = min(names.max() ?? 0, innerWidth / 3)
    let types = form.fields.map { DisplayText(FormLayout.typeText($0)).width }
    typeWidth = min(types.max() ?? 0, innerWidth / 4)
    let valueWidth = max(1, innerWidth - nameWidth - typeWidth - 3)
    self.valueWidth = valueWidth
    let heights = form.fields.enumerated().map { place, field in
      let most = place == form.focus ? max(Self.mostLines, room / 2) : Self.mostLines
      return min(field.rows(width: valueWidth).count, most)
    }
    area = screen.sheet(lines: heights.reduce(0, +))
    inner = Sheet.inside(area)
    lineCount = heights.reduce(0, +)
    // The fields before the focused one scroll out until that one is visible.
    var start = 0
    var used = heights.prefix(form.focus + 1).reduce(0, +)
    while start < form.focus, used > inner.height {
      used -= heights[start]
      start += 1
    }
    firstLine = heights.prefix(start).reduce(0, +)
    var y = inner.minY
    var fields: [Field] = []
    for place in start..<max(start, heights.count) where y < inner.maxY {
      fields.append(Field(place: place, y: y, lines: min(heights[place], inner.maxY - y)))
      y += heights[place]
    }
    self.fields = fields
  }

  /// The type of a field in words: `date, required`.
  ///
  /// The line of messages tells why a field is read-only.
  static func typeText(_ field: FieldEditor) -> String {
    let attribute = field.attribute
    if attribute.isReadOnly { return "read-only" }
    let type =
      switch attribute.type {
      case .link(let entity): "→ \(entity)"
      case .links(let entity): "→ \(entity) …"
      default: attribute.type.description
      }
    return type + (attribute.isOptional ? "" : ", required")
  }
}
