import CatalogApp

/// The events that have happened but were not read yet, in order.
struct EventQueue {
  private var events: [InputEvent] = []
  private var head = 0

  /// True if no event is waiting.
  var isEmpty: Bool { head == events.count }

  /// True if the event is waiting.
  func contains(_ event: InputEvent) -> Bool { events[head...].contains(event) }

  /// True if a size is waiting.
  var holdsSize: Bool {
    events[head...].contains { event in
      if case .resize = event { return true }
      return false
    }
  }

  /// Adds an event at the end.
  mutating func append(_ event: InputEvent) { events.append(event) }

  /// Adds events at the end.
  mutating func append(contentsOf new: [InputEvent]) { events.append(contentsOf: new) }

  /// Adds a size and removes earlier ones: only the last counts.
  mutating func append(resize size: Size) {
    let waiting = events[head...].filter { event in
      if case .resize = event { return false }
      return true
    }
    events = waiting + [.resize(size)]
    head = 0
  }

  /// Removes and returns the first event.
  ///
  /// - Complexity: O(1), amortized.
  mutating func popFirst() -> InputEvent? {
    guard head < events.count else { return nil }
    let event = events[head]
    head += 1
    if head == events.count { removeAll() }
    return event
  }

  /// Removes all events.
  mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    head = 0
  }
}
