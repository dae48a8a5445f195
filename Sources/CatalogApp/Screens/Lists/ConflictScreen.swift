package import OpenSwiftData

/// A record with a conflict, and its title.
package struct ConflictReport: Hashable, Sendable {
  /// The conflicting changes.
  package let conflict: RecordConflict
  /// The record in a few words.
  package let title: String
}

/// The values changed both here and by another program, side by side: mine and theirs, field by field.
///
/// Nothing is saved here: a value that is resolved becomes an unsaved change, or stops being one.
struct ConflictScreen: ListScreen {
  /// One decision: a field, or a record that one side deleted or that may be another one.
  struct Line: Identifiable, Sendable {
    struct ID: Hashable, Sendable {
      let record: PersistentIdentifier
      let field: String?
    }

    let report: ConflictReport
    let difference: RecordConflict.Difference?

    var id: ID { ID(record: report.conflict.persistentIdentifier, field: difference?.name) }
  }

  var frame = ListFrame<Line>()

  init(_ reports: [ConflictReport]) { show(reports) }

  var isOpaque: Bool { true }
  var shows: ShownResult? { .conflicts }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    let own: [any KeyAction] = ConflictAction.allCases
    return own + [ListAction.leave, ListAction.filter, ListAction.sort, ListAction.help]
  }

  /// Shows the conflicts as they are now.
  private mutating func show(_ reports: [ConflictReport]) {
    frame.setLines(
      reports.flatMap { report in
        report.conflict.isAboutValues
          ? report.conflict.differences.map { Line(report: report, difference: $0) }
          : [Line(report: report, difference: nil)]
      },
      text: { "\($0.report.title) \($0.difference?.name ?? "")" },
      values: values
    )
  }

  func perform(own action: ConflictAction, _ host: inout ScreenHost) -> Transition {
    switch action {
    case .keepMine: resolve(.mine, &host)
    case .takeTheirs: resolve(.theirs, &host)
    case .keepAllMine: host.perform(ResolveConflicts(identifier: nil, side: .mine, fields: []))
    case .takeAllTheirs: host.perform(ResolveConflicts(identifier: nil, side: .theirs, fields: []))
    }
    return .stay
  }

  func accept(_ line: Line, _ host: inout ScreenHost) -> Transition { acceptNothing(&host) }

  func acceptNothing(_ host: inout ScreenHost) -> Transition {
    host.warn("press m to keep mine, t to take theirs")
    return .stay
  }

  func leave(_ host: inout ScreenHost) -> Transition {
    host.say("not saved, your changes are kept; use :conflicts to continue")
    return .close
  }

  private func resolve(_ side: RecordConflict.Side, _ host: inout ScreenHost) {
    for line in frame.markedOrSelected {
      host.perform(
        ResolveConflicts(
          identifier: line.id.record,
          side: side,
          fields: line.difference.map { [$0.name] } ?? []
        )
      )
    }
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    let conflicts: [ConflictReport]?
    switch message {
    case .ran(let report): conflicts = report.conflicts
    case .refreshed(_, _, _, _, let shown, _): conflicts = shown
    default: conflicts = nil
    }
    guard let conflicts else { return .stay }
    guard !conflicts.isEmpty else { return .close }
    show(conflicts)
    return .stay
  }

  var valueNames: [String] { ["record", "field", "mine", "theirs", "was", "id"] }

  func values(of line: Line) -> [Value] {
    let words = line.report.conflict.words
    return [
      .text("\(line.id.record.entityName) \(line.report.title)"),
      .text(line.difference?.name ?? "the record"),
      line.difference?.mine ?? .text(words.mine), line.difference?.theirs ?? .text(words.theirs),
      line.difference?.base ?? .null, .text(line.id.record.description),
    ]
  }

  func look(_ host: ScreenHost) -> ListLook {
    let name = min(20, host.size.columns / 6)
    let side = max(4, (host.size.columns - 2 * name - 18) / 2)
    return ListLook(
      page: host.layout,
      title: "conflicts with another program:"
        + "  m  keep mine   t  take theirs   M T  all  \(frame.position)",
      details: 9,
      [
        .init(width: name), .init(width: name), .init(width: 4), .init(width: side),
        .init(width: 6), .init(),
      ]
    )
  }

  func cells(of line: Line, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    let texts = values(of: line).map {
      ListCell(ValueText($0, clippedTo: host.size.columns).text.plain)
    }
    return texts[..<2] + [ListCell("mine", .dim), texts[2], ListCell("theirs", .dim), texts[3]]
  }

  func details(of line: Line) -> [(label: String, text: DisplayText)] {
    [("record", DisplayText(values(of: line)[0].text))] + sides(of: line)
  }

  /// The original value, and the value on each side; both records if it is not certain that they are the same.
  private func sides(of line: Line) -> [(label: String, text: DisplayText)] {
    func whole(_ value: Value) -> DisplayText { ValueText(value, clippedTo: 1000).text }
    if let difference = line.difference {
      return [
        ("was", whole(difference.base)), ("mine", whole(difference.mine)),
        ("theirs", whole(difference.theirs)),
      ]
    }
    let conflict = line.report.conflict
    func values(_ value: (RecordConflict.Difference) -> Value) -> DisplayText {
      DisplayText(
        conflict.differences.map { "\($0.name): \(value($0).text)" }.joined(separator: ", ")
      )
    }
    let isMine = conflict.kind == .deletedHere
    guard conflict.doubt != nil else {
      let names = DisplayText(conflict.differences.map(\.name).joined(separator: ", "))
      return [
        ("mine", isMine ? "the record is deleted" : "changed: " + names),
        ("theirs", isMine ? "changed: " + names : "the record is deleted"),
      ]
    }
    let (mine, theirs) = conflict.words
    let hasValues = conflict.kind == .changed || conflict.doubt?.candidate != nil
    return (conflict.kind == .addedElsewhere ? [] : [("was", values(\.base))])
      + [("mine", isMine ? DisplayText(mine) : values(\.mine)), ("theirs", DisplayText(theirs))]
      + (hasValues ? [("", values(\.theirs))] : [])
  }
}

/// The actions of keys on the conflict screen, in addition to those of a list.
enum ConflictAction: String, KeyAction {
  case keepMine = "keep mine"
  case takeTheirs = "take theirs"
  case keepAllMine = "keep all mine"
  case takeAllTheirs = "take all theirs"

  static let place = KeyPlace("conflict", "In the conflict view")

  var binding: KeyBinding {
    switch self {
    case .keepMine: KeyBinding(["m"], "keep my version of the marked values, or of this one")
    case .takeTheirs: KeyBinding(["t"], "take their version of the marked values, or of this one")
    case .keepAllMine: KeyBinding(["M"], "keep my version of all values")
    case .takeAllTheirs: KeyBinding(["T"], "take their version of all values")
    }
  }
}
