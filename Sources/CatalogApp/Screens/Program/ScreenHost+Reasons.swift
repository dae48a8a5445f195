import OpenSwiftData

/// The reasons why something is not possible now; nil if it is.
extension ScreenHost {
  /// The reason why the store is read-only.
  var readOnlyReason: String? { status.readOnlyReason }

  /// The reason why there is nothing to list.
  var noEntityReason: String? {
    guard table.entity == nil else { return nil }
    guard status.traits.allowsSchemaChanges else { return Session.noTablesReason }
    if readOnlyReason == nil, status.traits.infersTypes {
      return "no records; use :insert NAME=VALUE … or :import FILE"
    }
    return readOnlyReason == nil
      ? "no entities; use :entity create NAME FIELD:TYPE or :import FILE into NAME"
      : "no entities; \(readOnlyReason ?? "")"
  }

  /// True until the values of the record under the cursor are known.
  var isReadingRow: Bool {
    table.currentRow == nil && !table.isFolded(table.row) && table.row < table.extent.count
  }

  /// The text of a table without records.
  var noRecordsText: String {
    (readOnlyReason ?? table.entity?.additionRefusal).map { "no records; \($0)" }
      ?? "no records; press \(keys.keys(for: TableAction.add).first?.description ?? ":insert") to add one, or :import FILE"
  }

  /// The reason why no record can have a value.
  var noFieldReason: String? {
    guard let entity = table.entity, entity.fields.isEmpty else { return noEntityReason }
    if let reason = readOnlyReason { return "\(entity.name) has no fields; \(reason)" }
    let name = CommandText.quoted(entity.name)
    return status.traits.infersTypes && table.extent.all == .exact(0)
      ? "\(entity.name) has no fields yet; use :insert NAME=VALUE … or :import FILE into \(name)"
      : "\(entity.name) has no fields yet; add one with :field add \(name) NAME:TYPE"
  }

  /// The reason why a save has nothing to do.
  var nothingToSaveReason: String? {
    guard status.unsaved == 0, !status.isUnwritten, status.losses.values == nil else { return nil }
    return status.traits.isLasting
      ? "no unsaved changes" : "nothing to save; use :saveas FILE to write the records to a file"
  }

  /// The reason why there is no current record.
  var noRecordReason: String? {
    if let reason = noEntityReason { return reason }
    if table.isFolded(table.row) {
      return "the group is folded; press \(name(of: .foldGroup)) to unfold it"
    }
    guard table.currentRow == nil else { return nil }
    if let reason = noFieldReason { return reason }
    guard table.extent.listed == .exact(0) else { return "no record selected" }
    return table.filter.isActive
      ? "no record matches the filter; press \(name(of: .clear)) to clear it" : noRecordsText
  }

  /// The reason why there is no current value.
  var noValueReason: String? {
    if let reason = noRecordReason { return reason }
    if table.currentRow?.pending == .deleted { return "deleted record; press u to undo" }
    return table.currentValue == nil ? "no value selected" : nil
  }

  /// The reason why no record can be changed, neither a marked one nor the one under the cursor.
  var noTargetReason: String? { table.marks.isEmpty ? noValueReason : noFieldReason }

  /// The reason why the values of the current column cannot be ordered or counted: they are bytes.
  var bytesReason: String? {
    table.currentAttribute.flatMap { $0.isBlob ? "\($0.name): bytes have no order" : nil }
  }

  /// The reason why the current column cannot be edited: its values are made by the store, are bytes, or belong
  /// to other records.
  var fixedColumnReason: String? {
    guard let column = table.currentColumn else { return nil }
    if column.look.expression != nil { return computedReason(at: column.slot) }
    let field = table.attributes.indices.contains(column.slot) ? table.attributes[column.slot] : nil
    if column.look.path != nil, let field {
      return field.type.destination == nil
        ? field.readOnlyReason
        : "\(column.name): a field of the linked record; open that record to change it"
    }
    let marked = table.marks.isEmpty ? nil : table.marks.all.first { !$0.isTemporary }
    let record = marked ?? table.currentRow?.identifier
    return column.attribute.edited(in: record).fixedReason ?? column.attribute.keyReason(record)
  }

  /// The reason why a computed column cannot be edited, by its place after the fields.
  func computedReason(at slot: Int) -> String? {
    let column = table.columns.first { $0.slot == slot && $0.look.expression != nil }
    return column.map {
      "\($0.name) is computed; press \(name(of: .compute)) in its column to change the expression"
    }
  }

  /// Why there is no group to fold.
  var noGroupReason: String? {
    if let reason = noEntityReason { return reason }
    guard let column = table.groupColumn else {
      return "no groups; press \(name(of: .group)) to group by this column"
    }
    if column.look.expression != nil {
      return "\(column.name) is computed; only groups by a field can be folded"
    }
    return column.look.path == nil
      ? nil : "\(column.name) is a path; only groups by a field can be folded"
  }

  /// The reason why no keys can be played.
  var noMacroReason: String? {
    if macros.isPlaying { return "recorded keys cannot play others" }
    if macros.isRecording { return "recording; press \(name(of: .record)) to end it first" }
    return macros.last.isEmpty ? "nothing recorded; press \(name(of: .record)) first" : nil
  }

  /// The reason why there is nothing to search for again.
  var noSearchReason: String? {
    table.search.isEmpty ? "no search yet; press / to search" : noEntityReason
  }
}
