import OpenSwiftData

extension AppState {
  /// What the screen shows now.
  var facts: ScreenFacts {
    let table = shared.table
    return ScreenFacts(
      entityName: entityName,
      marks: table.marks,
      cursor: table.currentRow?.identifier,
      row: table.row,
      filter: table.filter.isActive ? table.filter.text : nil,
      columns: table.arrangement,
      arrangedColumns: table.arrangedColumns,
      shownPaths: table.shownPaths,
      shownLinks: table.shownLinks,
      width: size.columns,
      arrivals: tableScreen.arrivals,
      nothingToSaveReason: shared.nothingToSaveReason,
      noTargetReason: shared.noTargetReason,
      showsConflicts: shared.isShown(.conflicts)
    )
  }
}
