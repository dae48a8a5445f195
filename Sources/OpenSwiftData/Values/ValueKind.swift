public import Foundation

/// The kinds of values, without the entity of links, as used by columns, codecs, filters and forms.
///
/// Most code uses the layout or one of the properties below instead of a specific kind.
/// `docs/architecture.md` lists the files that a new kind needs.
@usableFromInline package enum ValueKind: UInt8, CaseIterable, Sendable {
  case text, integer, number, decimal, boolean, date, datetime, uuid, json, link, links

  /// The storage layout in columns and logs, which several kinds can share.
  package enum Layout: UInt8, Sendable {
    /// 64 bits in the order of an `Int64`.
    case whole
    /// 64 bits in the order of a `Double`.
    case float
    /// UTF-8, in the order of the bytes.
    case bytes
    /// A `Decimal`.
    case decimal
    /// One bit.
    case flag
    /// 32 bits: days since 1970.
    case days
    /// 128 bits in the order of their bytes.
    case pair
    /// One identifier of a record.
    case link
    /// A list of identifiers.
    case links
  }

  /// The storage layout of the kind.
  package var layout: Layout {
    switch self {
    case .integer: .whole
    case .number, .datetime: .float
    case .text, .json: .bytes
    case .decimal: .decimal
    case .boolean: .flag
    case .date: .days
    case .uuid: .pair
    case .link: .link
    case .links: .links
    }
  }

  /// The rank of the kind in the order of all values, after null; numbers of all kinds share one.
  var rank: Int {
    switch self {
    case .boolean: 1
    case .integer, .number, .decimal: 2
    case .text: 3
    case .date: 4
    case .datetime: 5
    case .uuid: 6
    case .json: 7
    case .link: 8
    case .links: 9
    }
  }

  /// True for kinds whose values are compared numerically with each other.
  package var isNumeric: Bool { rank == 2 }

  /// True when the kind has values that no store can save; see `Value.brokenRule`.
  var isLimited: Bool {
    switch self {
    case .decimal, .date, .datetime: true
    default: false
    }
  }

  /// True when JSON and other coders support the kind only in its text form.
  var isCodedAsText: Bool {
    switch self {
    case .date, .datetime, .uuid: true
    default: false
    }
  }

  /// True when a filter writes values without quotes.
  var isBareInFilters: Bool {
    switch self {
    case .boolean, .integer, .number, .decimal, .date, .datetime: true
    default: false
    }
  }

  /// An example of the text form, shown to the user who types a value; nil if none is needed.
  package var example: String? {
    switch self {
    case .date: "2009-05-29"
    case .datetime: "2009-05-29T18:30:00Z"
    default: nil
    }
  }
}

extension AttributeType {
  /// The kind of the values.
  package var kind: ValueKind {
    switch self {
    case .text: .text
    case .integer: .integer
    case .number: .number
    case .decimal: .decimal
    case .boolean: .boolean
    case .date: .date
    case .datetime: .datetime
    case .uuid: .uuid
    case .json: .json
    case .link: .link
    case .links: .links
    }
  }
}

extension Value {
  /// The kind of the value; nil for null, which every kind has.
  @inlinable package var kind: ValueKind? {
    switch self {
    case .null: nil
    case .text: .text
    case .integer: .integer
    case .number: .number
    case .decimal: .decimal
    case .boolean: .boolean
    case .date: .date
    case .datetime: .datetime
    case .uuid: .uuid
    case .json: .json
    case .link: .link
    case .links: .links
    }
  }

  /// The 64 bits of a value whose layout is `whole` or `float`.
  ///
  /// - Precondition: The layout is `whole` or `float`.
  @inlinable package var bits: UInt64 {
    switch self {
    case .integer(let value): UInt64(bitPattern: value)
    case .number(let value): value.bitPattern
    case .datetime(let value): value.timeIntervalSinceReferenceDate.bitPattern
    default: preconditionFailure("values of other layouts are no 64 bits")
    }
  }

  /// Creates a value from its 64 bits.
  ///
  /// - Precondition: The layout of the kind is `whole` or `float`.
  @inlinable package init(bits: UInt64, as kind: ValueKind) {
    switch kind {
    case .integer: self = .integer(Int64(bitPattern: bits))
    case .number: self = .number(Double(bitPattern: bits))
    case .datetime:
      self = .datetime(Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
    default: preconditionFailure("values of other layouts are no 64 bits")
    }
  }

  /// Creates a value from its text.
  ///
  /// - Precondition: The layout of the kind is `bytes`.
  @inlinable package init(text: String, as kind: ValueKind) {
    self = kind == .json ? .json(text) : .text(text)
  }
}
