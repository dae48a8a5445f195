import OpenSwiftData

/// The fields by which other records refer to a record, with the number of those records; one can be shown as a table.
///
/// If only one field does, the table is shown without a question.
struct ReferrersScreen: ListScreen {
  private let identifier: PersistentIdentifier
  var frame = ListFrame<RecordDetails.Referrer>()

  init(of identifier: PersistentIdentifier, _ host: inout ScreenHost) {
    self.identifier = identifier
    host.ask(DetailsRequest(identifier: identifier, links: [], includesReferrers: true))
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    if case .failed = message { return .close }
    if let (_, answer) = message.answer(to: ReadRows.self), case .unreadable = answer {
      return .close
    }
    guard let (question, details) = message.answer(to: DetailsRequest.self),
      question.identifier == identifier, let found = details.referrers
    else { return .stay }
    if found.isEmpty {
      host.say("no record refers to \(identifier)")
      return .close
    }
    if found.count == 1 { return .show(found[0], referringTo: identifier) }
    frame.setLines(found, text: \.name, values: values)
    return .stay
  }

  func accept(_ line: RecordDetails.Referrer, _ host: inout ScreenHost) -> Transition {
    .show(line, referringTo: identifier)
  }

  var valueNames: [String] { ["field", "records"] }

  func values(of line: RecordDetails.Referrer) -> [Value] {
    [.text(line.name), .text(line.countText)]
  }

  func look(_ host: ScreenHost) -> ListLook {
    let widest = frame.lines.map { DisplayText($0.name).width }.max() ?? 0
    return ListLook(
      sheet: host.layout.sheet(lines: frame.lines.count),
      title: "records that refer to \(identifier) · \(frame.position)",
      [.init(width: widest + 1), .init()]
    )
  }

  func cells(of line: RecordDetails.Referrer, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    [ListCell(line.name), ListCell(line.countText)]
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    if !frame.lines.isEmpty { drawList(on: &canvas, host) }
  }
}
