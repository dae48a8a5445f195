public import SwiftData

/// A model of a module whose declarations are on the main actor by default.
@Model
public final class Reminder {
  /// What to do.
  public var title: String
  /// How urgent it is.
  public var urgency: Urgency = Urgency.normal
  /// The result of the reminder.
  @Relationship(deleteRule: .cascade, inverse: \Step.reminder) public var steps: [Step] = []
  /// Whether it is shown.
  @Transient public var isExpanded = false

  /// Creates a reminder.
  public init(title: String) { self.title = title }
}

/// A part of a reminder.
@Model
public final class Step {
  /// What to do.
  public var title: String
  /// The reminder that contains the step.
  public var reminder: Reminder?

  /// Creates a step.
  public init(title: String) { self.title = title }
}

/// How urgent a reminder is.
public nonisolated enum Urgency: String, Codable, Sendable {
  /// As urgent as others.
  case normal
  /// First.
  case high
}
