/// The text forms of one field of some records, one after the other in one buffer.
///
/// Writers of text formats read a million records through it without a string for each value. A column is used
/// again for the next records.
package struct TextColumn: Sendable {
  /// The properties of a value's text that a writer needs.
  package enum Form: UInt8, Sendable {
    /// No value; the text is empty.
    case null
    /// A finite number or a Boolean: JSON as it is.
    case bare
    /// ASCII without quotes, separators or control characters: a date, a UUID, NaN.
    case plain
    /// Any text.
    case text
    /// The text of an identifier, which is never empty.
    case link
    /// JSON.
    case json
    /// Identifiers with spaces between them; JSON needs an array instead.
    case links
  }

  /// The texts as UTF-8.
  package var bytes: [UInt8] = []
  /// The end of each text in `bytes`; it begins at the end of the one before.
  package var ends: [Int] = []
  /// The form of each value.
  package var forms: [Form] = []

  /// Creates an empty column.
  package init() {}

  /// The number of values.
  package var count: Int { ends.count }

  /// Removes all values, but keeps the memory.
  package mutating func removeAll() {
    // The memory for a very long text is not kept.
    bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
    ends.removeAll(keepingCapacity: true)
    forms.removeAll(keepingCapacity: true)
  }

  /// Appends a value.
  package mutating func append(_ value: Value) {
    guard value.kind != nil else { return appendNull() }
    var text = value.text
    text.withUTF8 { append($0, value.textForm) }
  }

  /// Appends an identifier.
  package mutating func append(_ identifier: PersistentIdentifier) {
    identifier.withText { append($0, .link) }
  }

  /// Appends a missing value.
  @inlinable @inline(__always)
  package mutating func appendNull() {
    ends.append(bytes.count)
    forms.append(.null)
  }

  /// Gives the numbers from a place on the digits of their column.
  ///
  /// - Complexity: O(n) in their bytes.
  package mutating func pad(from place: Int, to places: DecimalPlaces) {
    let start = place == 0 ? 0 : ends[place - 1]
    var padded: [UInt8] = []
    var begin = start
    for place in place..<count {
      let text = bytes[begin..<ends[place]]
      begin = ends[place]
      padded += text
      if forms[place] == .bare { padded += places.missing(in: text).utf8 }
      ends[place] = start + padded.count
    }
    bytes.replaceSubrange(start..., with: padded)
  }

  /// Appends the text of a value.
  @inlinable @inline(__always)
  package mutating func append(_ text: UnsafeBufferPointer<UInt8>, _ form: Form) {
    bytes.append(contentsOf: text)
    ends.append(bytes.count)
    forms.append(form)
  }
}

extension Value {
  /// The form of the value's text.
  package var textForm: TextColumn.Form {
    switch self {
    case .null: .null
    case .number(let number): number.isFinite ? .bare : .plain
    case .boolean, .integer, .decimal: .bare
    case .date, .datetime, .uuid: .plain
    case .text: .text
    case .link: .link
    case .json: .json
    case .links: .links
    }
  }
}
