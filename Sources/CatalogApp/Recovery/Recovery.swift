import Foundation
package import OpenSwiftData

/// Keeps the unsaved changes of a session in a recovery file, and recovers those of crashed runs.
///
/// Confined to the thread of its session.
package final class Recovery {
  /// The storage for the changes of this run; nil if they are not kept.
  package var ownPath: String? { isBroken ? nil : storage.ownPath }
  private var hasOwnFile: Bool { storage.ownPath != nil }

  /// The recovery files of crashed runs, oldest first; empty once they were recovered and saved, or
  /// discarded.
  package private(set) var found: [RecoveryFileEdits]
  /// The offer for the screen; nil if there is nothing to recover.
  package private(set) var offer: RecoveryOffer?
  /// True if a crash of the machine would still lose changes in the recovery file.
  package private(set) var needsSynchronizing = false

  private let storage: any RecoveryStorage
  /// True after the changes that were found became unsaved changes of this session.
  private var isRecovered = false
  private var hasConflicts = false
  /// The recovered changes that were neither saved nor discarded yet; nil if there are none.
  private var returned: RecoveredEdits?
  /// True if this run's file contains the recovered changes.
  private var ownsReturned = false
  /// The contents of this run's file for each record.
  private var kept: [PersistentIdentifier: OwnEdits] = [:]
  /// The schema changes in this run's file.
  private var keptSteps: [SchemaStep] = []
  /// True if this run's file can no longer be appended to.
  private var isBroken = false
  private var storageBytes = 0
  /// Its size after it was last rewritten.
  private var rewrittenBytes = 0
  private var version: String?
  private let encoder = JSONEncoder()

  /// A record in the form of this run's file.
  ///
  /// Of the values it has only hashes, since there may be a million records, and these are only compared.
  private struct OwnEdits: Equatable {
    let kind: ModelContext.PendingKind
    let before: Int
    let after: Int

    init(_ kind: ModelContext.PendingKind, before: [Value] = [], after: [Value] = []) {
      self.kind = kind
      self.before = before.hashValue
      self.after = after.hashValue
    }
  }

  /// Recovered changes, by which they are recognized when they are redone after an undo.
  private struct RecoveredEdits {
    let found: [RecoveryFileEdits]
    /// The unsaved changes before the recovery.
    let before: [PersistentIdentifier: OwnEdits]
    /// The recovered changes.
    let edits: [PersistentIdentifier: OwnEdits]
    /// The recovered schema changes.
    let steps: [SchemaStep]
  }

  /// Reads the recovery files of crashed runs.
  package init(_ storage: any RecoveryStorage) {
    self.storage = storage
    found = storage.left.map { RecoveryFileEdits($0) }
      .filter { $0.count > 0 || $0.damage != nil }
    version = storage.storeVersion
    offer = RecoveryOffer(found, version: version, store: nil)
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // These files contain only undone changes; a file that cannot be removed is found again at the next
    // start.
    if found.isEmpty, !storage.left.isEmpty { try? storage.removeFound() }
  }

  /// Describes the offer for the store that is open.
  func compare(with context: ModelContext) {
    offer = RecoveryOffer(
      found,
      version: version,
      store: context.container.stores.first?.identifier
    )
  }

  /// A line for scripts that reports the changes to recover, their location and the command for it; nil
  /// if there are none.
  package var note: String? {
    if let offer {
      return
        "\(offer.title) found in \(found.map(\.path).joined(separator: " and ")); "
        + "run \"recover\" to restore them or \"recover discard\" to discard them"
    }
    return found.first.map {
      "\($0.path): unreadable recovery file (\($0.damage ?? "")); "
        + "run \"recover discard\" to move it out of the way"
    }
  }

  // MARK: Keeping

  /// Updates this run's file to the current unsaved changes.
  ///
  /// The file survives a crash of the program immediately, and a crash of the machine after
  /// `synchronize()`.
  ///
  /// - Parameters:
  ///   - context: The context with the changes.
  ///   - isSample: True if the unsaved changes are only the bundled sample, which is not kept.
  /// - Throws: The error of the storage; the unsaved changes are not affected, and the next call
  ///   rewrites the whole file.
  /// - Complexity: O(n) in the number of records with unsaved changes.
  package func keep(_ context: ModelContext, isSample: Bool = false) throws {
    guard !isSample || isRecovered || ownsReturned else { return try forget() }
    let changes = context.pendingChanges
    if isRecovered || ownsReturned, isUndone(by: changes, context) { setAside(context) }
    guard context.hasChanges else { return try forget() }
    if !isRecovered, !ownsReturned, isReturned(by: changes, context) {
      isRecovered = true
    }
    do {
      if isRecovered || isBroken || !hasOwnFile || keptSteps != context.unsavedSchemaSteps {
        try rewrite(changes, context)
      } else {
        try append(changes)
        if storageBytes > 4 * rewrittenBytes + (1 << 20) { try rewrite(changes, context) }
      }
    } catch {
      isBroken = true
      throw error
    }
  }

  /// Keeps recovered changes that were undone in their own file, which remains until a save.
  private func setAside(_ context: ModelContext) {
    if ownsReturned, let returned {
      // The numbers of new records are valid only within one file. If the earlier lines cannot be
      // restored, the current lines stay: they contain the same changes.
      if returned.found.count == 1 { try? putBack(returned.found[0]) }
      storage.setOwnFileAside()
      found = returned.found
      kept = [:]
      keptSteps = []
      isBroken = false
    }
    isRecovered = false
    ownsReturned = false
    compare(with: context)
  }

  /// Restores this run's file to the contents that were found at the start.
  private func putBack(_ found: RecoveryFileEdits) throws {
    guard let header = found.header else { return }
    let lines = try [encoded(header)] + found.edits.map(encoded)
    _ = try storage.replace(with: lines, takingOver: false)
  }

  /// True if none of the recovered changes is among the changes.
  private func isUndone(by changes: ChangeSet, _ context: ModelContext) -> Bool {
    guard let returned else { return false }
    let steps = context.unsavedSchemaSteps
    guard returned.steps.allSatisfy({ !steps.contains($0) }) else { return false }
    let now = Self.kept(changes)
    return returned.edits.keys.allSatisfy { now[$0] == nil || now[$0] == returned.before[$0] }
  }

  /// True if all recovered changes that were undone are among the changes again.
  private func isReturned(by changes: ChangeSet, _ context: ModelContext) -> Bool {
    guard let returned, !returned.edits.isEmpty || !returned.steps.isEmpty else { return false }
    let steps = context.unsavedSchemaSteps
    guard returned.steps.allSatisfy({ steps.contains($0) }) else { return false }
    let now = Self.kept(changes)
    return returned.edits.allSatisfy { identifier, edit in
      now[identifier].map { $0.kind == edit.kind && $0.after == edit.after } ?? false
    }
  }

  private func append(_ changes: ChangeSet) throws {
    let now = Self.kept(changes)
    var edits: [RecoveryLine.Edit] = []
    for snapshot in changes.inserted where differs(snapshot.persistentIdentifier, now) {
      edits.append(.insert(snapshot))
    }
    for update in changes.updated where differs(update.persistentIdentifier, now) {
      edits.append(.update(update))
    }
    for snapshot in changes.deleted where differs(snapshot.persistentIdentifier, now) {
      edits.append(.delete(snapshot))
    }
    edits += kept.keys.filter { now[$0] == nil }.sorted().map { .none($0) }
    guard !edits.isEmpty else { return }
    storageBytes = try storage.append(edits.lazy.map(RecoveryLine.text))
    kept = now
    needsSynchronizing = true
  }

  private func differs(
    _ identifier: PersistentIdentifier,
    _ now: [PersistentIdentifier: OwnEdits]
  ) -> Bool { kept[identifier] != now[identifier] }

  private func rewrite(_ changes: ChangeSet, _ context: ModelContext) throws {
    if !hasOwnFile { version = storage.storeVersion }
    let steps = context.unsavedSchemaSteps
    let first = RecoveryHeader(
      recovery: RecoveryHeader.currentFormat,
      store: context.container.stores.first?.identifier ?? "",
      version: version,
      schema: version == nil ? context.container.schema : nil,
      steps: steps.isEmpty ? nil : steps,
      process: storage.process
    )
    var edits: [RecoveryLine.Edit] = changes.inserted.map { .insert($0) }
    edits += changes.updated.map { .update($0) }
    edits += (changes.deleted + context.recordsOfRemovedEntities).map { .delete($0) }
    if isRecovered, hasConflicts { _ = try storage.copyFound() }
    let header = try encoded(first)
    // One line after the other: together they may be larger than the store.
    let lines = (0...edits.count).lazy.map { $0 == 0 ? header : RecoveryLine.text(edits[$0 - 1]) }
    storageBytes = try storage.replace(with: lines, takingOver: isRecovered)
    if isRecovered {
      resetFound()
      ownsReturned = true
    }
    rewrittenBytes = storageBytes
    kept = Self.kept(changes)
    keptSteps = steps
    isBroken = false
    needsSynchronizing = true
  }

  private func encoded(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private static func kept(_ changes: ChangeSet) -> [PersistentIdentifier: OwnEdits] {
    var kept: [PersistentIdentifier: OwnEdits] = [:]
    kept.reserveCapacity(changes.count)
    for snapshot in changes.inserted {
      kept[snapshot.persistentIdentifier] =
        OwnEdits(.inserted, after: snapshot.orderedValues)
    }
    for update in changes.updated {
      kept[update.persistentIdentifier] =
        OwnEdits(
          .updated,
          before: update.before.orderedValues,
          after: update.after.orderedValues
        )
    }
    for snapshot in changes.deleted {
      kept[snapshot.persistentIdentifier] =
        OwnEdits(.deleted, before: snapshot.orderedValues)
    }
    return kept
  }

  /// Makes the recovery file survive a crash of the machine.
  package func synchronize() throws {
    guard needsSynchronizing else { return }
    needsSynchronizing = false
    try storage.synchronize()
  }

  /// Updates the recovery files when the store is closed.
  ///
  /// Unsaved changes are discarded; recovered changes that were undone are offered again.
  package func leave(_ context: ModelContext) throws {
    if context.hasChanges { try forget() } else { try keep(context) }
  }

  /// Removes the changes that a save has written, or that were undone before it.
  func noteSaved() throws {
    let isAside = returned != nil && !isRecovered
    returned = nil
    ownsReturned = false
    try forget()
    if isAside, !found.isEmpty { try removeFound() }
  }

  /// Removes this run's file and the changes recovered into this session, because they were saved or
  /// discarded.
  package func forget() throws {
    kept = [:]
    keptSteps = []
    needsSynchronizing = false
    isBroken = false
    try storage.removeOwnFile()
    if isRecovered { try removeFound() }
  }

  // MARK: Recovery files of crashed runs

  /// Records that the changes that were found are now unsaved changes of this session.
  func noteRecovered(
    hasConflicts: Bool,
    before: ChangeSet,
    after: ChangeSet,
    steps: [SchemaStep]
  ) {
    isRecovered = true
    let former = Self.kept(before)
    returned = RecoveredEdits(
      found: found,
      before: former,
      edits: Self.kept(after).filter { former[$0.key] != $0.value },
      steps: steps
    )
    self.hasConflicts = hasConflicts
  }

  /// True if the changes have been recovered and are not saved yet.
  var hasRecovered: Bool { isRecovered }

  /// Keeps files whose changes do not apply where they are, for the next start.
  func keepFiles(_ files: [RecoveryFileEdits]) {
    let paths = Set(files.map(\.path))
    storage.keepFiles(paths)
    found.removeAll { paths.contains($0.path) }
  }

  /// Removes the files that were found, because the store already contains their changes.
  func removeFound() throws {
    if hasConflicts { _ = try storage.copyFound() }
    try storage.removeFound()
    resetFound()
  }

  /// Moves the files that were found aside.
  ///
  /// - Returns: Their new paths.
  func discardFound() throws -> [String] {
    let paths = try storage.setFoundAside()
    resetFound()
    returned = nil
    return paths
  }

  private func resetFound() {
    found = []
    offer = nil
    isRecovered = false
    hasConflicts = false
  }
}
