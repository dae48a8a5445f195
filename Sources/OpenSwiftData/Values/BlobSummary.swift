import Foundation

/// What is shown of a blob, the bytes of an attribute with the option `.blob`: their number and the first of them.
///
/// ```swift
/// print(BlobSummary(base64: cover))  // 12 kB  89 50 4e 47 0d 0a 1a 0a …
/// ```
///
/// **Threads.** A summary is a value and can be sent anywhere.
public struct BlobSummary: Hashable, Sendable, CustomStringConvertible {
  /// The greatest number of bytes in `beginning`.
  public static let shownCount = 8

  /// The number of bytes.
  public let count: Int
  /// The first bytes, up to `shownCount`.
  public let beginning: [UInt8]

  /// Describes bytes; only the first ones of `beginning` are kept.
  public init(count: Int, beginning: some Sequence<UInt8>) {
    self.count = count
    self.beginning = Array(beginning.prefix(Self.shownCount))
  }

  /// Describes the bytes of a text in base 64, of which only the beginning is decoded; nil for text that is not in
  /// base 64 as far as that shows.
  ///
  /// - Complexity: O(1) for text in UTF-8.
  public init?(base64 text: String) {
    let length = text.utf8.count
    let padding = text.utf8.suffix(2).count { $0 == UInt8(ascii: "=") }
    // Twelve characters are nine bytes.
    let start = String(decoding: text.utf8.prefix(12), as: UTF8.self)
    guard length.isMultiple(of: 4), let bytes = Data(base64Encoded: start) else { return nil }
    self.init(count: length / 4 * 3 - padding, beginning: bytes)
  }

  /// The number in the unit that fits, and the first bytes in hexadecimal digits: `12 kB  89 50 4e 47 …`.
  public var description: String {
    let digits = beginning.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    let rest = count > beginning.count && !beginning.isEmpty ? ["…"] : []
    return ([Self.size(count) + (digits.isEmpty ? "" : " ")] + digits + rest)
      .joined(separator: " ")
  }

  /// A number of bytes in words, such as `812 B` and `1.2 MB`.
  private static func size(_ count: Int) -> String {
    var (number, unit) = (Double(count), 0)
    // 999.5 would be rounded to 1000.
    while number >= 999.5, unit < units.count - 1 { (number, unit) = (number / 1000, unit + 1) }
    let tenths = (number * 10).rounded()
    let isShort = unit > 0 && tenths < 100
    let text = isShort ? "\(Int(tenths) / 10).\(Int(tenths) % 10)" : "\(Int(number.rounded()))"
    return "\(text) \(units[unit])"
  }

  private static let units = ["B", "kB", "MB", "GB", "TB"]
}
