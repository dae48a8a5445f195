import SwiftData

/// A class as in public projects: its parts without effect cause warnings, not errors.
@Model
public final class Gadget {
  /// Not persisted.
  public let kind = "gadget"
  /// Persisted, though its observers are never called.
  public var name: String {
    willSet { changes += 1 }
    didSet { changes += 1 }
  }
  /// With a default value.
  public var weight = 1.5 { didSet { changes += 1 } }
  /// How often an observer was called.
  @Transient public var changes = 0

  /// Creates a gadget.
  public init(name: String) { self.name = name }
}
