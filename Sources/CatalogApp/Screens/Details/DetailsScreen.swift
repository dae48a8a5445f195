import Foundation
import OpenSwiftData

/// The details pane while it has the keys: moves over its lines, follows links, folds and edits.
struct DetailsScreen: Screen {
  var view = DetailsView()
  /// The number typed before a key.
  private var count = TypedCount()
  /// The search while it is typed; nil otherwise.
  private var typed: LineEditor?
  /// True if the pane was opened only for this.
  private var closesPane = false
  /// The part of JSON that is being added, to which the cursor moves.
  var added: (part: DetailsFold, isStored: Bool)?

  /// Starts on the field under the cursor of the table.
  init?(_ host: ScreenHost) {
    guard let area = host.layout.details, let content = DetailsPane.content(in: area, host, view)
    else { return nil }
    let field = host.table.currentSlot
    view.cursor = content.lines.firstIndex { $0.field == field } ?? 0
  }

  /// Starts on the line under the mouse, or scrolls.
  init?(_ host: ScreenHost, using mouse: MouseEvent) {
    self.init(host)
    guard let area = host.layout.details else { return nil }
    guard mouse.kind == .press || mouse.kind == .double else {
      _ = use(mouse, host)
      return
    }
    if let line = DetailsPane.line(at: mouse.point, in: area, host, nil) {
      // A pane with the keys shows more lines of a long value.
      view.cursor = lines(host).firstIndex { $0.subject == line.subject } ?? view.cursor
    }
  }

  /// Starts on the value under the cursor of the table, which is JSON with parts.
  init?(treeOf host: ScreenHost, closesPane: Bool) {
    self.init(host)
    self.closesPane = closesPane
    guard let column = host.table.currentColumn, column.name.hasPrefix(column.look.field),
      case .json(let json)? = DetailsPane.row(host)?.value(at: column.slot),
      let tree = JSONTree(json)
    else { return }
    let rest = column.name.dropFirst(column.look.field.count).trimmingPrefix(".")
    view.cursor =
      lines(host).firstIndex { line in
        if case .node(column.slot, let node) = line.subject {
          tree.path(of: node) == rest
        } else {
          false
        }
      } ?? view.cursor
  }

  var place: KeyPlace { DetailsAction.place }
  var detailsView: DetailsView? { view }

