extension ValueSummary {
  /// Adds the values of an attribute in the records of a page.
  ///
  /// - Throws: `Interruption.Stopped`.
  mutating func add(_ page: any RecordPage, _ attribute: String) throws {
    var meter = WorkMeter()
    for snapshot in page.snapshots {
      try meter.count()
      add(snapshot[attribute] ?? .null)
    }
    try Interruption.check()
  }
}
