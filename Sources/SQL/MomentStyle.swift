package import Foundation
import OpenSwiftData

/// The way in which the moments of a column are written: `2009-05-29 18:30:00`, `2009-05-29T18:30:00.125Z`.
package struct MomentStyle: Hashable, Sendable {
  /// `T` or a space.
  var separator: Character
  /// Empty, `Z` or `+00:00`; all are UTC.
  var suffix: String
  /// The number of fractional digits; nil for as many as the moment needs.
  var digits: Int?
  /// True if a fraction of zero is left out.
  var omitsZero: Bool

  /// The style of tables of our own.
  ///
  /// The suffix sorts before every digit and before the period, as `Z` does not: so texts sort as the moments do.
  package static let own = MomentStyle(
    separator: "T",
    suffix: "+00:00",
    digits: nil,
    omitsZero: true
  )

  init(separator: Character, suffix: String, digits: Int?, omitsZero: Bool) {
    self.separator = separator
    self.suffix = suffix
    self.digits = digits
    self.omitsZero = omitsZero
  }

  /// The style of all these texts; nil if they have none in common or are not moments.
  package init?(of texts: [String]) {
    guard let first = texts.first, first.utf8.count >= 19 else { return nil }
    let separator = first[first.index(first.startIndex, offsetBy: 10)]
    let suffix = ["Z", "+00:00"].first { first.hasSuffix($0) } ?? ""
    guard separator == " " || separator == "T" else { return nil }
    let counts = texts.map { text in
      text.utf8.count - suffix.utf8.count - 20
    }
    let most = counts.max() ?? -1
    self.init(
      separator: separator,
      suffix: suffix,
      digits: max(most, 0),
      omitsZero: counts.contains(-1)
    )
    guard texts.allSatisfy({ date(of: $0) != nil }) else { return nil }
  }

  /// True if texts sort as the moments do.
  package var isOrdered: Bool { suffix != "Z" || !omitsZero }

  /// The moment; nil for a text in another style.
  package func date(of text: String) -> Date? {
    guard let date = Timestamp.date(from: text) else { return nil }
    return isOfWholeSeconds(text) || self.text(of: date) == text ? date : nil
  }

  /// The moment of a text of our own tables without a fraction; nil for other texts.
  package static func ownDate(ofWholeSeconds bytes: UnsafeBufferPointer<UInt8>) -> Date? {
    // Byte by byte, because a comparison of collections would take longer than all the rest.
    guard bytes.count == 25, bytes[10] == UInt8(ascii: "T"), bytes[19] == UInt8(ascii: "+"),
      bytes[20] == 48, bytes[21] == 48, bytes[22] == UInt8(ascii: ":"), bytes[23] == 48,
      bytes[24] == 48
    else { return nil }
    return Timestamp.wholeSeconds(UnsafeBufferPointer(rebasing: bytes[..<19]))
  }

  /// Appends the bytes of such a text; false for a moment with a fraction, or one of other years.
  package static func append(own date: Date, to bytes: inout [UInt8]) -> Bool {
    guard Timestamp.append(wholeSeconds: date, to: &bytes) else { return false }
    bytes.append(contentsOf: own.suffix.utf8)
    return true
  }

  /// True for a text of this style without a fraction: a moment of whole seconds has no other.
  private func isOfWholeSeconds(_ text: String) -> Bool {
    guard omitsZero || digits ?? 0 == 0 else { return false }
    var text = text
    return text.withUTF8 { bytes in
      bytes.count == 19 + suffix.utf8.count && separator.asciiValue == bytes[10]
        && bytes[16] == UInt8(ascii: ":") && bytes[19...].elementsEqual(suffix.utf8)
    }
  }

  /// The text; nil for a moment that the style cannot represent.
  package func text(of date: Date) -> String? {
    let full = Timestamp.text(of: date)
    if self == .own, full.utf8.count == 20 { return full.dropLast() + suffix }
    var whole = full.prefix(19)
    var fraction = full.dropFirst(20).dropLast()
    if full.utf8.count < 21 { fraction = "" }
    while fraction.last == "0" { fraction.removeLast() }
    if separator != "T" { whole = whole.prefix(10) + String(separator) + whole.dropFirst(11) }
    if let digits {
      guard fraction.utf8.count <= digits else { return nil }
      if !(fraction.isEmpty && omitsZero) {
        fraction += String(repeating: "0", count: digits - fraction.utf8.count)
      }
    }
    return whole + (fraction.isEmpty ? "" : ".") + fraction + suffix
  }
}
