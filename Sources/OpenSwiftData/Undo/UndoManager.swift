import Foundation

/// Remembers how to take things back, with the interface of the class that Foundation lacks on Linux.
///
/// What is registered while no group is open is a group of its own: there is no event loop here that
/// could begin one, so `groupsByEvent` is false and stays so. A target is not held; what is registered
/// for one that is gone is left out. Belongs to one thread.
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

  /// How many actions are kept; 0 for all.
  open var levelsOfUndo = 0 {
    didSet { trim() }
  }

  /// False: there are no events here; setting it changes nothing.
  open var groupsByEvent: Bool {
    get { false }
    set { _ = newValue }
  }

  /// True while an action is being taken back.
  open private(set) var isUndoing = false
  /// True while an action is being done again.
  open private(set) var isRedoing = false

  // MARK: Registering

  /// Remembers what to call to take back what is being done.
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

  /// Ignores what is registered, until `enableUndoRegistration()` was called as often.
  open func disableUndoRegistration() {
    checkpoint()
    disableCount += 1
  }

  /// Takes back one `disableUndoRegistration()`; without one, does nothing.
  open func enableUndoRegistration() {
    checkpoint()
    disableCount = max(0, disableCount - 1)
  }

  // MARK: Groups

  /// The number of groups that are open.
  open var groupingLevel: Int { openGroups.count }

  /// Begins a group: what is registered until it ends is taken back at once.
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

  /// Ends a group; one without actions leaves nothing behind.
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

  /// True when there is something to take back.
  open var canUndo: Bool {
    checkpoint()
    return !undoGroups.isEmpty || openGroups.contains { !$0.items.isEmpty }
  }

  /// True when there is something to do again.
  open var canRedo: Bool {
    checkpoint()
    return !redoGroups.isEmpty
  }

  /// The number of actions that can be taken back.
  open var undoCount: Int {
    checkpoint()
    return undoGroups.count
  }

  /// The number of actions that can be done again.
  open var redoCount: Int {
    checkpoint()
    return redoGroups.count
  }

  /// Ends all open groups and takes back the last one.
  open func undo() {
    guard !isUndoing, !isRedoing else { return }
    while !openGroups.isEmpty { endUndoGrouping() }
    undoNestedGroup()
  }

  /// Takes back the last group that has ended, even within an open one.
  open func undoNestedGroup() {
    guard !isUndoing, !isRedoing else { return }
    checkpoint()
    guard let group = takeLastGroup() else { return }
    post(.NSUndoManagerWillUndoChange)
    // What an open group holds stays out of what is registered now.
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

  /// Does again what was taken back last.
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

  /// Forgets all actions and enables registration.
  open func removeAllActions() {
    checkpoint()
    undoGroups = []
    redoGroups = []
    openGroups = openGroups.map { _ in UndoGroup() }
    disableCount = 0
  }

  /// Forgets the actions of one target.
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

  /// Says whether the group that is being filled, or else the last one, may be forgotten silently.
  open func setActionIsDiscardable(_ discardable: Bool) {
    currentGroup?.isDiscardable = discardable
  }

  private var currentGroup: UndoGroup? {
    openGroups.first ?? (isUndoing ? redoGroups.last : undoGroups.last)
  }

  /// The name of what `undo()` takes back; empty when it has none.
  open var undoActionName: String { (openGroups.first ?? undoGroups.last)?.name ?? "" }
  /// The name of what `redo()` does again; empty when it has none.
  open var redoActionName: String { redoGroups.last?.name ?? "" }
  /// Whether what `undo()` takes back may be forgotten silently.
  open var undoActionIsDiscardable: Bool { undoGroups.last?.isDiscardable ?? false }
  /// Whether what `redo()` does again may be forgotten silently.
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

  /// Lets somebody register what it has gathered before the stack is looked at.
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

/// One that gathers changes and registers them together.
protocol UndoParticipant: AnyObject {
  /// Registers what was changed and not registered yet.
  func registerPendingUndo(with manager: UndoManager)
}
