import OpenSwiftData

extension DetailsScreen {
  /// The actions that are possible on the line of the cursor.
  func lineActions(_ host: ScreenHost) -> [DetailsAction] {
    guard let line = line(host) else { return [] }
    let isFixed = line.field.map { reasonNotToEdit($0, host) != nil } ?? true
    switch line.subject {
    case .heading: return [.open]
    case .link: return isFixed ? [.open] : [.open, .edit]
    case .field: return isFixed ? [] : [.open, .edit]
    case .node(_, let node):
      let hasParts = hasParts(host)
      let changes: [DetailsAction] =
        [hasParts ? .editOutside : .edit, .add] + (node > 0 ? [.delete] : [])
      return (isFixed ? [] : changes) + (hasParts ? [.fold] : [])
    }
  }
}

/// Adding and deleting members and elements of JSON.
extension DetailsScreen {
  mutating func add(_ host: inout ScreenHost) -> Transition {
    guard let part = changeablePart("add", &host) else { return .stay }
    let (tree, fold) = part
    guard let container = tree.container(at: fold.node),
      let screen = DetailsAddScreen(host, field: fold.field, tree, node: fold.node)
    else { return .stay }
    let children = DetailsLine.Subject.node(field: fold.field, node: fold.node + 1)
    let isFolded =
      container == fold.node && hasParts(host) && !lines(host).contains { $0.subject == children }
    if isFolded { self.fold(host) }
    let place = tree.nodes[fold.node].end
    added = (DetailsFold(field: fold.field, node: place), isStored: false)
    return .open(screen)
  }

  mutating func delete(_ host: inout ScreenHost) {
    guard let (tree, fold) = changeablePart("delete", &host),
      let row = DetailsPane.row(host), let entity = host.table.entity
    else { return }
    guard let json = tree.removing(fold.node) else {
      let key = host.keys.keys(for: DetailsAction.editOutside).first?.description ?? "E"
      return host.warn("delete: this is the whole value; press \(key) to edit it")
    }
    var field = FieldEditor(entity.fields[fold.field], row.values[fold.field], today: host.today)
    field.choose(json)
    host.set([field], of: row)
    let range = fold.node..<tree.nodes[fold.node].end
    view.folds = view.folds.shifted(in: fold.field, from: range.upperBound, by: -range.count) {
      !range.contains($0)
    }
  }

  /// The part of JSON under the cursor, or nil, with the reason in the message line.
  private func changeablePart(
    _ word: String,
    _ host: inout ScreenHost
  ) -> (tree: JSONTree, fold: DetailsFold)? {
    guard let part = node(host) else {
      let leave = host.keys.keys(for: DetailsAction.leave).first?.description ?? "Esc"
      host.warn("\(word): no part of JSON here; press \(leave) for the records of the table")
      return nil
    }
    if let reason = reasonNotToEdit(part.fold.field, host) {
      host.warn(reason)
      return nil
    }
    return part
  }

  /// Moves the cursor to a part that was added, when its value is shown.
  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    guard let (part, isStored) = added else { return .stay }
    if case .answered = message {
      view.folds = view.folds.shifted(in: part.field, from: part.node, by: 1)
      added = (part, isStored: true)
    } else if isStored, let (_, answer) = message.answer(to: ReadRows.self),
      case .rows = answer
    {
      let subject = DetailsLine.Subject.node(field: part.field, node: part.node)
      if let line = lines(host).firstIndex(where: { $0.subject == subject }) { view.cursor = line }
      added = nil
    }
    return .stay
  }
}

extension Set<DetailsFold> {
  /// The folds after parts of a field were added or removed before others.
  fileprivate func shifted(
    in field: Int,
    from start: Int,
    by count: Int,
    where isKept: (Int) -> Bool = { _ in true }
  ) -> Self {
    Set(
      compactMap { fold in
        guard fold.field == field else { return fold }
        guard isKept(fold.node) else { return nil }
        return fold.node < start ? fold : DetailsFold(field: field, node: fold.node + count)
      }
    )
  }
}
