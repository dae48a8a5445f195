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
    } catch {
      throw ImportError(at: reader.position, in: document, "\(error)")
    }
    guard let found else { throw CommandError("no value at \(text)", code: .invalidFile) }
    return blank(document, except: found)
  }

  /// The only array of objects in an object with members of other kinds, its name and the names of these; nil for any
  /// other document, such as one in which all members are arrays of records, perhaps empty, and for one that cannot be read.
  static func records(in bytes: [UInt8]) -> (bytes: [UInt8], name: String, omitted: [String])? {
    let document = TextEncoding.withoutMark(bytes)
    var reader = JSONReader(document)
    guard reader.isAtObject else { return nil }
    var (arrays, others): ([(name: String, range: Range<Int>)], [String]) = ([], [])
    var isCatalog = false
    var hasOtherKinds = false
    do {
      try reader.forEachMember { name, reader in
        isCatalog = isCatalog || name == "catalog"
        _ = reader.isAtEnd
        let start = reader.position
        let value = try reader.next()
        if case .container(let text) = value, begins(text, with: "[{") {
          return arrays.append((name, start..<reader.position))
        }
        others.append(name)
        if case .container(let text) = value, begins(text, with: "[]") { return }
        hasOtherKinds = true
      }
    } catch {
      // The error is reported with its line when the records are read.
      return nil
    }
    guard !isCatalog, arrays.count == 1, hasOtherKinds, reader.isAtEnd else { return nil }
    return (blank(document, except: arrays[0].range), arrays[0].name, others)
  }

  /// True for a text that begins like this without its white space.
  private static func begins(_ json: String, with start: String) -> Bool {
    let text = json.utf8.lazy.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return Array(text.prefix(start.utf8.count)) == Array(start.utf8)
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
        _ = try reader.next()
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
      let start = reader.position
      _ = try reader.next()
      if steps.isEmpty { found = start..<reader.position }
    }
    return found
  }

  private static func blank(_ bytes: [UInt8], except part: Range<Int>) -> [UInt8] {
    var result = bytes.map { $0 == 0x0A ? $0 : 0x20 }
    result[part] = bytes[part]
    return result
  }
}
