/// The number typed before a key.
struct TypedCount: Hashable, Sendable {
  /// The number; nil if none is typed.
  private(set) var value: Int?

  private static let most = 1_000_000_000

  /// Takes a key that is a digit of the number; false for any other key.
  mutating func take(_ key: Key) -> Bool {
    guard let digit = key.typed?.wholeNumberValue, key.typed?.isASCII == true,
      digit > 0 || value != nil
    else { return false }
    value = min((value ?? 0) * 10 + digit, Self.most)
    return true
  }

  /// Forgets the number and returns it.
  mutating func use() -> Int? {
    defer { value = nil }
    return value
  }

  /// Draws the number in the message line while that is empty.
  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    guard let value, host.messages.shown == nil else { return }
    canvas.write("\(value)", at: Point(x: 0, y: host.layout.messageLine), role: .message)
  }
}
