/// Records that fetched models refer to, read for all models of a fetch together.
///
/// When a relationship of one model needs a record that the context does not have, the records of that
/// relationship are read for every model of the same fetch, so that a traversal asks the store once for each
/// relationship and not once for each model. Only stores without a way to look up single records need this;
/// for them, such a lookup reads all records of an entity.
///
/// The records are kept as the store returned them until `clear()`, which the context calls when it saves or
/// merges.
///
/// Invariants, which `checkInvariants()` checks:
/// 1. All identifiers are permanent.
/// 2. A record is stored under its identifier, and none that is stored is absent.
/// 3. The links of a batch that were not read are those of slots that refer to other records.
final class RelatedRecords {
  /// Snapshots that one request returned, of one entity, and the links in them.
  private struct Batch {
    /// The identifiers that were not read yet, by slot; nil before the first use.
    var links: [Int: Set<PersistentIdentifier>]?
    let slots: [Int]
    let snapshots: [DefaultSnapshot]

    /// Takes the identifiers of the slot that refers to a record; nil if no slot does.
    mutating func take(_ identifier: PersistentIdentifier) -> Set<PersistentIdentifier>? {
      if links == nil {
        links = Dictionary(uniqueKeysWithValues: slots.map { ($0, identifiers(at: $0)) })
      }
      let slot = slots.first { links?[$0]?.contains(identifier) == true }
      return slot.flatMap { links?.removeValue(forKey: $0) }
    }

    func identifiers(at slot: Int) -> Set<PersistentIdentifier> {
      var all: Set<PersistentIdentifier> = []
      for snapshot in snapshots {
        all.formUnion(
          snapshot.orderedValues[slot].linkedIdentifiers.lazy.filter { !$0.isTemporary }
        )
      }
      return all
    }
  }

  private var batches: [Batch] = []
  private var records: [PersistentIdentifier: DefaultSnapshot] = [:]
  private var absent: Set<PersistentIdentifier> = []

  /// Forgets everything, because the store may have changed.
  func clear() {
    if batches.isEmpty, records.isEmpty, absent.isEmpty { return }
    batches = []
    records = [:]
    absent = []
  }

  /// Adds fetched snapshots of an entity, whose relationships may be followed next.
  ///
  /// - Complexity: O(n) in the snapshots if records are kept, otherwise O(1).
  func noteFetched(_ snapshots: [DefaultSnapshot], of entity: Schema.Entity) {
    if !records.isEmpty {
      for snapshot in snapshots { records[snapshot.persistentIdentifier] = nil }
    }
    noteBatch(snapshots, entity)
  }

  var isEmpty: Bool { records.isEmpty && absent.isEmpty && batches.isEmpty }

  /// Adds records that the store returned together with others.
  func add(_ snapshots: [DefaultSnapshot]) {
    for snapshot in snapshots where !snapshot.persistentIdentifier.isTemporary {
      records[snapshot.persistentIdentifier] = snapshot
      absent.remove(snapshot.persistentIdentifier)
    }
  }

  /// The records with these identifiers that exist; reads those that are not kept, and with them all
  /// records of the same relationships.
  ///
  /// - Throws: The error of `read`.
  func records(
    for identifiers: [PersistentIdentifier],
    schema: Schema,
    read: ([PersistentIdentifier]) throws -> [PersistentIdentifier: DefaultSnapshot]
  ) throws -> [DefaultSnapshot] {
    var wanted: Set<PersistentIdentifier> = []
    for identifier in identifiers where isUnknown(identifier) && !wanted.contains(identifier) {
      wanted.insert(identifier)
      for place in batches.indices {
        if let others = batches[place].take(identifier) {
          wanted.formUnion(others.lazy.filter(isUnknown))
        }
      }
    }
    if !wanted.isEmpty { keep(try read(Array(wanted)), of: wanted, schema) }
    return identifiers.compactMap { records[$0] }
  }

  /// Reads the records of some relationships of fetched snapshots.
  ///
  /// - Throws: The error of `read`.
  func prefetch(
    _ slots: [Int],
    of snapshots: [DefaultSnapshot],
    schema: Schema,
    read: ([PersistentIdentifier]) throws -> [PersistentIdentifier: DefaultSnapshot]
  ) throws {
    let batch = Batch(slots: slots, snapshots: snapshots)
    for slot in slots {
      let wanted = batch.identifiers(at: slot).filter(isUnknown)
      if !wanted.isEmpty { keep(try read(Array(wanted)), of: wanted, schema) }
    }
  }

  private func isUnknown(_ identifier: PersistentIdentifier) -> Bool {
    !identifier.isTemporary && records[identifier] == nil && !absent.contains(identifier)
  }

  private func keep(
    _ found: [PersistentIdentifier: DefaultSnapshot],
    of wanted: Set<PersistentIdentifier>,
    _ schema: Schema
  ) {
    for identifier in wanted {
      if let snapshot = found[identifier] {
        records[identifier] = snapshot
      } else {
        absent.insert(identifier)
      }
    }
    // Their own relationships may be followed next.
    for (name, snapshots) in Dictionary(
      grouping: found.values,
      by: \.persistentIdentifier.entityName
    ) {
      if let entity = schema.entitiesByName[name] { noteBatch(snapshots, entity) }
    }
  }

  private static let batchLimit = 16

  private func noteBatch(_ snapshots: [DefaultSnapshot], _ entity: Schema.Entity) {
    let slots = entity.fields.indices.filter { entity.fields[$0].type.destination != nil }
    guard !slots.isEmpty, snapshots.allSatisfy({ $0.layout == entity.layout }) else { return }
    batches.append(Batch(slots: slots, snapshots: snapshots))
    // Models of earlier fetches are less likely to be followed, and their snapshots need memory.
    if batches.count > Self.batchLimit { batches.removeFirst() }
  }

  /// Checks the invariants of the type; traps if one is violated.
  ///
  /// - Complexity: O(n).
  func checkInvariants() {
    for (identifier, snapshot) in records {
      precondition(!identifier.isTemporary, "other contexts know permanent identifiers only")
      precondition(snapshot.persistentIdentifier == identifier, "a record is under its identifier")
      precondition(!absent.contains(identifier), "a record that is kept exists")
    }
    precondition(!absent.contains(where: \.isTemporary), "only permanent identifiers are looked up")
    for batch in batches {
      let slots = batch.links.map { Array($0.keys) } ?? []
      precondition(slots.allSatisfy(batch.slots.contains), "only relationships have links")
    }
  }
}
