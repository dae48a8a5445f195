import OpenSwiftData

/// Which records of three versions are the same: those with the same key, or else those with the same values.
///
/// Keys and values are compared by all their characters.
struct MergeIdentities {
  /// The fields of the key; empty if records are compared as a whole.
  private(set) var key: [Int]
  /// For BASE, OURS and THEIRS, and each record in its order; no two records of a version have the same.
  private(set) var all: [[[UInt8]]] = []
  private let versions: [MergeText]
  private let names: MergeText.Names
  private var syntax: MergeSyntax { versions[1].syntax }
  private static let roles = ["BASE", "OURS", "THEIRS"]
  private static let advice = "; name the key with by"

  /// Finds the records by a key, which is an identifier if no fields are given.
  ///
  /// - Throws: `MergeRefusal` where it is not certain which record is which.
  /// - Complexity: O(n) in the number of values, expected.
  init(_ versions: [MergeText], _ names: MergeText.Names, by fields: [String]) throws {
    (self.versions, self.names) = (versions, names)
    key = try fields.map { field in
      if let number = names.number(of: field) { return number }
      throw MergeRefusal("by \(field): no such field")
    }
    if !key.isEmpty {
      all = try keys()
      try requireDifferentKeys()
      return
    }
    let tables = versions.map(table)
    let former = tables[versions[0].records.isEmpty ? 1 : 0]
    let matchings = tables.dropFirst().map { present in
      RowMatching(former, former.rowsInOrder(), present, present.rowsInOrder())
    }
    let found = matchings.map { $0.key?.isIdentifier == true ? $0.keyFields : [] }
    key = found[0] == found[1] ? found[0].compactMap(names.number(of:)) : []
    if !key.isEmpty {
      all = try keys()
      try requireDifferentKeys()
      if !versions[0].records.isEmpty {
        try require(matchings)
        try requireOldIdentifiers()
      }
      return
    }
    // Of identifiers that look alike, none is found.
    for field in names.all.indices
    where ColumnWords.identifiers.contains(names.text(of: field).lowercased()) {
      key = [field]
      guard let keys = try? keys() else { continue }
      all = keys
      try requireDifferentKeys()
    }
    key = []
    all = try wholeRecords()
  }

  /// How messages name a record.
  func words(_ record: MergeText.Record) -> String {
    let fields = key.isEmpty ? Array(names.all.indices.filter { record[$0] != nil }.prefix(3)) : key
    return fields.map { "\(names.text(of: $0)) \(Value.quoted(syntax.text(record[$0]) ?? ""))" }
      .joined(separator: ", ")
  }

  /// The values of some fields together; no value has these bytes.
  private func exact(_ record: MergeText.Record, _ fields: [Int]) -> [UInt8] {
    fields.flatMap { (record[$0].map(syntax.exact) ?? [0xFC]) + [0xFD] }
  }

  // MARK: Keys

  private func keys() throws -> [[[UInt8]]] {
    try zip(versions, Self.roles).map { version, role in
      var seen: Set<[UInt8]> = []
      return try version.records.map { record in
        if let field = key.first(where: { (syntax.text(record[$0]) ?? "").isEmpty }) {
          throw MergeRefusal("\(role): a record has no \(names.text(of: field))")
        }
        let exact = exact(record, key)
        if seen.insert(exact).inserted { return exact }
        throw MergeRefusal("\(role): several records have \(words(record))")
      }
    }
  }

  /// Refuses keys that differ, but are taken for the same elsewhere, such as 1.0 and 1.
  private func requireDifferentKeys() throws {
    var known: [[String]: [UInt8]] = [:]
    for (record, identity) in zip(versions.flatMap(\.records), all.joined()) {
      let alike = key.map { Value.spelledAlike(syntax.text(record[$0]) ?? "") }
      if known.updateValue(identity, forKey: alike) ?? identity == identity { continue }
      throw MergeRefusal("\(words(record)) also occurs in another spelling")
    }
  }

  // MARK: Identifiers

  /// The texts of a version, in which a save would look for records.
  private func table(_ version: MergeText) -> EntityTable {
    var seen: Set<String> = []
    let fields = names.all.indices.filter { field in
      (syntax.delimited == nil || version.columns.contains(field))
        && seen.insert(names.text(of: field)).inserted
    }
    let attributes = fields.map { Schema.Attribute(names.text(of: $0), .text) }
    let empty = EntityTable(Schema.Entity("", attributes: attributes), storeIdentifier: "merge")
    let scope = empty.keys.scope
    var rows = RowAppender(empty, .asAppended)
    for (place, record) in version.records.enumerated() {
      // All numbers are different.
      _ = try? rows.beginRow(key: scope.identifier(number: place + 1))
      for (slot, field) in fields.enumerated() {
        if let text = syntax.text(record[field]) { rows.append(.text(text), slot: slot) }
      }
      rows.endRow()
    }
    return rows.finish()
  }

