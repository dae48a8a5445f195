package import OpenSwiftData

extension JSONStore: HiddenValuesStore {
  package var hiddenValuesCount: Int { withSession { $0.content.document.ragged.longCount } }

  package func hasHiddenValues(_ record: PersistentIdentifier) throws -> Bool {
    try withSession { session in
      let document = session.content.document
      guard let dialect = document.dialect, document.ragged.longCount > 0,
        let version = session.version, let place = document.section(of: record.entityName),
        let row = session.content.table.row(of: record), document.sections[place].isWritten(row)
      else { return false }
      return try withSource(version, as: document) { source in
        let bytes = try source.bytes(in: document.sections[place].range(ofRow: row))
        return bytes.withUnsafeBufferPointer {
          DelimitedRecordText($0, dialect.syntax).fields.count > dialect.columns.count
        }
      }
    }
  }
}
