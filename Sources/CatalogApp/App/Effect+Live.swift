import OpenSwiftData
import Synchronization

extension Effect {
  /// True if keys need not wait for its result, which only adds to what is shown.
  var isOnlyForShow: Bool {
    if case .countMatches = self { return true }
    return false
  }

  /// True if typing goes on while it is performed, because more text replaces it.
  var isReplacedByTyping: Bool {
    switch self {
    case .query, .search, .rows: true
    default: false
    }
  }

  /// True if a newer effect makes the result of an older one useless.
  func replaces(_ older: Effect) -> Bool {
    switch (self, older) {
    case (.query, .query), (.search, .search), (.countMatches, .countMatches): true
    default: false
    }
  }

  /// What the effect does, for the line that shows how far it is.
  var workTitle: String {
    switch self {
    case .perform(let request): request.instruction.command.name
    case .query(let spec, _): spec.filter == .all && spec.text == nil ? "listing" : "filtering"
    case .rows: "reading"
    case .search, .countMatches: "searching"
    case .countValues, .listValues: "counting values"
    case .choose, .identify, .copyMarked: "collecting records"
    case .readHistory: "reading the history"
    case .open: "opening"
    case .read, .listFiles, .copy, .edit, .suspend, .redraw, .quit: "working"
    }
  }
}

extension InputEvent {
  /// True for `^C` and Esc.
  var asksToStop: Bool { self == .interrupt || self == .key(.escape) }
}

extension AppMessage {
  /// True if the list has changed.
  var isQueried: Bool {
    if case .queried = self { return true }
    return false
  }
}

/// Set on any thread, and taken by one.
final class NewsMark: Sendable {
  private let isSet = Atomic(false)

  func set() { isSet.store(true, ordering: .releasing) }

  /// Clears the mark; true if it was set.
  func take() -> Bool { isSet.exchange(false, ordering: .acquiring) }
}
