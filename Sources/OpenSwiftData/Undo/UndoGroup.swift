/// A group of actions that are undone together.
final class UndoGroup {
  enum Item {
    case action(UndoAction)
    case group(UndoGroup)
  }

  var items: [Item] = []
  var name = ""
  var isDiscardable = false

  /// Calls all actions, the last first.
  func perform() {
    for item in items.reversed() {
      switch item {
      case .action(let action): action.perform()
      case .group(let group): group.perform()
      }
    }
  }

  func remove(_ target: ObjectIdentifier) {
    items.removeAll { item in
      switch item {
      case .action(let action): return action.identity == target
      case .group(let group):
        group.remove(target)
        return group.items.isEmpty
      }
    }
  }
}

struct UndoAction {
  private weak var target: AnyObject?
  private let handler: (AnyObject) -> Void
  /// The identity of the target, which may be deallocated.
  let identity: ObjectIdentifier

  init(target: AnyObject, handler: @escaping (AnyObject) -> Void) {
    self.target = target
    self.handler = handler
    identity = ObjectIdentifier(target)
  }

  func perform() {
    if let target { handler(target) }
  }
}
