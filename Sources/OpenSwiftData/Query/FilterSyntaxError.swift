public import Foundation

/// A syntax error in a predicate: its position and what was expected.
public struct FilterSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The position in the text, in characters from 1.
  public let column: Int
  /// What was found and what was expected.
  public let message: String
  /// The kind of the error.
  package var problem = Problem.syntax

  /// The kinds of errors that programs distinguish.
  package enum Problem: Hashable, Sendable {
    /// A field that the entity does not have.
    case unknownField
    /// A parameter without a value.
    case unknownParameter
    /// A text with more parts, or nested deeper, than any that can be read.
    case limit
    /// Any other error.
    case syntax
  }

  /// The message with its position.
  public var description: String { "column \(column): \(message)" }
}

extension FilterSyntaxError: LocalizedError {
  /// The message.
  public var errorDescription: String? { description }
}
