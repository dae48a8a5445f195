import OpenSwiftData

extension AppState {
  /// The reason why there is nothing to list.
  var noEntityReason: String? {
    guard table.entity == nil else { return nil }
    return readOnlyReason == nil
      ? "no entities yet; create one with :entity create NAME FIELD:TYPE … or :import FILE into NAME"
      : "no entities; \(readOnlyReason ?? "")"
  }

  /// The text of a table without records.
  var noRecordsText: String {
    readOnlyReason.map { "no records; \($0)" }
      ?? "no records; press \(keys.keys(for: TableAction.add).first?.description ?? ":insert") to add one, or :import FILE"
  }

  /// The reason why no record can have a value.
  var noFieldReason: String? {
    guard let entity = table.entity, entity.fields.isEmpty else { return noEntityReason }
    return
      "\(entity.name) has no fields yet; add one with :field add \(CommandText.quoted(entity.name)) NAME:TYPE"
  }

  /// The reason why a save has nothing to do.
  var nothingToSaveReason: String? {
    guard status.unsaved == 0, !status.isUnwritten else { return nil }
    return status.isLasting
      ? "no unsaved changes" : "nothing to save; use :saveas FILE to write the records to a file"
  }

  /// The reason why there is no current record.
  var noRecordReason: String? {
    noEntityReason ?? (table.currentRow == nil ? "no record selected" : nil)
  }

  /// The reason why there is no current value.
  var noValueReason: String? {
    if let reason = noRecordReason { return reason }
    if table.currentRow?.pending == .deleted { return "deleted record; press u to undo" }
    return table.currentValue == nil ? "no value selected" : nil
  }

  /// The reason why no record can be changed, neither a marked one nor the one under the cursor.
  var noTargetReason: String? { table.marks.isEmpty ? noValueReason : noFieldReason }

  // MARK: Changing

  /// The editor for the cell under the cursor, or for its column in the marked records.
  func cellEditor(isEmptied: Bool) -> (any CellEditor)? {
    table.marks.isEmpty
      ? CellEditScreen(self, isEmptied: isEmptied) : MarkedEditScreen(self, isEmptied: isEmptied)
  }

  /// Performs an action on the selected records, or on the given number from the cursor on, and stores
  /// it as the one to repeat.
  mutating func change(_ action: RecordAction, count: Int?) {
    lastChange = action
    act(action, count: count)
  }

  mutating func repeatLastChange(count: Int? = nil) {
    if let lastChange { act(lastChange, count: count) }
  }

  /// Performs an instruction the given number of times, each as one step.
  mutating func perform(_ instruction: any Instruction, times count: Int?) {
    for _ in 0..<min(count ?? 1, Self.mostSteps) { perform(instruction) }
  }

  /// A larger number of steps is probably a typing error.
  private static let mostSteps = 100

  // MARK: Marking

  mutating func toggleMark(count: Int? = nil) {
    guard let row = table.currentRow else { return }
    if let count {
      request(.identify(table.row..<table.row + count))
    } else if row.pending == .deleted {
      return warn("deleted record; press u to undo")
    } else {
      table.marks.toggle([row.identifier])
    }
    table.move(toRow: table.row + (count ?? 1))
  }

  mutating func markRange() {
    guard let anchor = table.anchor else {
      table.anchor = table.row
      say("range started; move to the other end and press V")
      return
    }
    table.anchor = nil
    request(.identify(min(anchor, table.row)..<max(anchor, table.row) + 1))
  }
}

extension RecordAction {
  /// Sets a field of the selected records.
  static func set(_ assignment: Assignment) -> RecordAction {
    RecordAction(SetValues(target: .selection, assignments: [assignment]))
  }

  /// Deletes the selected records.
  static let delete = RecordAction(DeleteRecords(target: .selection))
  /// Duplicates the selected records.
  static let duplicate = RecordAction(DuplicateRecords(target: .selection))
}
