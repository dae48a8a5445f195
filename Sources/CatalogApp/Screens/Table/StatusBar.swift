import OpenSwiftData

/// The three lines at the bottom: status, hints, message.
enum StatusBar {
  /// Draws them for the last layer, whose hints and answers they show.
  static func draw(on canvas: inout Canvas, _ host: ScreenHost, for layer: any Layer) {
    let layout = host.layout
    let columns = layout.size.columns
    canvas.fill(Rect(x: 0, y: layout.statusLine, width: columns, height: 1), role: .status)
    var x = 1
    let place = placeText(host.table)
    for (text, role) in fitted(parts(host), to: columns - 2, host) {
      guard x < columns else { break }
      if x > 1 { x = canvas.write(" · ", at: Point(x: x, y: layout.statusLine), role: .status) }
      let point = Point(x: x, y: layout.statusLine)
      x = canvas.write(text, at: point, width: max(0, columns - x), role: role)
    }
    // What is less important is shown if there is room.
    if x + 3 + place.width < columns {
      let point = Point(x: columns - 1 - place.width, y: layout.statusLine)
      canvas.write(place, at: point, role: .status)
    }
    drawHints(of: layer, on: &canvas, host, y: layout.hintLine)
    if let notice = host.messages.shown {
      draw(notice, on: &canvas, layout)
    } else if layer is TableScreen, let failure = host.table.currentFailure {
      draw(failure, .hint, on: &canvas, x: 0, endingAt: layout.messageLine)
    }
  }

  /// Writes a message; one that is too long for its line also uses those of the hints and of the status.
  static func draw(_ notice: Notice, on canvas: inout Canvas, _ layout: ScreenLayout) {
    draw(notice.text, notice.role, on: &canvas, x: 0, endingAt: layout.messageLine)
  }

  /// Writes a reason or a description above the input line; one that is too long also uses the lines above.
  static func drawHint(
    _ text: String,
    isProblem: Bool,
    on canvas: inout Canvas,
    _ layout: ScreenLayout
  ) {
    draw(text, isProblem ? .error : .hint, on: &canvas, x: 1, endingAt: layout.hintLine)
  }

  private static func draw(
    _ text: String,
    _ role: Role,
    on canvas: inout Canvas,
    x: Int,
    endingAt last: Int
  ) {
    let columns = canvas.size.columns
    let lines = rows(of: DisplayText(text), max(1, columns - x))
    let first = last - lines.count + 1
    canvas.fill(Rect(x: 0, y: first, width: columns, height: lines.count), role: .normal)
    for (place, line) in lines.enumerated() {
      canvas.write(line, at: Point(x: x, y: first + place), width: columns - x, role: role)
    }
  }

  /// The lines of a message, at most three.
  private static func rows(of text: DisplayText, _ columns: Int) -> [DisplayText] {
    guard text.width > columns else { return [text] }
    let lines = text.wrapped(to: columns)
    guard lines.count > 3 else { return lines }
    // The end of a message often says what to do, so that the middle is left out.
    let rest = lines[3...].reduce(lines[2]) { $0 + " " + $1 }
    return [lines[0], lines[1], rest.shortened(to: columns)]
  }

  /// The name of the current column, and its place among those that are shown: `title 1/7`.
  private static func placeText(_ table: TableState) -> DisplayText {
    guard let column = table.currentColumn else { return .empty }
    let name = DisplayText(column.name).shortened(to: longestPlace)
    return name + DisplayText(" \(table.column + 1)/\(table.columns.count)")
  }

  /// The cells for the name of the current column; there is more to say in the line.
  private static let longestPlace = 24

