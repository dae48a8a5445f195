import OpenSwiftData

extension ScreenCommand {
  private static func change(
    _ name: String,
    _ keys: [Key],
    hint: String? = nil,
    _ summary: String,
    unless reason: @escaping @Sendable (AppState) -> String? = { _ in nil },
    _ body: @escaping @Sendable (inout AppState, Int?) -> Transition
  ) -> ScreenCommand {
    ScreenCommand(
      name,
      keys: keys,
      hint: hint,
      group: "Changing",
      summary: summary,
      disabledReason: { $0.readOnlyReason ?? reason($0) },
      perform: body
    )
  }

  /// The commands that change records, and saving.
  static let editing: [ScreenCommand] = [
    ScreenCommand(
      "open",
      keys: [.enter],
      group: "Changing",
      summary: "open the record in a form",
      disabledReason: \.noRecordReason
    ) { app, _ in
      FormScreen(editing: app).map { .open($0) } ?? .stay
    },
    change(
      "edit",
      [.character("e"), .function(2), .character("i")],
      "edit the cell",
      unless: \.noValueReason
    ) { app, _ in
      CellEditScreen(app, isEmptied: false).map { .open($0) } ?? .stay
    },
    change("change", [.character("c")], "empty the cell and edit it", unless: \.noValueReason) {
      app,
      _ in
      CellEditScreen(app, isEmptied: true).map { .open($0) } ?? .stay
    },
    change(
      "add",
      [.character("a"), .character("o")],
      "add a record in a form",
      unless: \.noFieldReason
    ) { app, _ in
      FormScreen(addingTo: app).map { .open($0) } ?? .stay
    },
    change("duplicate", [.character("Y")], "duplicate the record", unless: \.noValueReason) {
      app,
      _ in
      app.duplicate()
      return .stay
    },
    change(
      "delete",
      [.character("d"), .character("x"), .delete],
      "delete the record or the marked ones; more than one asks",
      unless: \.noRecordReason
    ) { app, _ in
      app.delete()
    },
    change("undo", [.character("u"), .character("U")], "take back the last change") { app, _ in
      app.run("undo")
      return .stay
    },
    change("redo", [.control("r")], "do again what was taken back") { app, _ in
      app.run("redo")
      return .stay
    },
    change(
      "repeat",
      [.character(".")],
      "make the last change again here",
      unless: { $0.lastChange == nil ? "there is no change to repeat" : $0.noValueReason }
    ) { app, _ in
      app.repeatLastChange()
    },
    change(
      "save",
      [.character("w"), .control("s")],
      "write the unsaved changes",
      unless: { $0.status.unsaved == 0 ? "there is nothing to save" : nil }
    ) { app, _ in
      app.run("save")
      return .stay
    },
    change(
      "edit outside",
      [.character("E")],
      "edit the cell in $VISUAL or $EDITOR",
      unless: \.noValueReason
    ) { app, _ in
      guard let screen = CellEditScreen(app, isEmptied: false) else { return .stay }
      app.request(.edit(screen.field.editor.text))
      return .open(screen)
    },
    ScreenCommand(
      "mark",
      keys: [.space],
      group: "Marking",
      summary: "mark the record, or take its mark away",
      disabledReason: \.noRecordReason
    ) { app, _ in
      app.toggleMark()
      return .stay
    },
    ScreenCommand(
      "mark range",
      keys: [.character("V")],
      group: "Marking",
      summary: "begin to mark a range; again to mark it",
      disabledReason: \.noRecordReason
    ) { app, _ in
      app.markRange()
      return .stay
    },
    ScreenCommand(
      "mark all",
      keys: [.character("*")],
      group: "Marking",
      summary: "mark all records shown, or none",
      disabledReason: \.noRecordReason
    ) { app, _ in
      app.request(.identify(0..<app.table.extent.count))
      return .stay
    },
  ]
}

