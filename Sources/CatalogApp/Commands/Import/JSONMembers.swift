import OpenSwiftData

/// The members of the object that a JSON document is, by what they can be: records, or something beside them.
///
/// If all are arrays of objects, or of nothing, the document has an entity for each. Of other documents, such as the
/// answer of a web service, the only such array has the records.
struct JSONMembers {
  /// One member.
  struct Member {
    enum Kind { case records, emptyArray, container, scalar }

    let name: String
    let place: Range<Int>
    let kind: Kind

    /// True for an array of objects, or of nothing, which may be an array of objects at other times.
    var mayHaveRecords: Bool { kind == .records || kind == .emptyArray }
  }

  /// The document without a byte order mark.
  private let document: [UInt8]
  private let members: [Member]
  /// True for a JSON catalog, whose header is a member as well.
  private var isCatalog = false

  /// Reads a document; nil if it is something else than an object, or invalid: the error is reported with its line
  /// when the records are read.
  init?(_ bytes: [UInt8]) {
    let document = TextEncoding.withoutMark(bytes)
    var reader = JSONReader(document)
    var members: [Member] = []
    do {
      try reader.forEachMember { name, reader in
        let place = try reader.skip()
        members.append(Member(name: name, place: place, kind: Self.kind(of: document[place])))
      }
    } catch {
      return nil
    }
    guard reader.isAtEnd else { return nil }
    isCatalog = members.contains { $0.name == "catalog" && $0.kind == .container }
    self.document = document
    self.members = members.filter { $0.name != "catalog" || $0.kind != .container }
  }

  /// The members that may have records.
  private var arrays: [Member] { members.filter(\.mayHaveRecords) }

  /// True if every member is an array or an object.
  var areContainers: Bool { members.allSatisfy { $0.kind != .scalar } }

  /// True if every member is an array of the records of an entity.
  var areEntities: Bool { isCatalog || members.allSatisfy(\.mayHaveRecords) }

  /// The only array that has records; nil if there are several or none.
  var onlyRecords: String? {
    let full = members.filter { $0.kind == .records }
    return full.count == 1 ? full[0].name : nil
  }

  /// True if an array has records.
  var haveRecords: Bool { members.contains { $0.kind == .records } }

  /// The array that has the records, and the names of the other members.
  struct Choice {
    let array: String
    let others: [String]
  }

  /// The document with nothing but the array that has the records; nil if there is no such array.
  ///
  /// - Throws: `ImportError` if there are several.
  func records(in location: String) throws -> (bytes: [UInt8], choice: Choice)? {
    try requireOneArray(in: location)
    guard let array = arrays.first else { return nil }
    let others = members.map(\.name).filter { $0 != array.name }
    let choice = Choice(array: array.name, others: others)
    return (JSONPart.blank(document, except: array.place), choice)
  }

  /// Rejects a document in which several arrays may have the records: one that is empty now may have them at other times.
  ///
  /// - Throws: `ImportError` with how to name one, and with another way if there is one.
  func requireOneArray(in location: String, orElse other: String = "") throws(ImportError) {
    let arrays = arrays
    guard arrays.count > 1 else { return }
    let names = arrays.map(\.name).joined(separator: ", ")
    let one = CommandText.quoted(location + Self.path(of: arrays[0].name, in: location))
    throw ImportError(
      at: arrays[1].place.lowerBound,
      in: document,
      "arrays of several entities (\(names)); name one, as in \(one)\(other)"
    )
  }

  /// What follows the location of a document to name a member.
  static func path(of name: String, in location: String) -> String {
    let isWord = name.utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 0x5F
        || $0 == 0x2D || $0 >= 0x80
    }
    guard isWord, !name.isEmpty else {
      return (location.contains("#") ? "" : "#") + "[" + JSONText.quoted(name) + "]"
    }
    return (location.contains("#") ? "." : "#") + name
  }

  private static func kind(of value: ArraySlice<UInt8>) -> Member.Kind {
    let start = value.lazy.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }.prefix(2)
    switch (start.first, start.last) {
    case (UInt8(ascii: "["), UInt8(ascii: "{")): return .records
    case (UInt8(ascii: "["), UInt8(ascii: "]")): return .emptyArray
    case (UInt8(ascii: "["), _), (UInt8(ascii: "{"), _): return .container
    default: return .scalar
    }
  }
}