  /// The actions of the table whose keys work here, too, unless the pane has a use of its own for them.
  static let tableActions: [TableAction] = [
    .command, .palette, .filter, .invertFilter, .referrers, .history, .differences, .position,
    .record,
    .play, .redraw, .suspend,
  ]

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    var actions = lineActions(host)
    if host.status.unsaved > 0 { actions += host.status.canUndo ? [.save, .undo] : [.save] }
    if host.hasWayBack { actions.append(.back) }
    return actions + [DetailsAction.search, TableAction.command] as [any KeyAction]
      + [DetailsAction.hide, .help, .leave]
  }

  var answers: [Answer] {
    typed == nil ? [] : [Answer(keys: "Enter", word: "keep"), Answer(keys: "Esc", word: "clear")]
  }

  func lines(_ host: ScreenHost) -> [DetailsLine] {
    host.layout.details.flatMap { DetailsPane.content(in: $0, host, view)?.lines } ?? []
  }

  func line(_ host: ScreenHost) -> DetailsLine? {
    let lines = lines(host)
    return lines.indices.contains(view.cursor) ? lines[view.cursor] : lines.last
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if typed != nil { return type(event, host) }
    switch event {
    case .interrupt: return .close
    case .mouse(let mouse): return use(mouse, host)
    case .key(let key): return press(key, &host)
    default: return .stay
    }
  }

  private mutating func press(_ key: Key, _ host: inout ScreenHost) -> Transition {
    if count.take(key) { return .stay }
    let count = count.use()
    let action: DetailsAction? = host.keys.action(for: key)
    if let count, action?.binding.takesCount != true {
      // It ends the number.
      if action == .leave { return .stay }
      let name = action?.rawValue ?? key.description
      host.warn("\(name) takes no count here; press \(key) without the \(count)")
      return .stay
    }
    if let action { return perform(action, count: count, &host) }
    return use(keyOfTable: key, &host)
  }

  /// Performs what a key does in the table, if that makes sense here.
  private func use(keyOfTable key: Key, _ host: inout ScreenHost) -> Transition {
    if host.keys.lines[key] != nil {
      host.press(key)
      return .stay
    }
    if let action: TableAction = host.keys.action(for: key), Self.tableActions.contains(action) {
      return .act(action)
    }
    let help = host.keys.keys(for: DetailsAction.help).last?.description ?? ":help"
    host.warn("\(key) is not bound in the details; press \(help) for the keys, Esc for the table")
    return .stay
  }

  private mutating func use(_ mouse: MouseEvent, _ host: ScreenHost) -> Transition {
    guard let area = host.layout.details, area.contains(mouse.point) else {
      return [.drag, .release].contains(mouse.kind) ? .stay : .close
    }
    switch mouse.kind {
    case .scrollDown: move(by: 3, host)
    case .scrollUp: move(by: -3, host)
    case .press, .double:
      if let place = DetailsPane.place(at: mouse.point, in: area, host, view) {
        view.cursor = place
      }
    default: break
    }
    return .stay
  }

  private mutating func perform(
    _ action: DetailsAction,
    count: Int?,
    _ host: inout ScreenHost
  ) -> Transition {
    let page = max(1, (host.layout.details?.height ?? 2) - 1)
    switch action {
    case .down: move(by: 1, host)
    case .up: move(by: -1, host)
    case .pageDown: move(by: page, host)
    case .pageUp: move(by: -page, host)
    case .first: move(by: -.max / 2, host)
    case .last: move(by: .max / 2, host)
    case .open: return open(&host)
    case .edit: return edit(&host)
    case .editOutside: return editOutside(&host)
    case .add: return add(&host)
    case .delete: delete(&host)
    case .fold: fold(host)
    case .search: typed = LineEditor(view.search)
    case .nextMatch: find(isForward: true, from: view.cursor, &host)
    case .previousMatch: find(isForward: false, from: view.cursor, &host)
    case .nextRecord: host.move(toRow: host.table.row + 1)
    case .previousRecord: host.move(toRow: host.table.row - 1)
    case .back: return .goBack
    case .copy: copy(&host)
    case .save: change(Save(), as: .save, &host)
    case .undo: change(Undo(typed: count), as: .undo, &host)
    case .redo: change(Redo(typed: count), as: .redo, &host)
    case .leave:
      if closesPane { host.hideDetails() }
      return .close
    case .hide:
      host.hideDetails()
      return .close
    case .help: return .open(TextScreen.help(host.keys, from: place))
    }
    return .stay
  }

  /// Saves, undoes or redoes as in the table, unless that is not possible now.
  private func change(
    _ instruction: some Instruction,
    as action: TableAction,
    _ host: inout ScreenHost
  ) {
    if let reason = action.disabledReason(host) {
      host.warn("\(action.rawValue): \(reason)")
    } else {
      host.perform(instruction)
    }
  }

  private mutating func move(by count: Int, _ host: ScreenHost) {
    let last = lines(host).count - 1
    view.cursor = max(0, min(min(view.cursor, last) + count, last))
  }

  /// Follows a link, folds a part of JSON, or edits a value.
  private mutating func open(_ host: inout ScreenHost) -> Transition {
    switch line(host)?.subject {
    case .link(let identifier, _): return .follow(identifier)
    case .node where hasParts(host):
      fold(host)
      return .stay
    case .heading(let place):
      guard let details = host.details.known, let referrers = details.referrers,
        referrers.indices.contains(place)
      else { return .stay }
      return .show(referrers[place], referringTo: details.request.identifier)
    case nil: return .stay
    default: return edit(&host)
    }
  }

  // MARK: Trees

  /// The field and the node under the cursor; nil elsewhere.
  func node(_ host: ScreenHost) -> (tree: JSONTree, fold: DetailsFold)? {
    guard case .node(let field, let node) = line(host)?.subject,
      case .json(let json)? = DetailsPane.row(host)?.value(at: field), let tree = JSONTree(json)
    else { return nil }
    return (tree, DetailsFold(field: field, node: node))
  }

  func hasParts(_ host: ScreenHost) -> Bool {
    node(host).map { ($0.tree.nodes[$0.fold.node].count ?? 0) > 0 } ?? false
  }

  mutating func fold(_ host: ScreenHost) {
    guard hasParts(host), let fold = node(host)?.fold else { return }
    view.folds.formSymmetricDifference([fold])
  }

  // MARK: Editing

  private func edit(_ host: inout ScreenHost) -> Transition {
    guard let field = line(host)?.field else { return .stay }
    if let reason = reasonNotToEdit(field, host) {
      host.warn(reason)
      return .stay
    }
    host.ask(ReadClock())
    let part = node(host)
    if let part, (part.tree.nodes[part.fold.node].count ?? 0) > 0 {
      host.warn("press E to edit the whole value, or edit one of its parts")
      return .stay
    }
    let screen = DetailsEditScreen(host, field: field, part: part.map { ($0.tree, $0.fold.node) })
    return screen.map { .open($0) } ?? .stay
  }

  private func editOutside(_ host: inout ScreenHost) -> Transition {
    guard let field = line(host)?.field else { return .stay }
    if let reason = reasonNotToEdit(field, host) {
      host.warn(reason)
      return .stay
    }
    guard let screen = DetailsEditScreen(host, field: field, part: nil) else { return .stay }
    host.request(screen.field.outsideEdit)
    return .open(screen)
  }

  func reasonNotToEdit(_ field: Int, _ host: ScreenHost) -> String? {
    if let reason = host.readOnlyReason { return "edit: \(reason)" }
    if DetailsPane.row(host)?.pending == .deleted { return "deleted record; press u to undo" }
    let record = DetailsPane.row(host)?.identifier
    guard let entity = host.table.entity, entity.fields.indices.contains(field) else {
      return host.computedReason(at: field)
    }
    let attribute: Schema.Attribute? = entity.fields[field]
    return attribute?.edited(in: record).fixedReason ?? attribute?.keyReason(record)
  }

  private func copy(_ host: inout ScreenHost) {
    guard let line = line(host), let row = DetailsPane.row(host) else { return }
    let text =
      switch line.subject {
      case .field(let field):
        row.values.indices.contains(field) ? row.values[field].text : line.text.plain
      case .link(let identifier, _): identifier.description
      case .node:
        node(host).map { part in
          let node = part.tree.nodes[part.fold.node]
          return part.tree.text(of: node) ?? part.tree.json(of: node)
        } ?? ""
      case .heading: line.text.plain
      }
    host.request(.copy(text))
    host.say("copied \(Value.quoted(text))")
  }

  // MARK: Searching

  private mutating func type(_ event: InputEvent, _ host: ScreenHost) -> Transition {
    switch event {
    case .key(.enter): typed = nil
    case .key(.escape), .interrupt: (typed, view.search) = (nil, "")
    default:
      _ = typed?.handleInOneLine(event)
      view.search = typed?.text ?? ""
      if let line = match(isForward: true, from: view.cursor - 1, host) { view.cursor = line }
    }
    return .stay
  }

  private mutating func find(isForward: Bool, from start: Int, _ host: inout ScreenHost) {
    guard !view.search.isEmpty else { return host.warn("no search yet; press / to search") }
    guard let line = match(isForward: isForward, from: start, host) else {
      return host.warn("no match for \(Value.quoted(view.search))")
    }
    view.cursor = line
  }

  /// The next line with the text, wrapping around; nil if there is none.
  private func match(isForward: Bool, from start: Int, _ host: ScreenHost) -> Int? {
    let lines = lines(host)
    guard !view.search.isEmpty, !lines.isEmpty else { return nil }
    let ahead = isForward ? Array(1...lines.count) : Array(1...lines.count).map { -$0 }
    return ahead.lazy.map { (start + $0 + 2 * lines.count) % lines.count }.first { place in
      (lines[place].label.plain + " " + lines[place].text.plain).range(
        of: view.search,
        options: [.caseInsensitive, .diacriticInsensitive]
      ) != nil
    }
  }

  // MARK: Drawing

  /// The table draws the pane; this draws the search, and the number typed before a key.
  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    if let details = host.layout.details { DetailsPane.draw(on: &canvas, in: details, host) }
    count.draw(on: &canvas, host)
    guard let typed else { return }
    PromptLine.draw(on: &canvas, host.layout, label: "search details: ", editor: typed)
  }
}

