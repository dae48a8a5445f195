import Foundation

/// Records actions for undo and redo, with the API of the class that Foundation lacks on Linux.
///
/// An action registered while no group is open forms its own group: there is no event loop that could begin
/// one, so `groupsByEvent` is always false. Targets are not retained; actions of deallocated targets are
/// skipped. A manager belongs to one thread.
open class UndoManager {
  private var undoGroups: [UndoGroup] = []
  private var redoGroups: [UndoGroup] = []
  /// The groups that are being filled, the outermost first.
  private var openGroups: [UndoGroup] = []
  private var disableCount = 0
  private var participants: [Participant] = []
  private var isTellingParticipants = false

  private struct Participant {
    weak var value: (any UndoParticipant)?
  }

  /// Creates a manager without actions.
  public init() {}

  /// The maximum number of actions; 0 for no limit.
  open var levelsOfUndo = 0 {
    didSet { trim() }
  }

  /// False, because there are no events; setting it has no effect.
  open var groupsByEvent: Bool {
    get { false }
    set { _ = newValue }
  }

  /// True while an action is being undone.
  open private(set) var isUndoing = false
  /// True while an action is being redone.
  open private(set) var isRedoing = false

  // MARK: Registering

  /// Registers the function that undoes the current change.
  open func registerUndo<Target: AnyObject>(
    withTarget target: Target,
    handler: @escaping (Target) -> Void
  ) {
    guard isUndoRegistrationEnabled else { return }
    if !isUndoing, !isRedoing { redoGroups = [] }
    let isAlone = openGroups.isEmpty
    if isAlone { openGroup() }
    openGroups.last?.items.append(
      .action(
        UndoAction(target: target) { target in
          if let target = target as? Target { handler(target) }
        }
      )
    )
    if isAlone { closeGroup() }
  }

  /// True unless registration is disabled.
  open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

  /// Ignores registrations until `enableUndoRegistration()` was called equally often.
  open func disableUndoRegistration() {
    checkpoint()
    disableCount += 1
  }

  /// Reverses one call of `disableUndoRegistration()`; without one, does nothing.
  open func enableUndoRegistration() {
    checkpoint()
    disableCount = max(0, disableCount - 1)
  }

  // MARK: Groups

  /// The number of open groups.
  open var groupingLevel: Int { openGroups.count }

  /// Begins a group; all actions registered until it ends are undone together.
  open func beginUndoGrouping() {
    checkpoint()
    openGroup()
    post(.NSUndoManagerDidOpenUndoGroup)
  }

  /// Ends the group that was begun last; without one, does nothing.
  open func endUndoGrouping() {
    guard !openGroups.isEmpty else { return }
    checkpoint()
    post(.NSUndoManagerWillCloseUndoGroup)
    closeGroup()
    post(.NSUndoManagerDidCloseUndoGroup)
  }

  private func openGroup() { openGroups.append(UndoGroup()) }

  /// Ends a group; an empty group is discarded.
  private func closeGroup() {
    guard let group = openGroups.popLast(), !group.items.isEmpty else { return }
    if let outer = openGroups.last {
      outer.items.append(.group(group))
    } else if isUndoing {
      redoGroups.append(group)
    } else {
      undoGroups.append(group)
    }
    trim()
  }

  private func trim() {
    guard levelsOfUndo > 0 else { return }
    undoGroups.removeFirst(max(0, undoGroups.count - levelsOfUndo))
    redoGroups.removeFirst(max(0, redoGroups.count - levelsOfUndo))
  }

  // MARK: Undoing

  /// True when there is an action to undo.
  open var canUndo: Bool {
    checkpoint()
    return !undoGroups.isEmpty || openGroups.contains { !$0.items.isEmpty }
  }

  /// True when there is an action to redo.
  open var canRedo: Bool {
    checkpoint()
    return !redoGroups.isEmpty
  }

  /// The number of actions that can be undone.
  open var undoCount: Int {
    checkpoint()
    return undoGroups.count
  }

  /// The number of actions that can be redone.
  open var redoCount: Int {
    checkpoint()
    return redoGroups.count
  }

  /// Ends all open groups and undoes the last one.
  open func undo() {
    guard !isUndoing, !isRedoing else { return }
    while !openGroups.isEmpty { endUndoGrouping() }
    undoNestedGroup()
  }

