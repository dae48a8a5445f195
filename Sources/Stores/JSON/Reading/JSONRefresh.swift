import OpenSwiftData

/// Reconciles a file that another program changed with what was read before.
///
/// A catalog must still be the same catalog. In other files, records keep the numbers that identify
/// them if they can be matched, and fields and entities that exist only in memory are kept.
struct JSONRefresh {
  private(set) var content: JSONContent
  /// What became of the records of each entity without identifiers.
  private(set) var matching: JSONMatching
  private let former: JSONContent
  /// By entity, the fields that are in the file.
  private let fileFields: [String: Set<String>]
  /// True if the text is the same as before, so that the records are in the same order.
  private let isSameText: Bool

  /// Applies what was just read from the file.
  ///
  /// - Parameters:
  ///   - content: What was read.
  ///   - former: What was read before.
  ///   - matching: What is known of the records.
  ///   - path: The path of the file, for errors.
  ///   - isSameText: True if the file is the same as before, and only read in another way.
  /// - Throws: `PersistenceError` with code `.conflict` for another catalog.
  /// - Complexity: O(n) in the number of values.
  init(
    _ content: JSONContent,
    following former: JSONContent,
    _ matching: JSONMatching,
    path: String,
    isSameText: Bool = false
  ) throws {
    self.isSameText = isSameText
    self.content = content
    self.former = former
    self.matching = matching
    fileFields = content.table.schema.entitiesByName.mapValues { Set($0.layout.names) }
    let isCatalog = former.document.format.isCatalog
    guard isCatalog == content.document.format.isCatalog,
      content.table.storeIdentifier == former.table.storeIdentifier
    else {
      throw PersistenceError(
        .conflict,
        "\(path): replaced by a different file, nothing was written; "
          + "save to another location instead"
      )
    }
    if !isCatalog { try keepEntities() }
    for section in content.document.sections { keepIdentifiers(section) }
  }

  /// Adds the entities and fields that exist only in memory, not in the file.
  private mutating func keepEntities() throws {
    for entity in former.table.schema.entities {
      guard let present = content.table.schema.entitiesByName[entity.name] else {
        if !content.document.format.hasOneEntity {
          try content.table.apply(
            .createEntity(Schema.Entity(entity.name, attributes: entity.fields))
          )
        }
        continue
      }
      // A column that another program removed is gone: there is no place for its values.
      if content.document.format.isSeparated { continue }
      for field in entity.fields where present.layout.slot(of: field.name) == nil {
        try content.table.apply(.addAttribute(entity: entity.name, field))
      }
    }
  }

  /// Matches records in a file without identifiers.
  private mutating func keepIdentifiers(_ section: JSONSection) {
    let name = section.entityName
    guard let new = content.table.table(of: name), let old = former.table.table(of: name),
      let place = former.document.section(of: name)
    else { return }
    let isNumbered = !content.document.format.isCatalog
    let unnamed = isNumbered ? nil : section.rowsWithoutIdentifier
    if unnamed?.isEmpty == true { return }
    let formerSection = former.document.sections[place]
    let newRows = section.rowsInFileOrder().filter { unnamed?.contains($0) ?? true }
    let oldRows = formerSection.rowsInFileOrder()
      .filter { isNumbered || formerSection.rowsWithoutIdentifier.contains($0) }
      .filter { old.live[Int($0)] }
    if isSameText, oldRows.count == newRows.count {
      keep(oldRows.map { old.keys[Int($0)] }, newRows, of: new, old.keys.greatestNumber)
      return
    }
    let found = RowMatching(
      old,
      oldRows,
      new,
      newRows,
      fields: fileFields[name],
      declared: old.entity.fields.first(where: \.isUnique).map { [$0.name] } ?? [],
      named: namedRows(oldRows.map { old.keys[Int($0)] }, of: name)
    )
    var greatest = old.keys.greatestNumber
    let identifiers = zip(newRows, found.formerPlaces(newRows.count)).map { row, known in
      if let known { return old.keys[Int(oldRows[known])] }
      guard isNumbered else { return new.keys[Int(row)] }
      greatest += 1
      return new.keys.scope.identifier(number: greatest)
    }
    keep(identifiers, newRows, of: new, isNumbered ? greatest : nil)
    matching.take(found, old, oldRows, identifiers)
  }

  /// Gives rows of an entity identifiers, which begin after the greatest number from then on if they are numbers.
  private mutating func keep(
    _ identifiers: [PersistentIdentifier],
    _ rows: [Int32],
    of table: EntityTable,
    _ greatest: Int?
  ) {
    let name = table.entity.name
    if zip(rows, identifiers).contains(where: { table.keys[Int($0)] != $1 }) {
      var all = (0..<table.rowCount).map { table.keys[$0] }
      for (row, identifier) in zip(rows, identifiers) { all[Int(row)] = identifier }
      content.table.replaceIdentifiers(of: name, all)
    }
    if let greatest { content.table.note(greatestNumber: greatest, of: name) }
  }

  /// The former rows that commands have named.
  private func namedRows(_ identifiers: [PersistentIdentifier], of entity: String)
    -> [RowMatching.NamedRows]
  {
    matching.named.filter { $0.entityName == entity }.map { named in
      let rows = identifiers.indices.filter { named.records.contains(identifiers[$0]) }
      return RowMatching.NamedRows(fields: named.fields, rows: Set(rows))
    }
  }
}