/// The actions of keys in the details pane.
enum DetailsAction: String, KeyAction {
  case down, up
  case pageDown = "page down"
  case pageUp = "page up"
  case first, last, open, edit
  case editOutside = "edit outside"
  case add, delete, fold, search
  case nextMatch = "next match"
  case previousMatch = "previous match"
  case nextRecord = "next record"
  case previousRecord = "previous record"
  case back, copy, save, undo, redo, leave, hide, help

  static let place = KeyPlace("details", "In the details pane")

  var binding: KeyBinding {
    switch self {
    case .down: KeyBinding([.down, "j"], "go to the next line")
    case .up: KeyBinding([.up, "k"], "go to the previous line")
    case .pageDown: KeyBinding([.pageDown, .control("f"), .control("d")], "go down a page")
    case .pageUp: KeyBinding([.pageUp, .control("b"), .control("u")], "go up a page")
    case .first: KeyBinding([.home, "g"], "go to the first line")
    case .last: KeyBinding([.end, "G"], "go to the last line")
    case .open:
      KeyBinding(
        [.enter, .right],
        "follow the link, list the records below a heading, fold the part of JSON, or edit the value"
      )
    case .edit: KeyBinding(["e", .function(2), "i"], "edit the value or the part of JSON")
    case .editOutside: KeyBinding(["E"], "edit the whole value in $VISUAL or $EDITOR")
    case .add:
      KeyBinding(["a", "o"], "add a member or an element to the JSON, in this part or after it")
    case .delete: KeyBinding(["d", "x", .delete], "delete the member or the element of the JSON")
    case .fold: KeyBinding([.space], "fold or unfold the part of JSON")
    case .search: KeyBinding(["/"], "search in the details as you type")
    case .nextMatch: KeyBinding(["n"], "go to the next match")
    case .previousMatch: KeyBinding(["N"], "go to the previous match")
    case .nextRecord: KeyBinding(["]"], "show the next record")
    case .previousRecord: KeyBinding(["["], "show the previous record")
    case .back: KeyBinding([.backspace, .control("o")], "go back to the record before the link")
    case .copy: KeyBinding(["y"], "copy the value")
    case .save: KeyBinding(["w", .control("s")], "save the unsaved changes")
    case .undo:
      KeyBinding(
        ["u", "U"],
        "undo the last change; after a number, that many of this run",
        takesCount: true
      )
    case .redo:
      KeyBinding(
        [.control("r")],
        "redo the last undone change; after a number, that many",
        takesCount: true
      )
    case .leave: KeyBinding([.escape, .tab, .left], "return to the table", hint: "table")
    case .hide: KeyBinding(["v", "q"], "close the details pane")
    case .help: KeyBinding([.function(1), "?"], "show the keys")
    }
  }
}
