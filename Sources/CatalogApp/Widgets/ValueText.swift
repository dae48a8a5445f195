import OpenSwiftData

/// The text of a value in a cell: null, empty text and zero look different even without color.
struct ValueText {
  /// What a missing value looks like.
  static let null = "∅"

  let text: DisplayText
  let role: Role
  /// The cells at the beginning and at the end of the text that stand for white space; zero for most texts.
  private(set) var edges = (leading: 0, trailing: 0)

  /// Makes a value of a field visible: what people read in its place, or the value itself.
  init(_ value: Value, of attribute: Schema.Attribute?, clippedTo limit: Int) {
    guard let text = attribute?.readableText(of: value) else {
      self.init(value, clippedTo: limit)
      return
    }
    self.init(DisplayText(text, clippedTo: limit), .number)
  }

  /// Makes a value of a field visible in a format, so that different values have different texts.
  init(
    _ value: Value,
    of attribute: Schema.Attribute,
    in format: ColumnFormat,
    clippedTo limit: Int,
    today: CalendarDate?
  ) {
    self.init(value, of: attribute, clippedTo: limit)
    guard !format.isPlain, let text = format.exactText(of: value, today: today) else { return }
    self.init(DisplayText(text, clippedTo: limit), role)
  }

  /// Takes a text that was made in another way.
  init(_ text: DisplayText, _ role: Role) { (self.text, self.role) = (text, role) }

  /// Makes a value visible in at most the given number of cells.
  init(_ value: Value, clippedTo limit: Int) {
    switch value {
    case .null:
      text = DisplayText(Self.null)
      role = .null
    case .text(""):
      text = "\"\""
      role = .empty
    case .boolean(let isTrue):
      text = isTrue ? "✓" : "✗"
      role = .normal
    case .integer, .number, .decimal:
      text = DisplayText(value.text, clippedTo: limit)
      role = .number
    case .text(let content):
      let shown = DisplayText(content, clippedTo: limit)
      let edged = shown.edged
      text = edged?.text ?? shown
      role = .normal
      if let edged { edges = (edged.leading, edged.trailing) }
    default:
      text = DisplayText(value.text, clippedTo: limit)
      role = .normal
    }
  }
}

/// The parts of a row in addition to its values.
enum RowText {
  /// The widest identifier: a number of 64 bits with its sign.
  static let widestIdentifier = 20

  /// An identifier, perhaps shortened; a temporary one and a number in full.
  static func identifier(_ identifier: PersistentIdentifier) -> DisplayText {
    DisplayText(identifier.shortened(to: 6), clippedTo: widestIdentifier)
  }

  /// The symbol for the effect of the next save.
  static func sign(_ pending: ModelContext.PendingKind?) -> DisplayText {
    switch pending {
    case .inserted: "+"
    case .updated: "~"
    case .deleted: "-"
    case nil: " "
    }
  }
}
