import OpenSwiftData

extension JSONStore {
  /// Returns the notes of the last save.
  package func compactIfWorthwhile() -> [String] {
    withSession { session in
      defer { session.savingNotes = [] }
      return session.savingNotes
    }
  }

  /// Reads the file again and compares it with memory.
  ///
  /// - Returns: The problems, one line each: differences, references to missing records, members
  ///   without a field. Empty if there are none.
  /// - Throws: `PersistenceError` if the file cannot be read.
  package func check() throws -> [String] {
    try withSession { session in
      try session.checkUsable()
      guard session.version != nil else { return session.content.table.danglingLinks() }
      let fresh = try opening(session).open().content
      var lines: [String] = []
      if session.content.document.format.isSeparated, let version = session.version {
        lines += try withSource(version, as: session.content.document) {
          fresh.document.problems($0, path: configuration.path)
        }
      }
      for section in session.content.document.sections {
        lines += try differences(section, session.content, fresh)
        lines += duplicateValues(section.entityName, session.content.table)
        // Those that were in the file when it was opened may be gone.
        let place = fresh.document.section(of: section.entityName)
        let foreign = place.map { fresh.document.sections[$0].foreignKeys } ?? []
        if !foreign.isEmpty {
          let names = foreign.sorted().joined(separator: ", ")
          lines.append(
            "\(section.entityName): members not in the schema, kept as they are: \(names)"
          )
        }
      }
      return lines + session.content.table.danglingLinks()
    }
  }

  /// Does nothing: the file does not contain history.
  package func compact() throws -> String {
    configuration.form != .delimited
      ? "nothing to compact: JSON files keep no history"
      : "nothing to compact: files of separated values keep no history"
  }

  private func differences(_ section: JSONSection, _ held: JSONContent, _ read: JSONContent)
    throws -> [String]
  {
    let name = section.entityName
    let rows = section.rowsInFileOrder()
    guard let there = read.document.section(of: name) else {
      return rows.isEmpty ? [] : ["\(name): no longer in the file"]
    }
    let others = read.document.sections[there].rowsInFileOrder()
    guard rows.count == others.count else {
      return ["\(name): \(rows.count) records in memory, \(others.count) in the file"]
    }
    let counter = WorkCounter("comparing", of: rows.count)
    for (row, other) in zip(rows, others) {
      try counter.add()
      let one = held.table.snapshot(entity: name, row: Int(row))
      let two = read.table.snapshot(entity: name, row: Int(other)).arranged(as: one.layout)
      let isSame = zip(one.orderedValues, two.orderedValues).allSatisfy { left, right in
        // In a file that is not a catalog types are inferred, and edits may have changed the
        // result.
        left == right || left.text == right.text
          // Both are the same in the file; see `Schema.Attribute.kept(_:)`.
          || (left == .json("null") && right.isNull)
      }
      if !isSame {
        return ["\(name) \(one.persistentIdentifier): differs from the file"]
      }
    }
    return []
  }

  /// Duplicate values of unique fields; a file from another program may contain some.
  private func duplicateValues(_ name: String, _ table: RecordTable) -> [String] {
    guard let rows = table.table(of: name) else { return [] }
    var lines: [String] = []
    for (slot, field) in rows.entity.fields.enumerated() where field.isUnique {
      var first: [Value: Int] = [:]
      rows.forEachRow { row in
        let value = rows.columns[slot].value(at: row)
        guard !value.isNull else { return }
        guard let earlier = first[value] else {
          first[value] = row
          return
        }
        lines.append(
          "\(name).\(field.name): must be unique; \(Value.quoted(value.text)) is in records "
            + "\(rows.keys[earlier]) and \(rows.keys[row])"
        )
      }
    }
    return lines
  }
}
