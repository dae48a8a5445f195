import CSimdjson

/// The places of the records in a text, array by array in text order.
struct JSONPlaces: Equatable {
  private var sections: [[Int]] = []

  /// Reads the text; arrays with other names are skipped.
  ///
  /// - Throws: `JSONDamage`.
  init(_ pass: JSONPass, of outcome: JSONSaving.Outcome) throws {
    let names = Set(outcome.document.sections.map(\.entityName))
    var isForeign: [Bool] = []
    if pass.format.isFlat {
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

  /// The places that a save expects.
  init(_ outcome: JSONSaving.Outcome) {
    sections = outcome.document.sections.map { section in
      let inserted = outcome.insertedRanges[section.entityName] ?? []
      var places: [Int] = []
      places.reserveCapacity(2 * (section.spans.count + inserted.count))
      for row in section.rowsInFileOrder() {
        let range = section.range(ofRow: Int(row))
        places.append(range.lowerBound)
        places.append(range.upperBound)
      }
      for range in inserted {
        places.append(range.lowerBound)
        places.append(range.upperBound)
      }
      // Records do not overlap, so their ends have the same order as their beginnings.
      let isInOrder = zip(places, places.dropFirst()).allSatisfy { $0 <= $1 }
      return isInOrder ? places : places.sorted()
    }
    sections.removeAll(where: \.isEmpty)
  }
}
