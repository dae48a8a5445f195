extension ModelContainer {
  /// The context for the main actor, which saves automatically; see `ModelContext.autosaveEnabled`.
  @MainActor public var mainContext: ModelContext {
    if let held = heldMainContext as? ModelContext { return held }
    let context = ModelContext(self)
    context.bindToMainThread()
    context.autosaveEnabled = true
    heldMainContext = context
    return context
  }
}
