import OpenSwiftData

/// The records in columns that the intact sections of a damaged base yield, group by group.
///
/// Records without keys are lost; any other lost section loses only its values.
struct SalvagedColumns {
  private let schema: LogSchema
  private var group: Group?
  private var foundCount = 0
  /// The number of records without the value of a column, by entity and column.
  private var missing: [Int: [Int: Int]] = [:]

  fileprivate struct Group {
    let entity: LogEntity
    let places: Range<Int>
    var table: EntityTable
    /// The number of rows that each column has got, with or without gaps.
    var filled: [Int]
    var gaps: [(slot: Int, rows: Range<Int>)] = []
  }

  init(_ schema: LogSchema) { self.schema = schema }

  /// Reads the sections of a frame, and passes on the records of groups that end with it.
  ///
  /// - Throws: `PayloadError`, `DuplicateKey`; other frames can still be added.
  mutating func add(
    _ reader: inout PayloadReader,
    _ take: ([DefaultSnapshot]) -> Void
  ) throws {
    let decoder = LogColumnDecoder(schema: schema)
    while let (header, body) = try LogSectionHeader.next(in: &reader) {
      let entity = try schema.entity(UInt64(header.entity))
      guard header.column > 0 else {
        finish(take)
        var table = EntityTable(
          schema.schema.entities[entity.index],
          storeIdentifier: schema.storeIdentifier
        )
        try table.addRows(try decoder.keys(header, body, of: entity))
        group = Group(
          entity: entity,
          places: header.rows,
          table: table,
          filled: Array(repeating: 0, count: entity.kinds.count)
        )
        continue
      }
      // Values are useless without their keys.
      guard var group, group.entity === entity, group.places.contains(header.rows),
        Int(header.column) <= entity.kinds.count
      else { continue }
      self.group = nil
      defer { self.group = group }
      try group.add(header, body, decoder)
    }
  }

  /// Passes on the records of the last group, some at a time.
  mutating func finish(_ take: ([DefaultSnapshot]) -> Void) {
    guard var group else { return }
    self.group = nil
    let index = group.entity.index
    group.fillUp()
    for (slot, rows) in group.gaps { missing[index, default: [:]][slot, default: 0] += rows.count }
    foundCount += group.places.count
    let fields = schema.schema.entities[index].fields
    let batch = group.table.batchCount
    for start in stride(from: 0, to: group.places.count, by: batch) {
      let rows = start..<min(start + batch, group.places.count)
      var records = group.table.snapshots(
        at: rows.map { Int32($0) },
        as: group.table.wholeRecord
      )
      for (slot, gap) in group.gaps where !fields[slot].isOptional {
        for row in gap.clamped(to: rows) {
          records[row - start].orderedValues[slot] = fields[slot].defaultValue
        }
      }
      take(records)
    }
  }

  /// Lists what is missing.
  ///
  /// - Parameter recordCount: The number of records in the base; nil if it is not known.
  /// - Returns: One line for each loss.
  func losses(of recordCount: Int?) -> [String] {
    var lines: [String] = []
    if let recordCount, recordCount > foundCount {
      lines.append("\(recordCount - foundCount) of \(recordCount) records in the base lost")
    }
    for (entity, slots) in missing.sorted(by: { $0.key < $1.key }) {
      let entity = schema.entities[entity]
      for (slot, count) in slots.sorted(by: { $0.key < $1.key }) {
        lines.append(
          "\(entity.name).\(entity.layout.names[slot]): values of \(count) "
            + "\(count == 1 ? "record" : "records") lost"
        )
      }
    }
    return lines
  }
}

extension SalvagedColumns.Group {
  /// Adds the values of a section, after a gap if one before it is missing.
  mutating func add(
    _ header: LogSectionHeader,
    _ body: UnsafeRawBufferPointer,
    _ decoder: LogColumnDecoder
  ) throws {
    let slot = Int(header.column) - 1
    let start = header.rows.lowerBound - places.lowerBound
    guard start >= filled[slot] else { return }
    fill(slot, to: start)
    // A section that cannot be read leaves the column as it was.
    var column = table.columns[slot]
    try decoder.load(header, body, into: &column, at: start)
    table.columns[slot] = column
    filled[slot] = start + header.rows.count
  }

  mutating func fillUp() {
    for slot in filled.indices { fill(slot, to: places.count) }
  }

  private mutating func fill(_ slot: Int, to end: Int) {
    guard filled[slot] < end else { return }
    if !table.columns[slot].isWide { table.columns[slot].appendNulls(end - filled[slot]) }
    gaps.append((slot, filled[slot]..<end))
    filled[slot] = end
  }
}

extension Range<Int> {
  fileprivate func contains(_ other: Range<Int>) -> Bool {
    lowerBound <= other.lowerBound && other.upperBound <= upperBound
  }
}
