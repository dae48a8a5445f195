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

  /// The path of the value inside an object that has the most records: an array of objects, or an object of objects;
  /// nil if there is none, or the text is damaged.
  static func suggestion(in bytes: [UInt8]) -> String? {
    Search(bytes).largest(at: 0, path: "", depth: 0)?.path
  }

  /// The path of the only value inside an object that has records, apart from those inside them; nil if there are
  /// several or none, or the text is damaged.
  static func onlyPlace(in bytes: [UInt8]) -> String? {
    let places = Search(bytes).places(at: 0, path: "", depth: 0)
    return places.count == 1 && places[0].hasSeveral ? places[0].path : nil
  }

  private struct Search {
    private let bytes: [UInt8]
    /// The offset of the document after a byte order mark.
    private let documentStart: Int
    private var start: Int

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      documentStart = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      start = documentStart
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

    /// A value with records.
    struct Candidate {
      let path: String
      /// False for an object of a single object, which may as well be a record.
      let hasSeveral: Bool
      let sizeBytes: Int

      func isBetter(than other: Candidate) -> Bool {
        hasSeveral == other.hasSeveral ? sizeBytes > other.sizeBytes : hasSeveral
      }
    }

    private static let deepest = 4
    private static let examinedMembers = 64

    /// The candidates inside the object at an offset, without those inside others.
    func places(at offset: Int, path: String, depth: Int) -> [Candidate] {
      // Damaged text has its own error.
      guard depth < Self.deepest,
        let members = try? members(of: offset == 0 ? start : offset).members
      else { return [] }
      return members.filter { !$0.key.isEmpty }.flatMap { member in
        let name = path.isEmpty ? member.key : path + "." + member.key
        return candidate(member.range, name).map { [$0] }
          ?? places(at: member.range.lowerBound, path: name, depth: depth + 1)
      }
    }

    /// The best candidate inside the object at an offset.
    func largest(at offset: Int, path: String, depth: Int) -> Candidate? {
      // Damaged text has its own error.
      guard depth < Self.deepest,
        let members = try? members(of: offset == 0 ? start : offset).members
      else { return nil }
      var best: Candidate?
      func consider(_ candidate: Candidate?) {
        guard let candidate, best.map(candidate.isBetter) ?? true else { return }
        best = candidate
      }
      for member in members.prefix(Self.examinedMembers) where !member.key.isEmpty {
        let name = path.isEmpty ? member.key : path + "." + member.key
        consider(candidate(member.range, name))
        consider(largest(at: member.range.lowerBound, path: name, depth: depth + 1))
      }
      return best
    }

    private func candidate(_ range: Range<Int>, _ path: String) -> Candidate? {
      switch bytes[range.lowerBound] {
      case UInt8(ascii: "["):
        let inside = bytes[(range.lowerBound + 1)..<range.upperBound]
        let first = inside.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard first == UInt8(ascii: "{") else { return nil }
        return Candidate(path: path, hasSeveral: true, sizeBytes: range.count)
      case UInt8(ascii: "{"):
        guard let members = try? members(of: range.lowerBound).members, !members.isEmpty,
          members.allSatisfy({ bytes[$0.range.lowerBound] == UInt8(ascii: "{") })
        else { return nil }
        return Candidate(path: path, hasSeveral: members.count > 1, sizeBytes: range.count)
      default: return nil
      }
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
          let place = try reader.skip()
          members.append((key, (offset + place.lowerBound)..<(offset + place.upperBound)))
        }
      } catch {
        let error = error as? ValueError
        let (place, message) = error?.placeInJSON ?? (reader.position, error?.description ?? "")
        throw JSONDamage(offset: offset + place, message: message)
      }
      let end = offset + reader.position
      guard offset != documentStart || reader.isAtEnd else {
        let rest = offset + reader.position
        let found = JSONParser.found(bytes[rest...])
        throw JSONDamage(offset: rest, message: "expected the end, found \(found)")
      }
      return (members, end)
    }
  }
}
