import OpenSwiftData

/// The values of marked records side by side, field by field; the records can be merged into the first one.
struct CompareScreen: ListScreen {
  /// A field, with its value in each record.
  struct Line: Identifiable, Sendable {
    let field: Schema.Attribute
    let values: [Value]
    /// The same with the titles of linked records.
    let texts: [Value]
    /// The record whose value stays if the records are merged and none is chosen.
    let source: Int
    /// The record whose value was chosen.
    var chosen: Int?

    var id: String { field.name }
    /// The record whose value stays.
    var taken: Int { chosen ?? source }
    var differs: Bool { values.contains { $0 != values[0] } }
  }

  /// More would leave no room for the values.
  static let mostRecords = 9

  private var records: [PersistentIdentifier] = []
  private var all: [Line] = []
  private var showsOnlyDifferences = false
  var frame = ListFrame<Line>()

  init(_ host: inout ScreenHost) { host.ask(ReadCompared()) }

  var isOpaque: Bool { true }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    if case .failed = message, all.isEmpty { return .close }
    if case .ran(let report) = message, report.request?.instruction.value is MergeRecords {
      if case .failed = report.answer { return .stay }
      return .close
    }
    if case .refreshed = message { host.ask(ReadCompared()) }
    guard let (_, found) = message.answer(to: ReadCompared.self) else { return .stay }
    guard found.records.count > 1 else {
      host.warn("compare: fewer than two of the marked records are left")
      return .close
    }
    let chosen = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.chosen) })
    let isSame = found.records == records
    records = found.records
    all = found.entity.fields.enumerated().map { slot, field in
      Line(
        field: field,
        values: found.values.map { $0[slot] },
        texts: found.texts.map { $0[slot] },
        source: found.sources[slot],
        chosen: isSame ? chosen[field.name] ?? nil : nil
      )
    }
    show()
    return .stay
  }

  private mutating func show() {
    let shown = showsOnlyDifferences ? all.filter(\.differs) : all
    frame.setLines(shown, text: { "\($0.id) \($0.texts.map(\.text))" }, values: values)
  }

  // MARK: Keys

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    [ListAction.accept] + CompareAction.allCases as [any KeyAction]
      + [ListAction.leave, ListAction.filter, ListAction.copy, ListAction.export, ListAction.help]
  }

  func word(of action: any KeyAction, _ host: ScreenHost) -> String? {
    if action as? CompareAction == .take { return "to \(records.count) take" }
    return action as? ListAction == .accept ? "merge into 1" : nil
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if !frame.filter.isTyped, case .key(let key) = event,
      let number = key.typed?.wholeNumberValue, records.indices.contains(number - 1),
      let line = frame.selected, let place = all.firstIndex(where: { $0.id == line.id })
    {
      if let reason = line.field.unchangeableReason(records[0]) {
        host.warn(reason)
      } else {
        all[place].chosen = number - 1
        show()
      }
      return .stay
    }
    return handleList(event, &host)
  }

  mutating func perform(own action: CompareAction, _ host: inout ScreenHost) -> Transition {
    switch action {
    case .differences:
      showsOnlyDifferences.toggle()
      show()
    case .take: host.warn("take: there are \(records.count) records")
    }
    return .stay
  }

  /// Asks whether to merge the records into the first one.
  func accept(_ line: Line, _ host: inout ScreenHost) -> Transition {
    let chosen = all.compactMap { line in line.chosen.map { Assignment(line.id, line.values[$0]) } }
    let merge = MergeRecords(target: .records(records), assignments: chosen)
    return .open(
      ChoiceScreen.records(
        RecordAction(merge),
        records,
        subject: counted(records.count),
        labels: all.filter { $0.taken > 0 }.map { "\($0.id): \($0.texts[$0.taken].text)" }
      )
    )
  }

  // MARK: Drawing

  var valueNames: [String] { ["field"] + records.indices.map { "\($0 + 1)" } }

  func values(of line: Line) -> [Value] { [.text(line.id)] + line.texts }

  func look(_ host: ScreenHost) -> ListLook {
    let names = min(24, all.map { DisplayText($0.id).width }.max() ?? 0)
    let room = host.size.columns - names - 8
    let width = max(6, room / max(1, records.count) - 1)
    let differing = all.count(where: \.differs)
    return ListLook(
      page: host.layout,
      title: "\(counted(records.count)) · \(differing) of \(counted(all.count, "field")) differ",
      details: min(records.count, 4) + 1,
      [.init(width: 1), .init(width: names)] + records.map { _ in .init(width: width) }
    )
  }

  func cells(of line: Line, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    let cells = line.texts.enumerated().map { place, value in
      let text = ValueText(value, of: line.field, clippedTo: host.size.columns).text.plain
      let isChosen = line.differs && line.taken == place
      return ListCell((isChosen ? "✓ " : "  ") + text, line.differs && !isChosen ? .dim : nil)
    }
    return [ListCell(line.differs ? "≠" : "", .changed), ListCell(line.id)] + cells
  }

  func details(of line: Line) -> [(label: String, text: DisplayText)] {
    [("field", DisplayText(line.id))]
      + line.texts.enumerated().map { place, value in
        ("\(place + 1)", ValueText(value, of: line.field, clippedTo: 1000).text)
      }
  }
}

extension MarkedRecords {
  /// True for so many records as can be shown side by side.
  var canBeCompared: Bool { (2...CompareScreen.mostRecords).contains(count) }
}

/// The actions of keys while records are compared, in addition to those of a list.
enum CompareAction: String, KeyAction {
  case take
  case differences

  static let place = KeyPlace("compare", "While records are compared")

  var binding: KeyBinding {
    switch self {
    case .take:
      KeyBinding(
        ["1", "2", "3", "4", "5", "6", "7", "8", "9"],
        "take the value of the record with this number if the records are merged"
      )
    case .differences: KeyBinding(["="], "show only the fields that differ, or all")
    }
  }
}

/// Reads the marked records.
struct ReadCompared: Question {
  struct Reply: Hashable, Sendable {
    let entity: Schema.Entity
    let records: [PersistentIdentifier]
    /// The values of each record, in the order of the fields.
    let values: [[Value]]
    /// The same with the titles of linked records.
    let texts: [[Value]]
    /// For each field, the place of the record whose value stays if they are merged.
    let sources: [Int]
  }

  var work: String { "reading records" }

  func answer(by reader: ListReader) throws -> Reply? {
    guard let screen = reader.screenRecords() else { return nil }
    let context = reader.session.context
    let entity = try context.schema.entity(named: screen.entityName)
    let records = Array(try context.present(screen.targets()).prefix(CompareScreen.mostRecords))
    let snapshots = try context.snapshots(for: records)
    let found = records.compactMap { snapshots[$0]?.arranged(as: entity.layout) }
    let values = found.map(\.orderedValues)
    return Reply(
      entity: entity,
      records: records,
      values: values,
      texts: try values.map { try context.namingLinks($0) },
      sources: try MergeRecords.sources(of: found, entity, in: reader.session)
    )
  }
}
