extension Value: Codable {
  /// Reads a value in a form that coders support.
  ///
  /// A date or UUID is read as text or a number, and is converted later to the kind of its property.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    self = try UntypedValue(from: decoder).untyped
  }

  /// Writes the value without its kind.
  public func encode(to encoder: any Encoder) throws {
    try UntypedValue(self).encode(to: encoder)
  }
}
