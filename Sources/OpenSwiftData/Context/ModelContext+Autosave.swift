import Dispatch

/// Saving without being asked, and what else happens after changes.
extension ModelContext {
  /// True when changes are saved without `save()`; true for the main context of a container, else false.
  ///
  /// The moments are:
  /// - for the main context, and for one whose autosave is switched on on the main thread: the next turn
  ///   of the main queue after a change. A program that never lets the main queue run never saves this
  ///   way, and neither does a context, other than the main one, that another thread has used since;
  /// - for the context of a `ModelActor`: the end of each job of its executor, that is when the actor has
  ///   nothing to do or awaits something; calls that follow each other may be one job;
  /// - for any other context, never: nobody knows when it rests.
  ///
  /// A context that goes away does not save. A failed autosave loses nothing: the changes stay, the
  /// error stands in `autosaveFailure`, and the next change leads to another attempt.
  public var autosaveEnabled: Bool {
    get { surroundings.autosaveEnabled }
    set {
      surroundings.autosaveEnabled = newValue
      guard newValue else { return }
      if case .nobody = confinement.owner, MainQueue.isCurrent {
        bindToMainThread(untilHandedOver: true)
      }
      surroundings.isArmed = true
      if hasChanges { noteChange() }
    }
  }

  /// Why the last autosave failed; nil when it worked.
  public var autosaveFailure: (any Error)? { surroundings.autosaveFailure }

  /// Tells of a change those who wait for one; costs nothing when nobody does.
  @inline(__always)
  func noteChange() {
    if surroundings.isArmed { tellChange() }
  }

  private func tellChange() {
    let surroundings = surroundings
    surroundings.isArmed = false
    surroundings.tellObservers()
    guard surroundings.autosaveEnabled, !surroundings.isTickScheduled else { return }
    switch confinement.owner {
    case .nobody, .executor: break
    case .main, .autosaving:
      surroundings.isTickScheduled = true
      let context = UncheckedContext(self)
      DispatchQueue.main.async { context.value?.tick() }
    }
  }

  /// What happens when the context rests: it takes in what others saved, and saves.
  func tick() {
    surroundings.isTickScheduled = false
    confinement.whenResting(mergeAndAutosave)
  }

  private func mergeAndAutosave() {
    let surroundings = surroundings
    mergePendingExternalChanges()
    guard surroundings.autosaveEnabled else { return }
    surroundings.isArmed = true
    guard hasChanges, !surroundings.isSaving else { return }
    do {
      try save()
      surroundings.autosaveFailure = nil
    } catch {
      surroundings.autosaveFailure = error
    }
  }
}
