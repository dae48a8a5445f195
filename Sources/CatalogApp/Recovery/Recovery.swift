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
  /// Says that a save had written everything that was found; nil otherwise.
  private(set) var savedNote: String?
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
  /// The contents of this run's file for each record, except for those of bulk changes.
  private var kept: [PersistentIdentifier: OwnEdits] = [:]
  /// The bulk changes in this run's file.
  private var groups = OwnGroups()
  /// The schema changes in this run's file.
  private var keptSteps: [SchemaStep] = []
  /// True if this run's file can no longer be appended to.
  private var isBroken = false
  /// Why the unsaved changes are not in this run's file; nil if they are, or if there are none.
  private(set) var problem: String?
  private var storageBytes = 0
  /// Its size after it was last rewritten.
  private var rewrittenBytes = 0
  private var version: String?
  private let encoder = JSONEncoder()

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

  /// Describes the offer for the store that is open, without what a save has written before the program ended.
  func compare(with context: ModelContext) {
    if let store = context.container.stores.first as? any CopyingStore {
      for place in found.indices {
        // A store that cannot be read now cannot tell.
        found[place].leaveOutSaved { try? store.holdsSave($0) }
      }
      forgetSaved()
    }
    offer = RecoveryOffer(
      found,
      version: version,
      store: context.container.stores.first?.identifier
    )
  }

  /// Removes the files if a save has written all their changes.
  private func forgetSaved() {
    guard found.contains(where: \.isSaved),
      found.allSatisfy({ $0.count == 0 && $0.damage == nil })
    else { return }
    let paths = found.map(\.path).joined(separator: " and ")
    savedNote = "the changes in \(paths) were saved before the program ended"
    // A file that cannot be removed is found again at the next start, and compared again.
    try? storage.removeFound()
    found = []
  }

  /// Runs a save, of which this run's file says what the store is about to write.
  ///
  /// - Throws: The error of the save.
  func watching<Result>(_ context: ModelContext, _ save: () throws -> Result) rethrows -> Result {
    // Recovered changes may still be in files of crashed runs only. If they cannot be taken over, they stay there.
    if isRecovered { try? keep(context) }
    let witness = storage.lineWriter.map { write in
      SaveWitness { trace in
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A trace consists of texts and numbers.
        guard let line = try? encoder.encode(RecoveryAttempt(saving: trace)) else { return }
        write(String(decoding: line, as: UTF8.self))
      }
    }
    return try SaveWitness.watching(by: witness, save)
  }

  /// A line for scripts that reports the changes to recover, their location and the command for it; nil
  /// if there are none.
  package var note: String? {
    if let offer {
      return
        "\(offer.title) found in \(found.map(\.path).joined(separator: " and ")); "
        + "run \"recover\" to restore them or \"recover discard\" to discard them"
    }
    if found.isEmpty, let savedNote { return savedNote }
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
  /// - Complexity: O(n) in the number of unsaved changes, those of a bulk change counted as one.
  package func keep(_ context: ModelContext, isSample: Bool = false) throws {
    guard !isSample || isRecovered || ownsReturned else { return try forget() }
    if isRecovered || ownsReturned, isUndone(in: context) { setAside(context) }
    guard context.hasChanges else { return try forget() }
    if !isRecovered, !ownsReturned, isReturned(in: context) {
      isRecovered = true
    }
    do {
      if isRecovered || isBroken || !hasOwnFile || keptSteps != context.unsavedSchemaSteps {
        try rewrite(context)
      } else {
        try append(context)
        if storageBytes > 4 * rewrittenBytes + (1 << 20) { try rewrite(context) }
      }
      problem = nil
    } catch {
      isBroken = true
      problem = Self.sentence(about: error)
      throw error
    }
  }

  /// Says that unsaved changes could not be kept, and why.
  package static func sentence(about error: any Error) -> String {
    "cannot write the recovery file, a crash would lose your unsaved changes: \(errorLine(error))"
  }

  /// Keeps recovered changes that were undone in their own file, which remains until a save.
  private func setAside(_ context: ModelContext) {
    if ownsReturned, let returned {
      // The numbers of new records are valid only within one file. If the earlier lines cannot be
      // restored, the current lines stay: they contain the same changes.
      if returned.found.count == 1 { try? putBack(returned.found[0]) }
      storage.setOwnFileAside()
      found = returned.found
      forgetContents()
    }
    isRecovered = false
    ownsReturned = false
    compare(with: context)
  }

  /// Restores this run's file to the contents that were found at the start.
  private func putBack(_ found: RecoveryFileEdits) throws {
    guard found.header != nil else { return }
    _ = try storage.replace(with: found.lines, takingOver: false)
  }

  /// True if none of the recovered changes is among the changes.
  private func isUndone(in context: ModelContext) -> Bool {
    guard let returned else { return false }
    let steps = context.unsavedSchemaSteps
    guard returned.steps.allSatisfy({ !steps.contains($0) }) else { return false }
    let now = OwnEdits.all(context)
    return returned.edits.keys.allSatisfy { now[$0] == nil || now[$0] == returned.before[$0] }
  }

  /// True if all recovered changes that were undone are among the changes again.
  private func isReturned(in context: ModelContext) -> Bool {
    guard let returned, !returned.edits.isEmpty || !returned.steps.isEmpty else { return false }
    let steps = context.unsavedSchemaSteps
    guard returned.steps.allSatisfy({ steps.contains($0) }) else { return false }
    let now = OwnEdits.all(context)
    return returned.edits.allSatisfy { identifier, edit in
      now[identifier].map { $0.kind == edit.kind && $0.after == edit.after } ?? false
    }
  }

  private func append(_ context: ModelContext) throws {
    let changes = context.separateChanges
    let now = OwnEdits.separate(changes)
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
    guard let bulk = try groups.additions(context, isSeparate: { now[$0] != nil }) else {
      return try rewrite(context)
    }
    edits += bulk.edits
    kept = now
    if !bulk.groups.isEmpty || !bulk.gone.isEmpty {
      // One line, which a crash leaves completely or not at all.
      storageBytes = try storage.append([try batch(edits, bulk, context)])
    } else if !edits.isEmpty {
      let keys = RecoveryLine.keys(of: edits, in: context)
      let grounds = context.grounds
      storageBytes = try storage.append(edits.lazy.map { RecoveryLine.text($0, keys, grounds) })
    } else {
      return
    }
    needsSynchronizing = true
  }

  /// A line about single records and groups.
  private func batch(
    _ edits: [RecoveryLine.Edit],
    _ bulk: OwnGroups.Lines,
    _ context: ModelContext
  ) throws -> String {
    let keys = RecoveryLine.keys(of: edits, in: context)
    let grounds = context.grounds
    var line = RecoveryBatch.prefix
    line += edits.lazy.map { RecoveryLine.text($0, keys, grounds) }.joined(separator: ",")
    line += "],\"gone\":"
    line += try encoded(bulk.gone)
    line += ",\"groups\":"
    line += try encoded(bulk.groups)
    return line + "}"
  }

  private func differs(
    _ identifier: PersistentIdentifier,
    _ now: [PersistentIdentifier: OwnEdits]
  ) -> Bool { kept[identifier] != now[identifier] }

  private func rewrite(_ context: ModelContext) throws {
    let changes = context.separateChanges
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
    let bulk = try groups.all(context)
    edits += bulk.edits
    var heads = [try encoded(first)]
    // The last line about a record counts, and none of those after it is about a record of a group.
    if !bulk.groups.isEmpty { heads.append(try batch([], bulk, context)) }
    // Line by line: all lines together may be larger than the store.
    let keys = RecoveryLine.keys(of: edits, in: context)
    let grounds = context.grounds
    let lines = (0..<heads.count + edits.count).lazy.map {
      $0 < heads.count ? heads[$0] : RecoveryLine.text(edits[$0 - heads.count], keys, grounds)
    }
    storageBytes = try storage.replace(with: lines, takingOver: isRecovered)
    if isRecovered {
      resetFound()
      ownsReturned = true
    }
    rewrittenBytes = storageBytes
    kept = OwnEdits.separate(changes)
    keptSteps = steps
    isBroken = false
    needsSynchronizing = true
  }

  private func encoded(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
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
    forgetContents()
    needsSynchronizing = false
    try storage.removeOwnFile()
    if isRecovered { try removeFound() }
  }

  private func forgetContents() {
    (kept, groups, keptSteps) = ([:], OwnGroups(), [])
    isBroken = false
    problem = nil
  }

  // MARK: Recovery files of crashed runs

  /// Records that the changes that were found are now unsaved changes of this session.
  func noteRecovered(
    hasConflicts: Bool,
    before: [PersistentIdentifier: OwnEdits],
    after: [PersistentIdentifier: OwnEdits],
    steps: [SchemaStep]
  ) {
    isRecovered = true
    returned = RecoveredEdits(
      found: found,
      before: before,
      edits: after.filter { before[$0.key] != $0.value },
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

  /// True if the store has changed since the changes in a file began.
  func isOutdated(_ found: RecoveryFileEdits) -> Bool { found.isOutdated(version) }

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
