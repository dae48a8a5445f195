package import OpenSwiftData

/// What a file contains that is merged.
package enum MergeForm: Equatable, Sendable {
  /// Separated values, read in this way, with the delimiter that the name of the file promises.
  case separated(ReadingOptions, promised: UInt8?)
  /// A JSON object in each line.
  case lines
  /// An array of JSON objects.
  case json
}

/// The reason why files are not merged.
package struct MergeRefusal: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// How values are compared that are merged: by all their characters, but not by the quotes around them.
struct MergeSyntax {
  /// Nil for JSON.
  let delimited: DelimitedSyntax?
  var lineEnd: UInt8 { delimited?.lineEnd ?? 0x0A }
  /// Stands for a text without characters, which is not a missing value; no text has this byte.
  static let emptyText: UInt8 = 0xFF

  init(_ syntax: DelimitedSyntax?) { delimited = syntax }

  /// True for a file that divides values in the same way.
  func isLike(_ other: MergeSyntax) -> Bool {
    delimited?.delimiter == other.delimited?.delimiter && delimited?.quote == other.delimited?.quote
      && delimited?.escape == other.delimited?.escape && lineEnd == other.lineEnd
  }

  /// A value in the only spelling that it has here.
  func exact(_ written: ArraySlice<UInt8>) -> [UInt8] {
    guard let delimited else { return Self.exactJSON(written) }
    guard let quote = delimited.quote, written.contains(quote) else { return Array(written) }
    return written.withUnsafeBufferPointer { field in
      guard delimited.content(of: field) != nil else { return Array(written) }
      let text = delimited.text(of: field) ?? ""
      return text.isEmpty ? [Self.emptyText] : Array(text.utf8)
    }
  }

  /// JSON without white space between its tokens, or a text without escapes.
  private static func exactJSON(_ json: ArraySlice<UInt8>) -> [UInt8] {
    if json.first == 0x22, let text = text(ofJSON: json) { return [emptyText] + Array(text.utf8) }
    var (isInText, isEscaped) = (false, false)
    return json.filter { byte in
      if byte == 0x22, !isEscaped { isInText.toggle() }
      isEscaped = isInText && byte == 0x5C && !isEscaped
      return isInText || byte > 0x20
    }
  }

  private static func text(ofJSON json: ArraySlice<UInt8>) -> String? {
    var reader = JSONReader(Array(json))
    // The text was read before, so that it is valid; other values have no text.
    guard case .text(let text)? = try? reader.next() else { return nil }
    return text
  }

  func isSame(_ one: ArraySlice<UInt8>?, _ other: ArraySlice<UInt8>?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one == other || exact(one) == exact(other)
  }

  /// The value as a user reads it; nil if it is missing.
  func text(_ written: ArraySlice<UInt8>?) -> String? {
    guard let written, !written.isEmpty else { return nil }
    if let delimited { return written.withUnsafeBufferPointer(delimited.text) }
    if written.elementsEqual("null".utf8) { return nil }
    return Self.text(ofJSON: written) ?? String(decoding: Self.exactJSON(written), as: UTF8.self)
  }
}
