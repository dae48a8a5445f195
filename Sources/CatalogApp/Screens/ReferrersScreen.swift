import OpenSwiftData

/// The fields by which other records refer to a record, with the number of those records; one can be shown as a table.
///
/// If only one field does, the table is shown without a question.
struct ReferrersScreen: ListScreen {
  private let identifier: PersistentIdentifier
  private var referrers: [RecordDetails.Referrer] = []
  var frame = ListFrame()

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
    referrers = found
    frame.setLines(found.map(\.name), selecting: nil)
    return .stay
  }

  func accept(_ host: inout ScreenHost) -> Transition {
    guard let place = frame.selected else { return .close }
    return .show(referrers[place], referringTo: identifier)
  }

  func area(_ host: ScreenHost) -> Rect { PopupFrame.inside(popup(host)) }

  private func popup(_ host: ScreenHost) -> Rect {
    host.layout.popup(width: 60, height: max(1, referrers.count) + 2)
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    guard !referrers.isEmpty else { return }
    let title = DisplayText("records that refer to \(identifier) · \(frame.position)")
    let inner = PopupFrame.draw(on: &canvas, in: popup(host), title: title)
    let widest = referrers.map { DisplayText($0.name).width }.max() ?? 0
    for (line, place) in frame.visible(inner.height).enumerated() {
      let isSelected = place == frame.selected
      let role: Role = isSelected ? .popupSelected : .popup
      let y = inner.minY + line
      canvas.fill(Rect(x: inner.minX, y: y, width: inner.width, height: 1), role: role)
      let name = DisplayText((isSelected ? ">" : " ") + referrers[place].name)
      let text = name.padded(to: widest + 3) + DisplayText(referrers[place].countText)
      canvas.write(text, at: Point(x: inner.minX, y: y), width: inner.width, role: role)
    }
    frame.filter.draw(on: &canvas, host.layout, note: frame.position)
  }
}
