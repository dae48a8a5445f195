import OpenSwiftData

/// Copies of records whose file has values that no field shows.
extension CurrentStore {
  /// The number of records that are looked at; of more, those of the whole file are counted.
  private static let examinedRecords = 1000

  /// What a copy of these records lacks: `without the values after the last column, which 2 records have`; nil if it
  /// lacks nothing.
  func hiddenValuesNote(of records: [PersistentIdentifier]) -> String? {
    let stores = textBackedStores.filter { $0.hiddenValuesCount > 0 }
    guard !stores.isEmpty, !records.isEmpty else { return nil }
    guard records.count <= Self.examinedRecords else {
      let count = stores.reduce(0) { $0 + $1.hiddenValuesCount }
      return Self.hiddenValuesNote(count, of: " of the file")
    }
    let count = records.count { record in
      // A file that another program changed is reported by the next save.
      stores.contains { (try? $0.hasHiddenValues(record)) ?? false }
    }
    return count == 0 ? nil : Self.hiddenValuesNote(count, of: "")
  }

  private static func hiddenValuesNote(_ count: Int, of whole: String) -> String {
    "without the values after the last column, which \(counted(count))\(whole) "
      + (count == 1 ? "has" : "have")
  }
}

extension RecordSource {
  /// What an export of these records lacks; nil if it lacks nothing.
  ///
  /// - Throws: The error of a store that cannot be read.
  func hiddenValuesNote(in store: CurrentStore) throws -> String? {
    guard store.textBackedStores.contains(where: { $0.hiddenValuesCount > 0 }) else { return nil }
    return store.hiddenValuesNote(of: try identifiers ?? store.context.fetchIdentifiers(query))
  }
}
