import Foundation
import SwiftData

/// A model with constants, as in packages in Swift 5 mode; the compiler warns of each.
@Model
public final class Ticket {
  /// Never changed.
  public let code: String
  /// Never changed.
  public let issued: Date?
  /// Changed at will.
  public var holder: String

  /// Creates a ticket.
  public init(code: String, issued: Date?, holder: String) {
    self.code = code
    self.issued = issued
    self.holder = holder
  }
}
