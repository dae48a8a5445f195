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

  /// Applies what was just read from the file.
  ///
  /// - Throws: `PersistenceError` with code `.conflict` for another catalog.
  /// - Complexity: O(n) in the number of values.
  init(
    _ content: JSONContent,
    following former: JSONContent,
    _ matching: JSONMatching,
    path: String
  ) throws {
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
    let found = RowMatching(
      old,
      oldRows,
      new,
      newRows,
      fields: fileFields[name],
      declared: old.entity.fields.first(where: \.isUnique).map { [$0.name] } ?? [],
      named: namedRows(oldRows.map { old.keys[Int($0)] }, of: name)
    )
    var identifiers = (0..<new.rowCount).map { new.keys[$0] }
    var greatest = old.keys.greatestNumber
    for (row, known) in zip(newRows, found.formerPlaces(newRows.count)) {
      if let known {
        identifiers[Int(row)] = old.keys[Int(oldRows[known])]
      } else if isNumbered {
        greatest += 1
        identifiers[Int(row)] = new.keys.scope.identifier(number: greatest)
      }
    }
    if !identifiers.indices.allSatisfy({ identifiers[$0] == new.keys[$0] }) {
      content.table.replaceIdentifiers(of: name, identifiers)
    }
    if isNumbered { content.table.note(greatestNumber: greatest, of: name) }
    matching.take(found, old, oldRows, newRows.map { identifiers[Int($0)] })
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
