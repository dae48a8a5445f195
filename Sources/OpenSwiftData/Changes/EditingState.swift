public import Foundation

/// Names the context that a request comes from.
public struct EditingState: Identifiable, Hashable, Sendable {
  /// Different for each context.
  public let id: UUID
  /// Stands in the history beside what the context saves.
  public var author: String?

  /// Creates a state.
  public init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}
