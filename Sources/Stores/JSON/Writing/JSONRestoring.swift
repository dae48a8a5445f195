import OpenSwiftData

/// Compares an earlier content of the file with the records that a save leaves, and finds their places in it.
///
/// Both must have the same records: those that the save does not add in the order of the present file, the others
/// anywhere between them.
struct JSONRestoring {
  private let read: JSONContent
  private let present: JSONContent
  /// The records after the save.
  private let table: RecordTable
  private let inserted: [DefaultSnapshot]
  private let spelling: FileSpelling

  /// Prepares for a content that was read.
  init(_ read: JSONContent, over present: JSONContent, _ change: TableChange) {
    (self.read, self.present) = (read, present)
    var table = present.table
    change.apply(to: &table)
    self.table = table
    inserted = change.changes.inserted
    spelling = FileSpelling(options: read.document.format.dialect?.forms.options)
  }

  /// The places of all records; nil if the content does not have exactly these records.
  ///
  /// - Complexity: O(n) in the number of values.
  func outcome() -> JSONSaving.Outcome? {
    guard read.document.format.isCatalog == present.document.format.isCatalog,
      !read.document.format.isCatalog || read.table.schema == table.schema
    else { return nil }
    var outcome = JSONSaving.Outcome(document: read.document)
    let names = read.document.sections.map(\.entityName)
    // Entities and fields that exist only in memory have no records and no values.
    for entity in table.schema.entities
    where !names.contains(entity.name) && table.count(of: entity.name) > 0 { return nil }
    for (place, name) in names.enumerated() {
      guard let rows = rows(of: name, read.document.sections[place]) else { return nil }
      move(&outcome.document.sections[place], to: rows)
      let new = inserted.filter { $0.persistentIdentifier.entityName == name }
      guard !new.isEmpty else { continue }
      let section = outcome.document.sections[place]
      outcome.insertedRanges[name] = new.map {
        let row = table.row(of: $0.persistentIdentifier)
        precondition(row != nil, "a new record is in the table")
        return section.range(ofRow: row ?? 0)
      }
      for record in new {
        if let row = table.row(of: record.persistentIdentifier) {
          outcome.document.sections[place].spans[row] = 0
        }
      }
    }
    return outcome
  }

  /// The rows of the table by those of the content; nil if the records of an entity are not the same.
  private func rows(of name: String, _ section: JSONSection) -> [Int32: Int]? {
    guard let old = read.table.table(of: name), old.liveCount == table.count(of: name) else {
      return nil
    }
    guard old.liveCount > 0 else { return [:] }
    guard let new = table.table(of: name), let slots = slots(old, new.entity) else {
      return nil
    }
    var kept = keptRows(name)[...]
    // Equal records are taken in their order.
    var added: [Int: [Int]] = [:]
    for row in addedRows(name, new).reversed() {
      added[hash(slots.indices.map { new.columns[$0].value(at: row) }), default: []].append(row)
    }
    var rows: [Int32: Int] = [:]
    for row in section.rowsInFileOrder() {
      func isSame(_ candidate: Int) -> Bool { areSame(old, Int(row), new, candidate, slots) }
      // Of equal records it does not matter which one is which.
      if let next = kept.first, isSame(next) {
        rows[row] = kept.removeFirst()
        continue
      }
      let key = hash(slots.map { $0.map { old.columns[$0].value(at: Int(row)) } ?? .null })
      guard let place = added[key]?.lastIndex(where: isSame) else { return nil }
      rows[row] = added[key]?.remove(at: place)
    }
    return rows.count == table.count(of: name) ? rows : nil
  }

  /// A number that is the same for values that may be the same.
  private func hash(_ values: [Value]) -> Int {
    var hasher = Hasher()
    for value in values { hasher.combine(value.isNull ? "" : spelling.text(of: value)) }
    return hasher.finalize()
  }

  /// The rows that are in the present file and stay, in its order.
  private func keptRows(_ name: String) -> [Int] {
    guard let place = present.document.section(of: name), let former = present.table.table(of: name)
    else { return [] }
    return present.document.sections[place].rowsInFileOrder().map(Int.init)
      .filter { table.row(of: former.keys[$0]) != nil }
  }

  private func addedRows(_ name: String, _ table: EntityTable) -> [Int] {
    inserted.lazy.map(\.persistentIdentifier).filter { $0.entityName == name }
      .compactMap { table.row(of: $0) }
  }

  /// For each field of the table the slot of the content; nil if the fields are not the same.
  ///
  /// In JSON, a field without any value may be missing on one side.
  private func slots(_ old: EntityTable, _ new: Schema.Entity) -> [Int?]? {
    let fields = old.entity.fields
    let isSame = fields.indices.allSatisfy { slot in
      new.layout.slot(of: fields[slot].name) != nil
        || !read.document.format.isSeparated
          && (0..<old.rowCount).allSatisfy { old.columns[slot].value(at: $0).isNull }
    }
    guard isSame, !read.document.format.isSeparated || fields.count == new.fields.count else {
      return nil
    }
    return new.fields.map { old.entity.layout.slot(of: $0.name) }
  }

  private func areSame(
    _ old: EntityTable,
    _ oldRow: Int,
    _ new: EntityTable,
    _ newRow: Int,
    _ slots: [Int?]
  ) -> Bool {
    if read.document.format.isCatalog, old.keys[oldRow] != new.keys[newRow] { return false }
    return slots.indices.allSatisfy { slot in
      let value = new.columns[slot].value(at: newRow)
      let former = slots[slot].map { old.columns[$0].value(at: oldRow) } ?? .null
      switch (value, former) {
      case (.text(let text), .text(let other)), (.json(let text), .json(let other)):
        return text.isSpelled(like: other)
      default: return value == former || isSpelledAlike(value, former)
      }
    }
  }

  /// True if other values have given a field of a file without types another type, in which the value is written alike.
  ///
  /// In JSON, a text is never a number.
  private func isSpelledAlike(_ value: Value, _ former: Value) -> Bool {
    guard let kind = value.kind, let other = former.kind else { return false }
    let isNumber = kind.isNumeric && other.isNumeric
    return (isNumber || read.document.format.isSeparated)
      && spelling.text(of: value) == spelling.text(of: former)
  }

  /// Gives a section the rows of the table.
  private func move(_ section: inout JSONSection, to rows: [Int32: Int]) {
    let spans = section.spans
    section.spans = []
    for (row, new) in rows { section.setRange(Span(packed: spans[Int(row)]).range, ofRow: new) }
    let written = section.spans.filter { $0 != 0 }
    section.isInRowOrder = zip(written, written.dropFirst()).allSatisfy { $0 < $1 }
    section.rowsWithoutIdentifier = moved(section.rowsWithoutIdentifier, rows)
    section.bareCells = section.bareCells.mapValues { moved($0, rows) }
  }

  private func moved(_ cells: Set<Int32>, _ rows: [Int32: Int]) -> Set<Int32> {
    Set(cells.compactMap { rows[$0].map(Int32.init) })
  }
}
