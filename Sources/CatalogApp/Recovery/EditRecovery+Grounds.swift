import OpenSwiftData

/// What recovered changes rest on: values that were read, and the records that links name.
extension EditRecovery {
  /// Why the records of links may be other ones now than when the links were set.
  func doubts(aboutLinksOf edits: [RecoveryEdit]) throws -> [RecoveryRead: RecordDoubt] {
    var rest = Set(edits.flatMap { $0.read ?? [] }.filter { $0.record != nil })
    var found: [RecoveryRead: RecordDoubt] = [:]
    while !rest.isEmpty {
      // One record can have been read for several links, with different values.
      var read: [PersistentIdentifier: (read: RecoveryRead, record: DefaultSnapshot)] = [:]
      for linked in rest {
        guard let record = snapshot(of: linked) else {
          rest.remove(linked)
          continue
        }
        if read[record.persistentIdentifier] == nil {
          read[record.persistentIdentifier] = (linked, record)
          rest.remove(linked)
        }
      }
      let doubts = try context.doubts(about: read.values.map(\.record))
      for (identifier, linked) in read { found[linked.read] = doubts[identifier] }
    }
    return found
  }

  /// The record of a link, as it was read; nil if its entity does not exist any more.
  private func snapshot(of read: RecoveryRead) -> DefaultSnapshot? {
    guard let link = read.record, let identifier = identifier(link),
      let entity = context.schema.entitiesByName[link.entity]
    else { return nil }
    let values = entity.fields.map { field in
      // A value that the field cannot have now differs from that of the store.
      (try? value(read.fields[field.name]?.before, for: field)) ?? .null
    }
    return DefaultSnapshot(
      persistentIdentifier: identifier,
      layout: entity.layout,
      orderedValues: values
    )
  }

  /// Why the records of links are not those that were meant, in words; nil if they are.
  func doubt(about links: [RecoveryLink], of edit: RecoveryEdit) -> String? {
    for read in edit.read ?? [] {
      guard let link = read.record, links.contains(link), let doubt = doubtfulLinks[read] else {
        continue
      }
      return "\(link.entity) record \(link.key): \(doubt.reason)"
    }
    return nil
  }

  /// Why a value rests on one that has changed since, in words; nil if it does not.
  func ground(of name: String, in edit: RecoveryEdit, _ snapshot: DefaultSnapshot)
    -> String?
  {
    for read in edit.read ?? [] where read.record == nil && read.computed?.contains(name) != false {
      let changed = read.fields.sorted { $0.key < $1.key }.first { name, field in
        snapshot[name].map { isFormer($0, field, of: edit) } != true
      }
      guard let (source, field) = changed else { continue }
      let now = snapshot[source].flatMap { RecoveryValue($0) }
      return
        (read.computed == nil ? "the record was found by \(source)" : "computed from \(source)")
        + ", which changed from \(RecoveryEdit.shown(field.before)) to \(RecoveryEdit.shown(now))"
    }
    return nil
  }

  /// Lets the recovered changes of a record rest on what the lost ones rested on.
  func rest(_ edit: RecoveryEdit, of record: PersistentIdentifier) {
    for read in edit.read ?? [] where read.record == nil {
      context.compute(
        read.computed.map { Set($0) },
        of: [record],
        of: edit.record.entity,
        from: read.fields.keys.sorted()
      )
    }
  }
}
