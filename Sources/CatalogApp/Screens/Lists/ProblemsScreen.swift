import OpenSwiftData

/// The records that break rules or look wrong; Enter goes to one of them.
struct ProblemsScreen: ListScreen {
  private let report: ProblemReport
  var frame = ListFrame<RecordProblem>()

  init(_ report: ProblemReport) {
    self.report = report
    frame.setLines(
      report.problems,
      text: { "\($0.place) \($0.words) \($0.value.text)" },
      values: values
    )
  }

  var valueNames: [String] { RecordProblem.columns }

  func values(of line: RecordProblem) -> [Value] { line.row }

  func accept(_ line: RecordProblem, _ host: inout ScreenHost) -> Transition {
    .go(to: line.record, field: line.field)
  }

  func look(_ host: ScreenHost) -> ListLook {
    let sheet = host.layout.sheet(lines: frame.lines.count + 1)
    let inside = Sheet.inside(sheet).width
    let widest =
      report.groups.lazy.compactMap(\.problems.first)
      .map { DisplayText($0.place).width }.max() ?? 0
    let place = min(max(widest, 5), inside / 3)
    let rest = report.count - frame.lines.count
    return ListLook(
      sheet: sheet,
      title: "\(counted(report.count, "problem")) · \(frame.position)"
        + (rest > 0 ? " · \(rest) not listed" : ""),
      [
        .init(name: "field", width: place + 1), .init(name: "rule"),
        .init(name: "value", width: max(5, (inside - place) / 3)),
      ]
    )
  }

  func cells(of line: RecordProblem, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    let value = line.field.map { _ in ValueText(line.value, clippedTo: look.width(ofColumn: 2)) }
    return [ListCell(line.place), ListCell(line.words), ListCell(value?.text.plain ?? "")]
  }
}

extension RecordProblem {
  /// The entity and the field.
  fileprivate var place: String {
    field.map { "\(record.entityName).\($0)" } ?? record.entityName
  }
}