  /// Undoes the last ended group, even within an open one.
  open func undoNestedGroup() {
    guard !isUndoing, !isRedoing else { return }
    checkpoint()
    guard let group = takeLastGroup() else { return }
    post(.NSUndoManagerWillUndoChange)
    // The actions of open groups are kept separate from those registered now.
    let outer = openGroups
    openGroups = []
    isUndoing = true
    perform(group)
    isUndoing = false
    openGroups = outer
    post(.NSUndoManagerDidUndoChange)
  }

  private func takeLastGroup() -> UndoGroup? {
    guard let open = openGroups.last else { return undoGroups.popLast() }
    guard case .group(let group)? = open.items.last else { return nil }
    open.items.removeLast()
    return group
  }

  /// Redoes the group that was undone last.
  open func redo() {
    guard !isUndoing, !isRedoing else { return }
    checkpoint()
    guard openGroups.isEmpty, let group = redoGroups.popLast() else { return }
    post(.NSUndoManagerWillRedoChange)
    isRedoing = true
    perform(group)
    isRedoing = false
    post(.NSUndoManagerDidRedoChange)
  }

  private func perform(_ group: UndoGroup) {
    openGroup()
    openGroups.last?.name = group.name
    openGroups.last?.isDiscardable = group.isDiscardable
    group.perform()
    checkpoint(isOwnWork: true)
    while !openGroups.isEmpty { closeGroup() }
  }

  // MARK: Forgetting

  /// Removes all actions and enables registration.
  open func removeAllActions() {
    checkpoint()
    undoGroups = []
    redoGroups = []
    openGroups = openGroups.map { _ in UndoGroup() }
    disableCount = 0
  }

  /// Removes the actions of one target.
  open func removeAllActions(withTarget target: Any) {
    checkpoint()
    let identity = ObjectIdentifier(target as AnyObject)
    for group in undoGroups + redoGroups + openGroups { group.remove(identity) }
    undoGroups.removeAll { $0.items.isEmpty }
    redoGroups.removeAll { $0.items.isEmpty }
  }

  // MARK: Names

  /// Names the group that is being filled, or else the last one.
  open func setActionName(_ actionName: String) {
    checkpoint()
    currentGroup?.name = actionName
  }

  /// Sets whether the group that is being filled, or else the last one, may be discarded silently.
  open func setActionIsDiscardable(_ discardable: Bool) {
    currentGroup?.isDiscardable = discardable
  }

  private var currentGroup: UndoGroup? {
    openGroups.first ?? (isUndoing ? redoGroups.last : undoGroups.last)
  }

  /// The name of the action that `undo()` undoes; empty if it has none.
  open var undoActionName: String { (openGroups.first ?? undoGroups.last)?.name ?? "" }
  /// The name of the action that `redo()` redoes; empty if it has none.
  open var redoActionName: String { redoGroups.last?.name ?? "" }
  /// True when the action that `undo()` undoes may be discarded silently.
  open var undoActionIsDiscardable: Bool { undoGroups.last?.isDiscardable ?? false }
  /// True when the action that `redo()` redoes may be discarded silently.
  open var redoActionIsDiscardable: Bool { redoGroups.last?.isDiscardable ?? false }

  /// `Undo` and the name.
  open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
  /// `Redo` and the name.
  open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

  /// `Undo` and the name.
  open func undoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Undo" : "Undo \(actionName)"
  }

  /// `Redo` and the name.
  open func redoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Redo" : "Redo \(actionName)"
  }

  // MARK: Participants

  /// Adds a participant, which registers its collected changes before the stack is read.
  func add(_ participant: any UndoParticipant) {
    participants.removeAll { $0.value == nil || $0.value === participant }
    participants.append(Participant(value: participant))
  }

  func remove(_ participant: any UndoParticipant) {
    participants.removeAll { $0.value == nil || $0.value === participant }
    removeAllActions(withTarget: participant)
  }

  private func checkpoint(isOwnWork: Bool = false) {
    guard !isTellingParticipants, isOwnWork || (!isUndoing && !isRedoing) else { return }
    isTellingParticipants = true
    for participant in participants { participant.value?.registerPendingUndo(with: self) }
    isTellingParticipants = false
    post(.NSUndoManagerCheckpoint)
  }

  private func post(_ name: Notification.Name) {
    NotificationCenter.default.post(name: name, object: self)
  }
}

/// An object that collects changes and registers them together.
protocol UndoParticipant: AnyObject {
  /// Registers the changes that are not registered yet.
  func registerPendingUndo(with manager: UndoManager)
}
