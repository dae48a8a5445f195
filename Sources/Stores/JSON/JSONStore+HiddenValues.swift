package import OpenSwiftData

extension JSONStore {
  package var hiddenValuesCount: Int { withSession { $0.content.document.evidence.longCount } }

  package func hasHiddenValues(_ record: PersistentIdentifier) throws -> Bool {
    try withSession { session in
      let document = session.content.document
      guard let dialect = document.format.dialect, document.evidence.longCount > 0,
        let version = session.version, let place = document.section(of: record.entityName),
        let row = session.content.table.row(of: record), document.sections[place].isWritten(row)
      else { return false }
      return try withSource(version, as: document) { source in
        let bytes = try source.bytes(in: document.sections[place].range(ofRow: row))
        return bytes.withUnsafeBufferPointer {
          dialect.hasMoreValues(DelimitedRecordText($0, dialect.syntax))
        }
      }
    }
  }

  package func hiddenMembers(of entityName: String?) -> [String] {
    withSession { session in
      let document = session.content.document
      var lines = document.sections.compactMap { section -> String? in
        guard !section.foreignKeys.isEmpty, entityName ?? section.entityName == section.entityName
        else { return nil }
        // A file that another program changed is reported by the next save.
        guard let count = try? self.count(ofRecordsWithHiddenMembers: section, session) else {
          return
            "\(section.entityName) records have members outside the schema: \(section.hiddenNames)"
        }
        guard count > 0 else { return nil }
        return "\(count) \(section.entityName) \(count == 1 ? "record has" : "records have") "
          + "members outside the schema: \(section.hiddenNames)"
      }
      let keys = document.foreignKeys.subtracting(
        document.format.isCatalog ? [JSONHeader.key] : []
      )
      if entityName == nil, !keys.isEmpty {
        lines.append(
          "the file has members that are not records: \(JSONSection.words(keys))"
        )
      }
      return lines
    }
  }

  /// The number of records whose members do not all have a field; nil if the file cannot be read again.
  private func count(ofRecordsWithHiddenMembers section: JSONSection, _ session: Session) throws
    -> Int?
  {
    guard let version = session.version else { return nil }
    let keys = section.foreignKeys.map { Array($0.utf8) }
    return try withSource(version, as: session.content.document) { source in
      var reader = JSONRangeReader(source)
      return try section.rowsInFileOrder().count { row in
        try reader.withBytes(in: section.range(ofRow: Int(row))) { bytes in
          let record = JSONRecordText(bytes)
          return record.members.contains { member in keys.contains { record.isKey(member, $0) } }
        }
      }
    }
  }
}

extension JSONSection {
  /// The names of the members without a field.
  fileprivate var hiddenNames: String { Self.words(foreignKeys) }

  /// Names as a list, in which an empty one can be seen.
  fileprivate static func words(_ names: some Sequence<String>) -> String {
    names.sorted().map { $0.isEmpty ? "\"\"" : $0 }.joined(separator: ", ")
  }
}
