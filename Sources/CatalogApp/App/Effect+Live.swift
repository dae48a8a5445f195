import OpenSwiftData
import Synchronization

extension Effect {
  /// True if keys need not wait for the result, which only adds information to the screen.
  var isOnlyForShow: Bool {
    switch self {
    case .countMatches, .countGroups, .countOn, .readClock, .readDetails: true
    default: false
    }
  }

  /// True if typing continues while it runs, because later text replaces it.
  var isReplacedByTyping: Bool {
    switch self {
    case .query, .search, .rows, .listRecords, .searchValues: true
    default: false
    }
  }

  /// True if Esc stops it like `^C`, because it only reads something for the screen.
  ///
  /// A command is judged by what it does (`LiveRunner`). Listing all records around the current one, as after Esc has
  /// cleared the filter, goes on: the next Esc clears the next thing.
  var isStoppedByEscape: Bool {
    switch self {
    case .perform, .read, .open: false
    case .query(let spec, let kept, _):
      spec.filter != .all || spec.text != nil || !spec.sort.isEmpty || kept == nil
    default: true
    }
  }

  /// True if it lists what a text may be completed to, which typing makes useless.
  var isCompletion: Bool {
    switch self {
    case .listTitles, .listValues, .listFiles, .listStoredViews: true
    default: false
    }
  }

  /// True if a newer effect makes the result of an older one useless.
  func replaces(_ older: Effect) -> Bool {
    switch (self, older) {
    case (.query, .query), (.search, .search), (.countMatches, .countMatches),
      (.countOn, .countOn), (.countGroups, .countGroups), (.readDetails, .readDetails),
      (.listRecords, .listRecords), (.listTitles, .listTitles), (.listValues, .listValues),
      (.query, .listTitles), (.query, .listValues), (.searchValues, .searchValues):
      true
    default: false
    }
  }

  /// The name of the work in the progress line.
  var workTitle: String {
    switch self {
    case .perform(let request): request.instruction.command.name
    case .query(let spec, _, _): spec.filter == .all && spec.text == nil ? "listing" : "filtering"
    case .countOn, .count: "counting"
    case .rows: "reading"
    case .search, .countMatches: "searching"
    case .listRecords, .searchValues: "searching"
    case .countValues, .countGroups, .listValues, .listTitles, .describeColumns, .listMembers,
      .checkPaths, .findTitle:
      "counting values"
    case .choose, .identify, .copyMarked, .readMarked: "collecting records"
    case .readHistory: "reading the history"
    case .readChanges: "collecting changes"
    case .readDetails: "reading related records"
    case .locate: "finding the record"
    case .open: "opening"
    case .keepViews, .read, .readClock, .listFiles, .listStoredViews, .copy, .edit, .suspend,
      .redraw, .use, .quit:
      "working"
    }
  }
}

extension InputEvent {
  /// True for a key that types or deletes text.
  var isTyping: Bool {
    switch self {
    case .key(let key): key.typed != nil || key == .backspace
    case .paste: true
    default: false
    }
  }

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

/// A flag that any thread sets and one thread takes.
final class ExternalChangesFlag: Sendable {
  private let isSet = Atomic(false)

  func set() { isSet.store(true, ordering: .releasing) }

  /// Clears the flag; true if it was set.
  func take() -> Bool { isSet.exchange(false, ordering: .acquiring) }
}
