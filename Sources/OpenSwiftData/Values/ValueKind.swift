public import Foundation

/// The kinds of values, whatever entity a link refers to: the one tag that columns, codecs, filters and
/// forms go by.
///
/// Most of them ask for one of the properties below, or for the layout, and never meet a kind by name.
/// `docs/architecture.md` lists the files that a new kind needs.
@usableFromInline package enum ValueKind: UInt8, CaseIterable, Sendable {
  case text, integer, number, decimal, boolean, date, datetime, uuid, json, link, links

  /// How values are kept in columns and written in logs, where kinds are treated alike.
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

  /// How values of the kind are kept and written.
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

  /// The place of the kind in the order of all values, behind null; numbers of all kinds share one.
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

  /// True for kinds whose values are compared with each other by their amount.
  package var isNumeric: Bool { rank == 2 }

  /// True when there are values of the kind that no store keeps; see `Value.brokenRule`.
  var isLimited: Bool {
    switch self {
    case .decimal, .date, .datetime: true
    default: false
    }
  }

  /// True when JSON and other coders have no value for the kind but its text form.
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

  /// A value in its text form, for whoever is about to type one; nil where none is needed.
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
  /// - Precondition: It has one of these.
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
