extension Value: Codable {
  /// Reads a value in the shape that coders know: what was a date or a UUID comes back as text or a
  /// number, and gets its kind again by the property it belongs to.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    self = try PlainValue(from: decoder).untyped
  }

  /// Writes the value without its kind.
  public func encode(to encoder: any Encoder) throws {
    try PlainValue(self).encode(to: encoder)
  }
}
