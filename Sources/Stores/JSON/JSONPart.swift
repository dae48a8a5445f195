import OpenSwiftData

/// Finds the value at a path in a JSON text: `features`, or `data.items`.
enum JSONPart {
  /// The last key of a path.
  static func name(of path: String) -> String {
    path.split(separator: ".").last.map(String.init) ?? path
  }

  /// The place of the value.
  ///
  /// A key may contain dots: of all keys that the path begins with, the longest one counts.
  ///
  /// - Throws: `JSONDamage` for a text that is not JSON, or has no such value.
  static func range(of path: String, in bytes: [UInt8]) throws(JSONDamage) -> Range<Int> {
    var search = Search(bytes)
    guard !path.isEmpty else {
      throw JSONDamage(offset: 0, message: "missing path after #", code: .notAStore)
    }
    return try search.range(of: path[...], at: "the document")
  }

  private struct Search {
    private let bytes: [UInt8]
    private var start = 0

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
    }

    /// Finds the value of a path in the object that begins at `start`.
    mutating func range(of path: Substring, at place: String) throws(JSONDamage) -> Range<Int> {
      let (members, end) = try members(of: start)
      guard end != nil else {
        throw JSONDamage(
          offset: start,
          message: "no \(Value.quoted(String(path))): \(place) is not an object",
          code: .notAStore
        )
      }
      let found = members.filter { path == $0.key || path.hasPrefix($0.key + ".") }
        .max { $0.key.utf8.count < $1.key.utf8.count }
      guard let found else {
        let keys = members.prefix(8).map { Value.quoted($0.key) }.joined(separator: ", ")
        throw JSONDamage(
          offset: start,
          message: "no \(Value.quoted(String(path))) in \(place)"
            + (members.isEmpty ? "" : "; it has \(keys)" + (members.count > 8 ? ", …" : "")),
          code: .notAStore
        )
      }
      let rest = path.dropFirst(found.key.count + 1)
      if rest.isEmpty { return found.range }
      start = found.range.lowerBound
      return try range(of: rest, at: Value.quoted(found.key))
    }

    /// The members of the object at an offset, and its end; nil for another value.
    private func members(of offset: Int) throws(JSONDamage)
      -> (members: [(key: String, range: Range<Int>)], end: Int?)
    {
      var reader = JSONReader(Array(bytes[offset...]))
      guard reader.isAtObject else { return ([], nil) }
      var members: [(key: String, range: Range<Int>)] = []
      do {
        try reader.forEachMember { key, reader in
          // Looking at the next value skips the white space before it.
          _ = reader.isAtEnd
          let first = reader.position
          _ = try reader.next()
          members.append((key, (offset + first)..<(offset + reader.position)))
        }
      } catch {
        throw JSONDamage(offset: offset + reader.position, message: "\(error)")
      }
      return (members, offset + reader.position)
    }
  }
}