  /// Refuses records of which the identifier alone does not say for certain that they are the same, or gone.
  private func require(_ matchings: [RowMatching]) throws {
    let places = all.dropFirst().map { Dictionary(uniqueKeysWithValues: zip($0, $0.indices)) }
    for (row, record) in versions[0].records.enumerated() {
      let found = places.map { $0[all[0][row]] }
      let isGone = found == [nil, nil]
      for (place, matching) in zip(found, matchings) {
        let fate = matching.fates[row]
        if let place, fate == .same(place) { continue }
        guard place != nil || isGone, case .unsure = fate else { continue }
        throw MergeRefusal(
          "\(words(record)) may be \(isGone ? "there with another" : "another record with the same") "
            + "\(names.text(of: key[0])) now; if it is not, merge with by \(names.text(of: key[0]))"
        )
      }
    }
  }

  /// Refuses a new record that has all other values of a record whose identifier has other ones now, or is gone.
  private func requireOldIdentifiers() throws {
    let base = versions[0]
    for side in [1, 2] {
      let version = versions[side]
      let fields = names.all.indices.filter { field in
        !key.contains(field)
          && (syntax.delimited == nil
            || base.columns.contains(field) && version.columns.contains(field))
      }
      if fields.isEmpty { continue }
      let former = Set(all[0])
      let present = Dictionary(uniqueKeysWithValues: zip(all[side], version.records))
      let added = version.records.indices.filter { !former.contains(all[side][$0]) }
      let values = Dictionary(grouping: added) { exact(version.records[$0], fields) }
      if values.isEmpty { continue }
      for (record, identity) in zip(base.records, all[0]) {
        let value = exact(record, fields)
        guard let place = values[value]?.first,
          present[identity].map({ exact($0, fields) }) != value
        else { continue }
        throw MergeRefusal(
          "\(words(version.records[place])) has the other values that \(words(record)) had; "
            + "if it is another record, merge with by \(names.text(of: key[0]))"
        )
      }
    }
  }

  // MARK: Records as a whole

  /// The values of records, with a number for each of equal ones, of which only one side may have another number of.
  private func wholeRecords() throws -> [[[UInt8]]] {
    let columns = versions.map { Set($0.columns) }
    guard columns[1] == columns[2], columns[0].isEmpty || columns[0] == columns[1] else {
      throw MergeRefusal("the files have different columns\(Self.advice)")
    }
    let fields = Array(names.all.indices)
    var counts: [[[UInt8]: Int]] = [[:], [:], [:]]
    let numbered = versions.enumerated().map { side, version in
      version.records.map { record in
        let value = exact(record, fields)
        counts[side][value, default: 0] += 1
        return value + Array("\(counts[side][value] ?? 0)".utf8)
      }
    }
    for record in versions.flatMap(\.records) {
      let count = counts.map { $0[exact(record, fields)] ?? 0 }
      if Set(count).count == 1 { continue }
      guard count[0] <= 1 else {
        throw MergeRefusal("one of several records \(words(record)) was changed\(Self.advice)")
      }
      guard count[0] == count[1] || count[0] == count[2] else {
        throw MergeRefusal("both have added, changed or deleted \(words(record))\(Self.advice)")
      }
    }
    try requireNeighbors(numbered)
    return numbered
  }

  /// Refuses a record that one side has changed or deleted, unless it stands between the same ones in the other version.
  private func requireNeighbors(_ identities: [[[UInt8]]]) throws {
    let places = identities.map { Dictionary(uniqueKeysWithValues: zip($0, $0.indices)) }
    func neighbors(_ place: Int, _ side: Int) -> [[UInt8]] {
      let all = identities[side]
      return [place > 0 ? all[place - 1] : [], place + 1 < all.count ? all[place + 1] : []]
    }
    for (row, identity) in identities[0].enumerated() {
      let found = places.map { $0[identity] }
      for side in [1, 2] where found[side] == nil {
        guard let place = found[3 - side], neighbors(place, 3 - side) != neighbors(row, 0) else {
          continue
        }
        let words = words(versions[0].records[row])
        throw MergeRefusal("both have changed something at \(words)\(Self.advice)")
      }
    }
  }
}
