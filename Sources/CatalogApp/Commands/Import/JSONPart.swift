import OpenSwiftData

/// The part of a JSON document that has the records, such as the array in an answer of a web service.
///
/// All else becomes white space, so that errors still name the lines and columns of the document.
enum JSONPart {
  /// The value at a path such as `response.items`.
  ///
  /// - Throws: `CommandError` for a path that the document does not have, `ImportError` for invalid JSON.
  static func bytes(_ bytes: [UInt8], at text: String) throws -> [UInt8] {
    let path = JSONPath(text.first == "[" ? text[...] : ("." + text)[...])
    guard let path else { throw CommandError("\(Value.quoted(text)) is not a path; use NAME.NAME") }
    let document = TextEncoding.withoutMark(bytes)
    var reader = JSONReader(document)
    let found: Range<Int>?
    do {
      found = try range(of: path.steps[...], in: &reader)
    } catch let error as ValueError {
      throw ImportError(error, at: reader.position, in: document)
    }
    guard reader.isAtEnd else { throw ImportError.textAfterEnd(at: reader.position, in: document) }
    guard let found else { throw CommandError("no value at \(text)", code: .invalidFile) }
    return blank(document, except: found)
  }

  /// The place of the value at the rest of a path.
  private static func range(of steps: ArraySlice<JSONPath.Step>, in reader: inout JSONReader) throws
    -> Range<Int>?
  {
    var found: Range<Int>?
    func take(_ isWanted: Bool, _ reader: inout JSONReader) throws {
      if isWanted {
        found = try range(of: steps.dropFirst(), in: &reader)
      } else {
        _ = try reader.skip()
      }
    }
    let isArray = reader.isAtArray
    switch steps.first {
    case .member(let name) where reader.isAtObject:
      try reader.forEachMember { try take($0 == name, &$1) }
    case .element(let number) where isArray:
      var place = 0
      try reader.forEachElement {
        try take(place == number, &$0)
        place += 1
      }
    default:
      let value = try reader.skip()
      if steps.isEmpty { found = value }
    }
    return found
  }

  /// The document with white space in place of all but a part.
  static func blank(_ bytes: [UInt8], except part: Range<Int>) -> [UInt8] {
    var result = bytes.map { $0 == 0x0A ? $0 : 0x20 }
    result[part] = bytes[part]
    return result
  }
}
