import OpenSwiftData

extension JSONContent {
  /// Checks the invariants between the records and their places in the file; traps if one is
  /// violated.
  ///
  /// 1. Every section with records belongs to an entity, and no two sections to the same one.
  /// 2. In an entity with a section, exactly the rows of records have a place; an entity without a
  ///    section has no records.
  /// 3. Places lie within their section and do not overlap; in a section in row order, they ascend.
  /// 4. Sections lie within the document, or fill it, and do not overlap.
  /// 5. The header and the last member end within the document.
  /// 6. Rows without an identifier are rows of records.
  ///
  /// - Complexity: O(n log n) in the records.
  func checkInvariants() {
    let names = document.sections.map(\.entityName)
    precondition(Set(names).count == names.count, "1: one section for an entity")
    for section in document.sections where table.table(of: section.entityName) == nil {
      precondition(section.spans.allSatisfy { $0 == 0 }, "1: records are of an entity")
    }
    for table in table.tables {
      guard let place = document.section(of: table.entity.name) else {
        precondition(table.liveCount == 0, "2: records have a section")
        continue
      }
      document.sections[place].checkInvariants(table)
    }
    let whole = document.interior ?? 0..<document.sizeBytes
    let ends = document.sections.sorted { $0.start < $1.start }.flatMap { [$0.start, $0.end] }
    precondition(
      zip(ends, ends.dropFirst()).allSatisfy { $0 <= $1 },
      "4: sections do not overlap"
    )
    precondition(
      ends.allSatisfy { whole.lowerBound <= $0 && $0 <= whole.upperBound },
      "4: sections lie within the document"
    )
    let parts = [document.header?.upperBound, document.membersEnd].compactMap { $0 }
    precondition(parts.allSatisfy { $0 <= whole.upperBound }, "5: members end in the document")
  }

  /// Checks the invariants in debug builds if the content is small.
  func checkInvariantsWhenSmall() {
    assert(
      {
        if table.tables.reduce(0, { $0 + $1.rowCount }) <= 1000 { checkInvariants() }
        return true
      }()
    )
  }
}

extension JSONSection {
  /// Checks one section; the numbers are those of `JSONContent.checkInvariants()`.
  fileprivate func checkInvariants(_ table: EntityTable) {
    precondition(spans.count <= table.rowCount, "2: places are those of rows")
    for row in 0..<table.rowCount {
      let hasPlace = row < spans.count && spans[row] != 0
      precondition(hasPlace == table.live[row], "2: what has a place is a record")
    }
    let ranges = rowsInFileOrder().map { range(ofRow: Int($0)) }
    precondition(
      zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound },
      "3: records do not overlap"
    )
    precondition(
      ranges.allSatisfy { start <= $0.lowerBound && $0.upperBound <= end },
      "3: records lie within their section"
    )
    for row in rowsWithoutIdentifier {
      precondition(table.live[Int(row)], "6: only records can lack an identifier")
    }
  }
}
