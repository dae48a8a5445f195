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
      DispatchQueue.main.async { context.value?.tickOnMainQueue() }
    }
  }

  /// Merges the changes of other contexts and saves; called when the context is idle.
  ///
  /// - Returns: False if nothing was done, because another thread uses the context, or has used it just now.
  @discardableResult
  func tick() -> Bool {
    confinement.whenResting {
      surroundings.isTickScheduled = false
      mergeAndAutosave()
    }
  }

  /// Does the same on the main queue, as soon as no other thread has used the context for a while.
  ///
  /// A function that the main actor awaits may use the main context, and be suspended in between; what it has done so far
  /// is not to be saved before the rest.
  func tickOnMainQueue(isDelayed: Bool = false) {
    if surroundings.hasDelayedTick, !isDelayed { return }
    surroundings.hasDelayedTick = !tick()
    guard surroundings.hasDelayedTick else { return }
    let context = UncheckedContext(self)
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(100)) {
      context.value?.tickOnMainQueue(isDelayed: true)
    }
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
