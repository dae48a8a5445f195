/// The records of a store with snapshots of its own type, as one context last read or saved them.
///
/// Such a snapshot may have fields that the model lacks, such as a revision number. A save hands them back as the
/// context knew them, so that the store can detect that another program has changed the record since.
///
/// Records that the context no longer uses are dropped. Confined to the thread of the context.
final class PlainOriginals<Snapshot: DataStoreSnapshot> {
  typealias Original = PlainRecord<Snapshot>

  private struct Kept {
    var latest: Original
    /// True if the store may have changed its own fields when it saved the latest one.
    var isSaved: Bool
    /// The record as it was before the context read it with other values.
    ///
    /// Unsaved changes may still be based on it.
    var former: Original?
  }

  private let isUsed: (PersistentIdentifier) -> Bool
  private var kept: [PersistentIdentifier: Kept] = [:]
  private var sweepCount = 1024

  init(isUsed: @escaping (PersistentIdentifier) -> Bool) { self.isUsed = isUsed }

  /// The number of records.
  var count: Int { kept.count }

  /// Keeps records that the store returned.
  func note(_ records: [Original]) {
    // Before the new records are added, because the context does not use them yet.
    sweepIfLarge()
    for record in records { keep(record) }
  }

  /// Keeps the records of a save.
  ///
  /// - Parameters:
  ///   - sent: The records as the store got them; it may have changed the fields that the model lacks.
  ///   - returned: The records among them that the store returned.
  func noteSaved(_ sent: [Original], returned: [Original]) {
    sweepIfLarge()
    for record in sent {
      let identifier = record.snapshot.persistentIdentifier
      kept[identifier] = Kept(latest: record, isSaved: true)
    }
    for record in returned {
      kept[record.snapshot.persistentIdentifier] = Kept(latest: record, isSaved: false)
    }
  }

  /// Drops a deleted record.
  func remove(_ identifier: PersistentIdentifier) { kept[identifier] = nil }

  /// The record with these values as the store returned it; nil if it is not known.
  func original(of values: DefaultSnapshot) -> Snapshot? {
    guard let known = kept[values.persistentIdentifier] else { return nil }
    if !known.isSaved, known.latest.snapshot.agrees(with: values) { return known.latest.original }
    if let former = known.former, former.snapshot.agrees(with: values) { return former.original }
    return nil
  }

  /// The oldest known form of a record, for changes that are based on values that were never read.
  func oldest(_ identifier: PersistentIdentifier) -> Snapshot? {
    kept[identifier].map { $0.former ?? $0.latest }?.original
  }

  private func keep(_ record: Original) {
    let identifier = record.snapshot.persistentIdentifier
    let known = kept[identifier]
    var former = known?.former
    if former == nil, let known, !known.latest.snapshot.agrees(with: record.snapshot) {
      former = known.latest
    }
    kept[identifier] = Kept(latest: record, isSaved: false, former: former)
  }

  private func sweepIfLarge() {
    guard kept.count > sweepCount else { return }
    kept = kept.filter { isUsed($0.key) }
    sweepCount = max(1024, kept.count * 2)
  }
}

extension DefaultSnapshot {
  /// True when all values that both have are equal.
  func agrees(with other: DefaultSnapshot) -> Bool {
    if layout == other.layout { return orderedValues == other.orderedValues }
    return zip(layout.names, orderedValues).allSatisfy { name, value in
      other[name].map { $0 == value } ?? true
    }
  }
}