  /// Tells where the cursor is and what the table shows, in full.
  static func position(_ host: ScreenHost) -> String {
    let table = host.table
    let extent = table.extent
    var parts: [String] = []
    if extent.count > 0 {
      let isPart = table.filter.isActive ? " shown, \(extent.all.text) in all" : ""
      parts.append("row \(table.row + 1) of \(extent.listed.text)\(isPart)")
    }
    if let column = table.currentColumn {
      let place = "column \(table.column + 1) of \(table.columns.count)"
      parts.append("\(place): \(column.name), \(column.typeText)")
    }
    if table.entity != nil { parts.append(ChipLine.entityText(host)) }
    if let note = entityNote(host) { parts.append(note) }
    return (parts + [host.status.storeName] + ChipLine.parts(host)).joined(separator: " · ")
  }

  /// What a user has to know about the records of the current entity.
  private static func entityNote(_ host: ScreenHost) -> String? {
    host.table.entity.flatMap { host.status.traits.entityNotes[$0.name] }
  }

  /// The names of the store and of the entity, without one that repeats the name of the file.
  private static func names(_ host: ScreenHost) -> [String] {
    let store = host.status.storeName
    guard let entity = host.table.entity?.name else { return [store] }
    let file = store.split(separator: "/").last ?? ""
    let isSame = file.hasPrefix(entity + ".") && host.status.entities.count == 1
    return isSame ? [store] : [store, ChipLine.entityText(host)]
  }

  /// The parts, with shorter names if they need more cells than there are.
  private static func fitted(_ parts: [(DisplayText, Role)], to width: Int, _ host: ScreenHost)
    -> [(DisplayText, Role)]
  {
    var parts = parts
    var excess = parts.reduce(-3) { $0 + $1.0.width + 3 } - width
    for place in names(host).indices where excess > 0 {
      let name = parts[place].0
      let room = max(min(name.width, max(6, width / 8)), name.width - excess)
      parts[place].0 = name.shortened(to: room)
      excess -= name.width - room
    }
    return parts
  }

  private static func parts(_ host: ScreenHost) -> [(DisplayText, Role)] {
    let table = host.table
    let status = host.status
    var parts = names(host).map { (DisplayText($0), Role.status) }
    parts.append(("\(table.extent.matching.text) of \(table.extent.all.text)", .status))
    if table.extent.count > 0 { parts.append(("row \(table.row + 1)", .status)) }
    if status.losses.isUntouchedSample {
      parts.append(("sample, not saved", .status))
    } else if status.losses.isCopied {
      parts.append((DisplayText("saved elsewhere: \(status.changes.text)"), .status))
    } else if status.unsaved > 0 {
      parts.append(("unsaved: \(status.changes.text)", .statusWarning))
    }
    if !table.marks.isEmpty { parts.append((DisplayText(table.marks.text), .status)) }
    if status.readOnlyReason != nil {
      let reason = status.shortReadOnlyReason.map { " (\($0))" } ?? ""
      parts.append((DisplayText("read-only\(reason)"), .statusWarning))
    }
    if let note = entityNote(host) { parts.append((DisplayText(note), .statusWarning)) }
    if let keys = host.macros.recorded {
      parts.append((DisplayText("recording \(counted(keys.count, "key"))"), .statusWarning))
    }
    if status.isOutdated { parts.append(("file not reloaded, see :check", .statusWarning)) }
    // Otherwise they are in the line under the records.
    if host.layout.chipLine == nil {
      let outdated = ChipLine.outdatedText(host).map { [$0] } ?? []
      parts += (ChipLine.parts(host) + outdated).map { (DisplayText($0), .status) }
    }
    return parts
  }

  /// Names the answers to a question: `y delete · n/Esc cancel`.
  private static func draw(_ answers: [Answer], on canvas: inout Canvas, y: Int) {
    var x = 1
    for answer in answers {
      let keys = DisplayText(answer.keys)
      let word = DisplayText(" " + answer.word)
      guard x + 3 + keys.width + word.width <= canvas.size.columns else { break }
      if x > 1 { x = canvas.write(" · ", at: Point(x: x, y: y), role: .hint) }
      x = canvas.write(keys, at: Point(x: x, y: y), role: .hintKey)
      x = canvas.write(word, at: Point(x: x, y: y), role: .hint)
    }
  }

