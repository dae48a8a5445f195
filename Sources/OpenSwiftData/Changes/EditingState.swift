public import Foundation

/// Identifies the context that makes a request.
public struct EditingState: Identifiable, Hashable, Sendable {
  /// An identifier that is unique for each context.
  public let id: UUID
  /// The author recorded in the history with the changes that the context saves.
  public var author: String?
  /// The message recorded in the history with the next save, by stores that keep messages.
  public var message: String?

  /// Creates a state.
  public init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}
