import Foundation
package import OpenSwiftData

/// The store that is open, its unsaved changes, and what is known about it: all that opening another store replaces.
///
/// Confined to one thread, like its context.
package struct CurrentStore {
  /// The records and their unsaved changes.
  package let context: ModelContext
  /// Its name on the screen and in messages.
  package let name: String
  /// The location that reopens it; nil if there is none.
  package var location: String?
  /// True if the program was told not to change it.
  package let isReadOnly: Bool
  /// True if it is read-only because it shows a point in its history; other files can be written.
  package var isView = false
  /// Why it cannot be saved although it was not opened read-only; nil if it can.
  let unsavableReason: String?
  /// False if saved records are lost when the program ends.
  package var isLasting = true
  /// True if the records come from a pipe, so that they have no place to be saved to.
  package var isPipe = false
  /// True for the sample of the tour, which is not to be kept.
  package var isForTour = false
  /// The name of a file that does not exist yet; nil for a store that does.
  package var missingFile: String?
  /// A note about the way in which the file is read; nil for none.
  package var readingNote: String?
  /// True if a save that was acknowledged before the store was opened may be lost; a script then does
  /// not end with status 0.
  package var mayHaveLostSave = false
  /// The reason why changes of other programs cannot be merged; nil if they can.
  var readingFailure: String?
  /// True after a save of unknown outcome: the store accepts no more saves.
  var isInDoubt = false
  /// True after a command that may have used the records.
  var hasUsedRecords = false
  /// The recovery files; nil if unsaved changes cannot be kept.
  package var recovery: Recovery? {
    didSet { recovery?.compare(with: context) }
  }
  /// The bundled sample that was inserted into a new store; nil if there is none.
  package var sample: ChangeSet? { didSet { sampleSteps = context.unsavedSchemaSteps } }
  /// The unsaved schema changes that belong to the sample.
  private var sampleSteps: [SchemaStep] = []
  /// The contents of a memory store when it was last copied to another store, and whether it was saved
  /// to since.
  private var copied = MemoryCopy()

  init(
    container: ModelContainer,
    name: String,
    location: String? = nil,
    isReadOnly: Bool,
    unsavableReason: String?,
    author: String?
  ) {
    context = ModelContext(container)
    self.name = name
    self.location = location
    self.isReadOnly = isReadOnly
    self.unsavableReason = unsavableReason
    context.author = author
    context.postsNotifications = false
    context.noteEarlierSaves()
  }

  /// Takes what is known from opening it.
  package mutating func note(_ opened: OpenedStore) {
    isLasting = opened.isLasting
    missingFile = opened.missingFile
    readingNote = opened.readingNote
    mayHaveLostSave = opened.mayHaveLostSave
  }

  /// The path, or the URL without a password; nil in memory.
  package var shownLocation: String? {
    guard let location, LocationText.scheme(of: location) == nil else {
      return location.map(LocationText.withoutPasswords)
    }
    return location.split(separator: ":", maxSplits: 1).last.map(String.init)
  }

  /// How the file is read; nil for a store that can be read in one way only.
  package var reading: FileReading? {
    context.container.stores.lazy.compactMap { ($0 as? any TextBackedStore)?.reading }.first
  }

  /// The stores that can maintain their files.
  var maintainableStores: [any MaintainableStore] {
    context.container.stores.compactMap { $0 as? any MaintainableStore }
  }

  // MARK: Why nothing can be changed

  /// The option that made it read-only, for messages.
  var readOnlyOption: String { isView ? "--at" : "--read-only" }

  /// Why it is read-only, in a few words; nil if changes are possible.
  var shortReadOnlyReason: String? {
    isReadOnly
      ? readOnlyOption
      : unsavableReason ?? maintainableStores.lazy.compactMap(\.readOnlyReason).first
  }

  /// Why nothing can be changed, and what helps; nil if changes are possible.
  package var readOnlyReason: String? {
    if isReadOnly { return "read-only store (opened with \(readOnlyOption))" }
    return unsavableReason.map { "read-only store (\($0)); use saveas FILE and edit the copy" }
  }

  // MARK: Unsaved changes

  /// Tests whether the unsaved changes are exactly the bundled sample.
  var isSampleUntouched: Bool {
    guard let sample, sample.count > 0,
      context.pendingCounts == (inserted: sample.count, updated: 0, deleted: 0),
      context.unsavedSchemaSteps == sampleSteps
    else { return false }
    return Set(context.pendingChanges.inserted) == Set(sample.inserted)
  }

  /// Updates the recovery file to the current unsaved changes.
  ///
  /// - Throws: As `Recovery.keep(_:isSample:)`.
  package func keepEdits() throws {
    guard let recovery else { return }
    // They are kept above all when the program is asked to stop.
    try Interruption.ignored { try recovery.keep(context, isSample: isSampleUntouched) }
  }

  /// Records that all changes were saved; `isElsewhere` tells whether all records were in another store
  /// before, too.
  mutating func noteSaved(isElsewhere: Bool) {
    copied = MemoryCopy(isSavedTo: !isElsewhere)
    // Remove the file immediately, so that a crash right after the save does not offer saved changes.
    // If the file cannot be removed, it is offered once more, which is harmless.
    try? recovery?.noteSaved()
  }

  /// Records that all records were written to another store.
  mutating func noteCopied() {
    copied = MemoryCopy(
      changes: context.pendingChanges,
      schemaSteps: context.unsavedSchemaSteps
    )
  }

  /// True if the changes of records from a pipe, which cannot be saved, are in a copy.
  var isPipeCopied: Bool {
    isPipe && context.hasChanges && copied.schemaSteps == context.unsavedSchemaSteps
      && copied.changes == context.pendingChanges
  }

  /// The number of records that would be lost when a memory store is closed; nil if nothing would be:
  /// the store is on disk, or holds only its initial or copied contents.
  var recordsOnlyHere: Int? {
    guard !isLasting, !isReadOnly, !isForTour, !context.schema.entities.isEmpty else { return nil }
    guard copied.isSavedTo || context.hasChanges,
      copied.isSavedTo || context.unsavedSchemaSteps != copied.schemaSteps
        || context.pendingChanges != copied.changes
    else { return nil }
    // A memory store can always be read.
    return context.schema.entities.reduce(0) {
      $0 + ((try? context.fetchCount(matching: Query($1.name))) ?? 0)
    }
  }

  /// A warning before quitting; nil if nothing would be lost.
  package var leavingWarning: String? {
    if !isLasting {
      return recordsOnlyHere.map {
        (context.hasChanges ? "unsaved changes, and " : "")
          + "\(Self.onlyHere($0)); type saveas FILE to keep them, or quit! to discard them"
      }
    }
    guard context.hasChanges, !isSampleUntouched, !isPipeCopied else { return nil }
    return "unsaved changes: type save to keep them, or quit! to discard them"
  }

  /// `31 records are in memory only`.
  static func onlyHere(_ count: Int) -> String {
    "\(counted(count)) \(count == 1 ? "is" : "are") in memory only"
  }
}

/// The copied contents of a memory store.
private struct MemoryCopy {
  /// The unsaved changes that were copied, too.
  var changes = ChangeSet()
  var schemaSteps: [SchemaStep] = []
  /// True if the store was saved to since the copy.
  var isSavedTo = false
}