extension AppState {
  /// Why there is nothing to list.
  var noEntityReason: String? {
    guard table.entity == nil else { return nil }
    return readOnlyReason == nil
      ? "no entities yet; make one with :entity create NAME FIELD:TYPE … or :import FILE into NAME"
      : "no entities, and \(readOnlyReason ?? "")"
  }

  /// What a table without a record says.
  var noRecordsText: String {
    readOnlyReason.map { "no records, and \($0)" }
      ?? "no records; press \(keys.keys(for: "add", at: .table).first?.description ?? ":insert") to add one, or :import FILE"
  }

  /// Why no record can have a value.
  var noFieldReason: String? {
    guard let entity = table.entity, entity.fields.isEmpty else { return noEntityReason }
    return
      "\(entity.name) has no field yet; :field add \(CommandLine.quoted(entity.name)) NAME:TYPE"
  }

  /// Why no record is meant.
  var noRecordReason: String? {
    noEntityReason ?? (table.currentRow == nil ? "there is no record here" : nil)
  }

  /// Why no value is meant.
  var noValueReason: String? {
    if let reason = noRecordReason { return reason }
    if table.currentRow?.pending == .deleted { return "the record is deleted; u brings it back" }
    return table.currentValue == nil ? "there is no value here" : nil
  }

  // MARK: Changing

  /// The line that sets a field of a record; nil as text makes it null.
  static func setLine(
    _ identifier: PersistentIdentifier,
    _ assignments: [(attribute: String, text: String?)]
  ) -> String {
    let words = assignments.map { Assignment.word($0.attribute, $0.text) }
    return (["set", CommandLine.quoted(identifier.description)] + words).joined(separator: " ")
  }

  mutating func duplicate() {
    guard let entity = table.entity, let row = table.currentRow else { return }
    let words = zip(entity.fields, row.values).filter { !$0.1.isNull }
      .map { Assignment.word($0.0.name, $0.1.text) }
    lastChange = .duplicate
    run(
      (["insert", CommandLine.quoted(entity.name)] + words).joined(separator: " "),
      then: .goToNew
    )
  }

  mutating func delete() -> Transition {
    guard let row = table.currentRow else { return .stay }
    if table.marks.count > 1 { return .open(ChoiceScreen.deleteMarked(table.marks.count)) }
    let identifier = table.marks.first ?? row.identifier
    table.marks = []
    lastChange = .delete
    run("delete " + CommandLine.quoted(identifier.description))
    return .stay
  }

  /// Deletes the marked records as one step.
  mutating func deleteMarked() {
    let names = table.marks.sorted().map { CommandLine.quoted($0.description) }
    table.marks = []
    run("delete " + names.joined(separator: " "))
  }

  mutating func repeatLastChange() -> Transition {
    guard let change = lastChange, let row = table.currentRow else { return .stay }
    switch change {
    case .delete: return delete()
    case .duplicate: duplicate()
    case .set(let attribute, let text):
      run(Self.setLine(row.identifier, [(attribute, text)]))
    }
    return .stay
  }

  // MARK: Marking

  mutating func toggleMark() {
    guard let identifier = table.currentRow?.identifier else { return }
    if table.marks.remove(identifier) == nil { table.marks.insert(identifier) }
    table.move(toRow: table.row + 1)
  }

  mutating func markRange() {
    guard let anchor = table.anchor else {
      table.anchor = table.row
      say("move to the other end and press V again")
      return
    }
    table.anchor = nil
    request(.identify(min(anchor, table.row)..<max(anchor, table.row) + 1))
  }
}

/// One `FIELD=VALUE` of a command line.
enum Assignment {
  /// Writes it so that the line is split into it again; nil makes the field null.
  static func word(_ attribute: String, _ text: String?) -> String {
    var name = ""
    for scalar in attribute.unicodeScalars {
      let isPlain =
        scalar.value >= 0x80 || scalar == "_" || scalar == "-" || scalar == "."
        || (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      if !isPlain { name += "\\" }
      name.unicodeScalars.append(scalar)
    }
    return name + "=" + (text.map(CommandLine.quoted) ?? "")
  }
}
