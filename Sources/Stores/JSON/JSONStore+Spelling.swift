package import OpenSwiftData

extension JSONStore {
  package var hasOnlyTexts: Bool { configuration.form == .delimited }

  package func forEachSpelling(
    of attribute: String,
    entityName: String,
    _ body: (PersistentIdentifier, Value, String) throws -> Void
  ) throws {
    try withSession { session in
      let document = session.content.document
      guard let version = session.version, let place = document.section(of: entityName),
        let table = session.content.table.table(of: entityName),
        let slot = table.entity.layout.slot(of: attribute),
        let spelling = document.format.spelling(of: attribute), try isUnchanged(version)
      else { return }
      let section = document.sections[place]
      try withSource(version, as: document) { source in
        var reader = JSONRangeReader(source)
        let rows = section.rowsInFileOrder()
        let counter = WorkCounter("reading", of: rows.count)
        for row in rows {
          try counter.add()
          let value = table.columns[slot].value(at: Int(row))
          if !value.hasSpellings { continue }
          let text = try reader.withBytes(in: section.range(ofRow: Int(row)), spelling)
          if let text, text != value.text { try body(table.keys[Int(row)], value, text) }
        }
      }
    }
  }

  private func isUnchanged(_ version: FileVersion) throws -> Bool {
    let fileSystem = configuration.fileSystem
    guard let path = try? fileSystem.resolve(configuration.path),
      let status = try fileSystem.statusIfPresent(of: path, in: nil)
    else { return false }
    return status.isUntouched(since: version.status)
  }
}

extension Value {
  /// True if other texts have the same value.
  fileprivate var hasSpellings: Bool {
    switch self {
    case .null, .text, .json, .link, .links: false
    default: true
    }
  }
}

extension JSONRecordText {
  /// The text of a member, without the quotes of a string; nil if there is none.
  func spelling(of key: [UInt8]) -> String? {
    guard let member = members.last(where: { isKey($0, key) }) else { return nil }
    let value = text[member.value]
    if value.first != UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
    // Texts with escapes are dates and the like in an uncommon form.
    guard value.count >= 2, !value.contains(UInt8(ascii: "\\")) else { return nil }
    return String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
  }
}
