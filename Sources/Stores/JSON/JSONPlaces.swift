import CSimdjson

/// Where records lie in a text, array by array in the order of the text.
struct JSONPlaces: Equatable {
  private var sections: [[Int]] = []

  /// Reads the text; arrays of other names are left out.
  ///
  /// - Throws: `JSONDamage`.
  init(_ pass: JSONPass, of outcome: JSONSaving.Outcome) throws {
    let names = Set(outcome.document.sections.map(\.entityName))
    var isForeign: [Bool] = []
    if pass.hasLines {
      sections.append([])
      isForeign.append(false)
    }
    try pass.run { _, batch, offset, _ in
      for item in batch.items {
        switch Int(item.kind) {
        case CATALOG_JSON_SECTION_BEGIN:
          sections.append([])
          isForeign.append(item.name != nil && !names.contains(item.text))
        case CATALOG_JSON_RECORD where !isForeign[Int(item.section)]:
          sections[Int(item.section)].append(offset + Int(item.offset))
          sections[Int(item.section)].append(offset + Int(item.offset + item.length))
        default: break
        }
      }
      return true
    }
    sections.removeAll(where: \.isEmpty)
  }

  /// Where a save believes to have put them.
  init(_ outcome: JSONSaving.Outcome) {
    sections = outcome.document.sections.map { section in
      let old = section.rowsInFileOrder().map { section.range(ofRow: Int($0)) }
      let all = old + (outcome.insertedRanges[section.entityName] ?? [])
      return all.sorted { $0.lowerBound < $1.lowerBound }
        .flatMap { [$0.lowerBound, $0.upperBound] }
    }
    sections.removeAll(where: \.isEmpty)
  }
}
