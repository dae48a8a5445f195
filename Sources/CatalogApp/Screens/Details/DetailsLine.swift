import OpenSwiftData

/// A line of the details pane.
struct DetailsLine: Hashable, Sendable {
  /// What a line is about.
  enum Subject: Hashable, Sendable {
    /// The value of a field.
    case field(Int)
    /// A part of the JSON in a field.
    case node(field: Int, node: Int)
    /// A record, and the field that refers to it; nil for a record that refers to the shown one.
    case link(PersistentIdentifier, field: Int?)
    /// The heading of the records that refer to the shown one by one of the fields that do.
    case heading(Int)
  }

  var subject: Subject
  /// The text on the left, on the first line of a value.
  var label = DisplayText.empty
  /// The cells before the text.
  var indent: Int
  var text: DisplayText
  var role: Role
  /// True if it is the first line of its subject.
  var isFirst = true

  /// The field that the line belongs to; nil for other records.
  var field: Int? {
    switch subject {
    case .field(let field), .node(let field, _): field
    case .link(_, let field): field
    case .heading: nil
    }
  }
}

/// The part of the JSON in a field whose fold was changed.
struct DetailsFold: Hashable, Sendable {
  let field: Int
  let node: Int
}

/// The lines of the details pane: all values of a record, wrapped, and the records related to it.
struct DetailsContent {
  let row: TableRow
  let attributes: [Schema.Attribute]
  /// How the values of each attribute are shown.
  let formats: [ColumnFormat]
  /// The current day; nil if it is unknown.
  let today: CalendarDate?
  /// What is known of other records; nil if nothing is.
  let details: RecordDetails?
  /// The parts of JSON that are not as they are at first.
  let folds: Set<DetailsFold>
  /// The cells for a line.
  let width: Int
  /// The maximum number of lines of a value.
  let mostLines: Int

  /// The cells for the names of the fields.
  var labelWidth: Int {
    min(attributes.map { DisplayText($0.name).width }.max() ?? 0, max(6, width / 2))
  }

  /// All lines.
  ///
  /// - Complexity: O(n) in the text of the record, up to `mostLines` for each field.
  var lines: [DetailsLine] {
    var lines: [DetailsLine] = []
    for field in attributes.indices where row.values.indices.contains(field) {
      var own = fieldLines(field)
      own[0].label = DisplayText(attributes[field].name).clipped(to: labelWidth)
      lines += own
    }
    for (place, referrer) in (details?.referrers ?? []).enumerated() {
      let heading = DisplayText("referred to by \(referrer.name) (\(referrer.countText))")
      lines.append(DetailsLine(subject: .heading(place), indent: 0, text: heading, role: .title))
      lines += referrer.records.map { record in
        let subject = DetailsLine.Subject.link(record.identifier, field: nil)
        return DetailsLine(
          subject: subject,
          indent: 2,
          text: linkText(record.identifier, record.title),
          role: .normal
        )
      }
    }
    return lines
  }

  private var indent: Int { labelWidth + 2 }

  private func fieldLines(_ field: Int) -> [DetailsLine] {
    let value = row.values[field]
    switch value {
    case .link, .links:
      let links = value.linkedIdentifiers.prefix(RecordDetails.most)
      guard !links.isEmpty else { break }
      return links.map { link in
        DetailsLine(
          subject: .link(link, field: field),
          indent: indent,
          text: linkText(link, details?.titles[link]),
          role: .normal
        )
      }
    case .json(let json):
      if let tree = JSONTree(json), tree.nodes[0].count != nil { return treeLines(field, tree) }
    default: break
    }
    return textLines(field, value)
  }

  /// `→ cb5r12 The Third Man`.
  private func linkText(_ link: PersistentIdentifier, _ title: String?) -> DisplayText {
    let title = title.map { $0.isEmpty ? "" : " " + $0 } ?? ""
    return "→ " + RowText.identifier(link) + DisplayText(title)
  }

  /// As many bytes as hardly any cell has; a family of emoji has 25.
  private static let bytesOfCell = 32

