import Foundation
import OpenSwiftData

/// A value type with an attribute of every kind, for predicates to evaluate and lower.
struct PredicateFilm: Sendable {
  enum Genre: String, Codable, CaseIterable { case drama, kids = "K;", comedy = "cafe\u{301}" }

  enum Level: Int, Codable, CaseIterable, Comparable {
    case low = 3
    case middle = 2
    case high = 9

    private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    static func < (lhs: Level, rhs: Level) -> Bool { lhs.place < rhs.place }
  }

  /// An equality that differs from that of the raw value.
  struct Code: RawRepresentable, Codable, Hashable {
    let rawValue: String
    static func == (lhs: Code, rhs: Code) -> Bool {
      lhs.rawValue.lowercased() == rhs.rawValue.lowercased()
    }
    func hash(into hasher: inout Hasher) { hasher.combine(rawValue.lowercased()) }
  }

  struct Flags: OptionSet, Codable { let rawValue: Int }

  var title = ""
  var note: String?
  var year = 0
  var rank: Int?
  var small: Int8 = 0
  var large: UInt64 = 0
  var rating = 0.0
  var score: Double?
  var price: Decimal = 0
  var seen = false
  var liked: Bool?
  var released = Date(timeIntervalSinceReferenceDate: 0)
  var watched: Date?
  var key = UUID()
  var genre = Genre.drama
  var style: Genre?
  var level: Level?
  var code = Code(rawValue: "")
  var flags: Flags = []
  var page: URL?
  var poster: Data?

  /// Not stored.
  var shout: String { title.uppercased() }
  var age: Int { 2026 - year }

  private struct Attribute {
    let property: LoweredPredicate.Property
    let value: (PredicateFilm) -> Value
  }

  /// The attributes of a store, by key path.
  // Key paths are immutable, but not declared Sendable.
  nonisolated(unsafe) private static let attributes: [AnyKeyPath: Attribute] = {
    var all: [AnyKeyPath: Attribute] = [:]
    func add<V>(
      _ name: String,
      _ keyPath: KeyPath<PredicateFilm, V>,
      _ type: AttributeType,
      isOptional: Bool = false,
      _ value: @escaping (V) -> Value?
    ) {
      all[keyPath] = Attribute(
        property: LoweredPredicate.Property(name, type, isOptional: isOptional),
        value: { value($0[keyPath: keyPath]) ?? .null }
      )
    }
    add("title", \.title, .text) { .text($0) }
    add("note", \.note, .text, isOptional: true) { $0.map { .text($0) } }
    add("year", \.year, .integer) { .integer(Int64($0)) }
    add("rank", \.rank, .integer, isOptional: true) { $0.map { .integer(Int64($0)) } }
    add("small", \.small, .integer) { .integer(Int64($0)) }
    add("large", \.large, .decimal) { .decimal(Decimal($0)) }
    add("rating", \.rating, .number) { .number($0) }
    add("score", \.score, .number, isOptional: true) { $0.map { .number($0) } }
    add("price", \.price, .decimal) { .decimal($0) }
    add("seen", \.seen, .boolean) { .boolean($0) }
    add("liked", \.liked, .boolean, isOptional: true) { $0.map { .boolean($0) } }
    add("released", \.released, .datetime) { .datetime($0) }
    add("watched", \.watched, .datetime, isOptional: true) { $0.map { .datetime($0) } }
    add("key", \.key, .uuid) { .uuid($0) }
    add("genre", \.genre, .text) { .text($0.rawValue) }
    add("style", \.style, .text, isOptional: true) { $0.map { .text($0.rawValue) } }
    add("level", \.level, .integer, isOptional: true) { $0.map { .integer(Int64($0.rawValue)) } }
    add("code", \.code, .text) { .text($0.rawValue) }
    add("flags", \.flags, .integer) { .integer(Int64($0.rawValue)) }
    add("page", \.page, .text, isOptional: true) { $0.map { .text($0.absoluteString) } }
    add("poster", \.poster, .text, isOptional: true) { $0.map { .text($0.base64EncodedString()) } }
    return all
  }()

  private static let names = attributes.values.map(\.property.name).sorted()
  static let layout = SnapshotLayout(names)

  static let property: @Sendable (AnyKeyPath) -> LoweredPredicate.Property? = {
    attributes[$0]?.property
  }

  /// The values in the order of the layout.
  var values: [Value] {
    var values = [Value](repeating: .null, count: Self.names.count)
    for attribute in Self.attributes.values {
      if let slot = Self.layout.slot(of: attribute.property.name) {
        values[slot] = attribute.value(self)
      }
    }
    return values
  }
}

extension LoweredPredicate {
  init(_ predicate: Predicate<PredicateFilm>) {
    self.init(predicate, property: PredicateFilm.property)
  }
}
