import OpenSwiftData
import Synchronization

extension Effect {
  /// What keys do until it is done.
  var urgency: Urgency {
    if case .ask(let question) = self { question.value.urgency } else { .awaited }
  }

  /// True if Esc stops it like `^C`, because it only reads something for the screen.
  ///
  /// A command is judged by what it does (`LiveRunner`), once its line is read.
  var isStoppedByEscape: Bool {
    switch self {
    case .ask(let question): question.value.isStoppedByEscape
    case .read: true
    default: false
    }
  }

  /// True if a newer effect makes the result of an older one useless.
  func replaces(_ older: Effect) -> Bool {
    guard case .ask(let question) = self, case .ask(let former) = older else { return false }
    return question.value.replaces(former.value)
  }

  /// The name of the work in the progress line.
  var workTitle: String {
    switch self {
    case .perform(let request): request.instruction.command.name
    case .ask(let question): question.value.work
    case .open: "opening"
    case .read, .keepViews, .copy, .edit, .suspend, .redraw, .use, .beginTour, .endTour, .quit:
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
  var isListed: Bool {
    if case .listed? = answer(to: QueryList.self)?.answer { true } else { false }
  }
}

/// A flag that any thread sets and one thread takes.
final class ExternalChangesFlag: Sendable {
  private let isSet = Atomic(false)

  func set() { isSet.store(true, ordering: .releasing) }

  /// Clears the flag; true if it was set.
  func take() -> Bool { isSet.exchange(false, ordering: .acquiring) }
}
