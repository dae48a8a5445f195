/// The changes saved by other contexts that a context has not merged completely.
///
/// Invariants:
/// 1. All identifiers are permanent: other contexts know no record by a temporary one.
/// 2. A version that was seen is stored under the identifier of its record.
struct MergeState {
  /// True while changes of other contexts must not be merged, because a merge is in progress or links are
  /// being read.
  var isHeld = false
  /// Records that must be reloaded before they are used.
  var stale: Set<PersistentIdentifier> = []
  /// Records that were changed both here and elsewhere; reloaded when the changes here are undone.
  var conflicting: Set<PersistentIdentifier> = []
  /// The conflicting versions that the user has seen and may resolve.
  var seen: [PersistentIdentifier: RecordConflict] = [:]

  /// True when no record needs to be reloaded.
  var isSettled: Bool { stale.isEmpty && conflicting.isEmpty }
}
