/// What a context still has to do about what others saved.
///
/// Invariants:
/// 1. All identifiers are permanent: others know no record by a temporary one.
/// 2. A version that was seen stands under the identifier of its record.
struct MergeState {
  /// True while what others saved must not be taken in: it is being taken in, or links are being read.
  var isHeld = false
  /// Records that must be read again before they are used.
  var stale: Set<PersistentIdentifier> = []
  /// Records that were changed here and elsewhere; read again when the changes here are taken back.
  var conflicting: Set<PersistentIdentifier> = []
  /// The versions that the user was shown, and that may be resolved.
  var seen: [PersistentIdentifier: RecordConflict] = [:]

  /// True when nothing has to be read again.
  var isSettled: Bool { stale.isEmpty && conflicting.isEmpty }
}