  private static func drawHints(
    of layer: any Layer,
    on canvas: inout Canvas,
    _ host: ScreenHost,
    y: Int
  ) {
    guard layer.answers.isEmpty else { return draw(layer.answers, on: &canvas, y: y) }
    var x = 1
    let marks = layer is TableScreen ? host.table.marks.count : 0
    if marks > 0 {
      x = canvas.write(DisplayText("\(marks) marked: "), at: Point(x: x, y: y), role: .hint)
    }
    let own = layer.ownHints(host)
    let words = { layer.word(of: $0, host) ?? word(of: $0, host, marks: marks) }
    let hints = shown(layer.hints(host), words, room: canvas.size.columns - x, host)
    for (place, action) in hints.enumerated() {
      if place == leadingHints {
        for answer in own { x = drawOwn(answer, on: &canvas, x: x, y: y) }
      }
      guard let action, let key = host.keys.keys(for: action).first else {
        x = canvas.write("…  ", at: Point(x: x, y: y), role: .hint)
        continue
      }
      let isDisabled = (action as? TableAction)?.disabledReason(host) != nil
      let hint = DisplayText(words(action))
      let keyText = DisplayText(key.description)
      guard x + keyText.width + 1 + hint.width <= canvas.size.columns else { break }
      x = canvas.write(
        keyText,
        at: Point(x: x, y: y),
        role: isDisabled ? .hintDisabled : .hintKey
      )
      x = canvas.write(
        " " + hint,
        at: Point(x: x, y: y),
        role: isDisabled ? .hintDisabled : .hint
      )
      x += 2
    }
  }

  /// The number of hints before the keys with commands of the user.
  private static let leadingHints = 5
  /// The cells for the commands of such a key.
  private static let ownHintWidth = 24

  /// Writes a key with its commands if there is room; returns the place after it.
  private static func drawOwn(_ answer: Answer, on canvas: inout Canvas, x: Int, y: Int) -> Int {
    let key = DisplayText(answer.keys)
    let word = DisplayText(" " + answer.word).shortened(to: ownHintWidth)
    guard x + key.width + word.width <= canvas.size.columns else { return x }
    let next = canvas.write(key, at: Point(x: x, y: y), role: .hintKey)
    return canvas.write(word, at: Point(x: next, y: y), role: .hint) + 2
  }

  /// What a key does, as the hint line says it.
  private static func word(of action: any KeyAction, _ host: ScreenHost, marks: Int) -> String {
    let hint = KeyCommand(action).hint
    switch action as? TableAction {
    case .clear?: return hint + (host.table.nextToClear.map { " " + $0 } ?? "")
    case .edit? where marks > 0: return hint + " all"
    case .foldGroup? where host.table.isFolded(host.table.row): return "unfold"
    case .record? where host.macros.isRecording: return "end recording"
    default: return hint
    }
  }

  /// The hints that fit: the most important ones, and the last one, which is how to leave or to get help; nil for
  /// those between them that are left out.
  private static func shown(
    _ actions: [any KeyAction],
    _ words: (any KeyAction) -> String,
    room: Int,
    _ host: ScreenHost
  ) -> [(any KeyAction)?] {
    let known = actions.filter { !host.keys.keys(for: $0).isEmpty }
    let widths = known.map { action in
      let keys = host.keys.keys(for: action)[0]
      return DisplayText(keys.description + " " + words(action)).width + 2
    }
    guard let last = known.last, let lastWidth = widths.last, !(last is TableAction),
      widths.reduce(0, +) > room + 2
    else { return known }
    var used = lastWidth + 3
    let first = zip(known, widths).dropLast().prefix { _, width in
      used += width
      return used <= room + 2
    }
    return first.map(\.0) + [nil, last]
  }
}
