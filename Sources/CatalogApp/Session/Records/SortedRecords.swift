import OpenSwiftData

/// The order of records by fields of linked records, and the dictionary order of texts.
///
/// Stores have neither: the context reads the values and sorts the records.
extension ModelContext {
  /// The records in order, or the first of them; with `linksByTitle`, links are ordered by the titles of their records, as
  /// in dictionaries.
  ///
  /// - Throws: The error of a store that cannot be read, `PersistenceError` for an unknown field,
  ///   `Interruption.Stopped`.
  /// - Complexity: O(n log n) in the number of records; O(n log k) for the first k.
  func sorted(
    _ identifiers: [PersistentIdentifier],
    by keys: [SortKey],
    of entity: Schema.Entity,
    first most: Int? = nil,
    linksByTitle: Bool = false,
    computed: [FieldPath] = []
  ) throws -> [PersistentIdentifier] {
    let sources = try keys.map { key in
      let isDictionary =
        key.needsRecords(of: entity) && key.attribute.hasSuffix(SortKey.dictionaryEnding)
      let name = isDictionary ? String(key.attribute.dropLast(3)) : key.attribute
      return (
        column: try RecordListing.Column(name, of: entity, in: schema, computed: computed),
        isDictionary: isDictionary
      )
    }
    let listing = RecordListing(
      entity: entity,
      columns: sources.map(\.column),
      identifiers: identifiers
    )
    let layout = SnapshotLayout(keys.map(\.attribute))
    var rows = FirstSnapshots(most, in: try SnapshotOrder(keys, layout: layout))
    for batch in identifiers.batches {
      try Interruption.check()
      let page = try listing.page(of: Array(batch), in: self)
      let columns = try sources.map { source in
        var values = page.values(of: source.column)
        if linksByTitle, entity.fieldsByName[source.column.name]?.type.destination != nil {
          values = try namingLinks(values).map(\.inDictionaryOrder)
        }
        return source.isDictionary ? values.map(\.inDictionaryOrder) : values
      }
      for place in 0..<page.count {
        try rows.add(
          DefaultSnapshot(
            persistentIdentifier: page.identifier(at: place),
            layout: layout,
            orderedValues: columns.map { $0[place] }
          )
        )
      }
    }
    return try rows.sorted().map(\.persistentIdentifier)
  }

  /// The records whose columns differ from those of all earlier ones.
  ///
  /// - Throws: The error of a store that cannot be read, `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of records.
  func distinct(_ listing: RecordListing) throws -> [PersistentIdentifier] {
    var seen: Set<[Value]> = []
    var kept: [PersistentIdentifier] = []
    for batch in listing.identifiers.batches {
      try Interruption.check()
      let page = try listing.page(of: Array(batch), in: self)
      let columns = listing.columns.map { page.values(of: $0) }
      for place in 0..<page.count where seen.insert(columns.map { $0[place] }).inserted {
        kept.append(page.identifier(at: place))
      }
    }
    return kept
  }
}

extension SortKey {
  /// The ending of a sort key that asks for dictionary order.
  static let dictionaryEnding = "[l]"

  /// True if the store cannot sort by the key.
  func needsRecords(of entity: Schema.Entity) -> Bool {
    entity.fieldsByName[attribute] == nil && attribute != entity.identifierKey
  }
}

extension RecordPage {
  /// The values of a column; null for a field that no longer exists.
  func values(of column: RecordListing.Column) -> [Value] {
    if column.isIdentifier { return (0..<count).map { .text(identifier(at: $0).description) } }
    return layout.slot(of: column.name).map { values(slot: $0) }
      ?? Array(repeating: .null, count: count)
  }
}

extension Value {
  /// A text whose order is that of dictionaries; other values stay as they are.
  ///
  /// Case and accents only decide between equal letters, and numbers in the text are ordered by their value.
  var inDictionaryOrder: Value {
    guard case .text(let text) = self else { return self }
    let folded = TextFolding.foldedBytes(text, [.caseInsensitive, .diacriticInsensitive])
    var key: [UInt8] = []
    var digits: [UInt8] = []
    func endNumber() {
      guard !digits.isEmpty else { return }
      let significant = digits.drop { $0 == UInt8(ascii: "0") }
      // A longer number is greater; the length comes first, as a digit for each nine places.
      var length = significant.count
      while length > 8 {
        key.append(UInt8(ascii: "9"))
        length -= 9
      }
      key.append(UInt8(ascii: "0") + UInt8(max(0, length)))
      key += significant
      digits = []
    }
    for byte in folded {
      if (48...57).contains(byte) {
        digits.append(byte)
      } else {
        endNumber()
        key.append(byte)
      }
    }
    endNumber()
    return .text(String(decoding: key, as: UTF8.self) + "\u{0}" + text)
  }
}