  /// The first rows of a text; what cannot be shown is not read.
  private static func rows(of text: String, width: Int, most: Int) -> [DisplayText] {
    let limit = width * most * bytesOfCell
    let end = text.utf8.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex)
    var rest = text[..<(end ?? text.endIndex)]
    var rows: [DisplayText] = []
    while rows.count < most {
      let lineEnd = rest.utf8.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      var line = rest[..<lineEnd]
      if lineEnd < rest.endIndex, line.utf8.last == UInt8(ascii: "\r") {
        line = line[..<line.utf8.index(before: lineEnd)]
      }
      let shown = DisplayText(String(line), clippedTo: width * (most - rows.count))
      rows += shown.width == 0 ? [.empty] : shown.wrapped(to: width)
      guard lineEnd < rest.endIndex else { break }
      rest = rest[rest.utf8.index(after: lineEnd)...]
    }
    return rows
  }

  private func textLines(_ field: Int, _ value: Value) -> [DetailsLine] {
    let room = max(1, width - indent)
    let attribute = attributes[field]
    var texts: [DisplayText] = []
    var role = Role.normal
    if let failure = row.failures[attribute.name] {
      (texts, role) = (DisplayText("! " + failure).wrapped(to: room), .dim)
    } else if case .text(let text) = value, attribute.readableText(of: value) == nil, !text.isEmpty
    {
      texts = Self.rows(of: text, width: room, most: mostLines)
    } else {
      let shown = ValueText(
        value,
        of: attribute,
        in: formats[field],
        clippedTo: room * mostLines,
        today: today
      )
      (texts, role) = (shown.text.wrapped(to: room), shown.role)
    }
    if texts.isEmpty { texts = [.empty] }
    return texts.prefix(mostLines).enumerated().map { place, text in
      DetailsLine(
        subject: .field(field),
        indent: indent,
        text: text,
        role: role,
        isFirst: place == 0
      )
    }
  }

  // MARK: JSON

  /// True for parts of JSON that are folded at first.
  private static func isFoldedAtFirst(_ node: JSONTree.Node) -> Bool {
    node.depth >= 2 && (node.count ?? 0) > 0 || (node.count ?? 0) > 100
  }

  private func isFolded(_ field: Int, _ place: Int, _ node: JSONTree.Node) -> Bool {
    Self.isFoldedAtFirst(node) != folds.contains(DetailsFold(field: field, node: place))
  }

  private func treeLines(_ field: Int, _ tree: JSONTree) -> [DetailsLine] {
    var lines: [DetailsLine] = []
    var place = 0
    while place < tree.nodes.count, lines.count < mostLines {
      let node = tree.nodes[place]
      let isFolded = isFolded(field, place, node)
      let depth = DisplayText(String(repeating: "  ", count: node.depth))
      let sign: DisplayText = (node.count ?? 0) > 0 ? (isFolded ? "▸ " : "▾ ") : "  "
      let label = node.label.isEmpty ? DisplayText.empty : DisplayText(node.label) + ": "
      let start = depth + sign + label
      // A long value goes on below itself, or below its name if there is too little room.
      let beside = width - indent - start.width
      let hanging = beside < 12 ? depth.width + 4 : start.width
      let room = max(8, width - indent - hanging)
      let (text, role) = treeText(tree, node, room: room * mostLines)
      for (line, part) in text.wrapped(to: room).prefix(mostLines).enumerated() {
        lines.append(
          DetailsLine(
            subject: .node(field: field, node: place),
            indent: indent,
            text: (line == 0 ? start : .spaces(hanging)) + part,
            role: role,
            isFirst: line == 0
          )
        )
      }
      place = isFolded ? node.end : place + 1
    }
    return lines
  }

  private func treeText(_ tree: JSONTree, _ node: JSONTree.Node, room: Int) -> (DisplayText, Role) {
    if let count = node.count {
      let word = node.isObject ? "{…}" : "[…]"
      if count == 0 { return (node.isObject ? "{}" : "[]", .empty) }
      return (DisplayText("\(word) \(count)"), .dim)
    }
    if let text = tree.text(of: node) {
      return text.isEmpty ? ("\"\"", .empty) : (DisplayText(text, clippedTo: room), .normal)
    }
    let json = tree.json(of: node)
    return json == "null" ? ("∅", .null) : (DisplayText(json, clippedTo: room), .number)
  }
}
