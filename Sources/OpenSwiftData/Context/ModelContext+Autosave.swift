import Dispatch

/// Automatic saving and other work after changes.
extension ModelContext {
  /// True when changes are saved automatically, without a call to `save()`.
  ///
  /// True by default for the main context of a container, false for all others.
  ///
  /// A context saves automatically at these moments:
  /// - for the main context, and for one whose autosave is switched on on the main thread: in the next turn
  ///   of the main queue after a change. The context never saves this way in a program that never runs the
  ///   main queue. The same holds for a context, other than the main one, that another thread has used since;
  /// - for the context of a `ModelActor`: at the end of each job of its executor, that is, when the actor is
  ///   idle or awaits something; consecutive calls may form one job;
  /// - for any other context: never, because it is not known when it is idle.
  ///
  /// A context does not save when it is deallocated. A failed autosave loses nothing: the changes stay
  /// unsaved, `autosaveFailure` contains the error, and the next change triggers another attempt.
  public var autosaveEnabled: Bool {
    get { surroundings.autosaveEnabled }
    set {
      surroundings.autosaveEnabled = newValue
      guard newValue else { return }
      if case .nobody = confinement.owner, MainQueue.isCurrent {
        bindToMainThread(untilHandedOver: true)
      }
      surroundings.scheduleTick = { [weak self] in self?.scheduleTick() }
      surroundings.isArmed = true
      if hasChanges { surroundings.noteChange() }
    }
  }

  /// The error of the last autosave; nil if it succeeded.
  public var autosaveFailure: (any Error)? { surroundings.autosaveFailure }

  /// Schedules an automatic save if the context belongs to the main thread.
  private func scheduleTick() {
    switch confinement.owner {
    case .nobody, .executor: break
    case .main, .autosaving:
      surroundings.isTickScheduled = true
      let context = UncheckedContext(self)
      DispatchQueue.main.async { context.value?.tick() }
    }
  }

  /// Merges the changes of other contexts and saves; called when the context is idle.
  ///
  /// Waits until a function that uses the main context on another thread has paused.
  func tick() {
    let isLent = confinement.isOfMainQueue && confinement.takeLoan()
    let hasRun =
      !isLent
      && confinement.whenResting {
        surroundings.isTickScheduled = false
        mergeAndAutosave()
      }
    guard !hasRun, confinement.isOfMainQueue else { return }
    let context = UncheckedContext(self)
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(100)) { context.value?.tick() }
  }

  private func mergeAndAutosave() {
    let surroundings = surroundings
    merging.mergeChanges()
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
