import OpenSwiftData

/// The texts of separated values before their columns changed, for an undo of the change.
///
/// They tell what the values do not: how a removed column was spelled and quoted, and that a record had fewer values than
/// columns.
struct DelimitedFormerColumns: Sendable {
  /// The texts before one change.
  struct Generation: Sendable {
    let columns: [String]
    /// The header as it was written; nil if there was none.
    let header: [UInt8]?
    /// The records whose texts do not follow from their values.
    let records: [PersistentIdentifier: [UInt8]]

    fileprivate var sizeBytes: Int { records.values.reduce(0) { $0 + $1.count } }
  }

  /// If the records of all generations have more bytes, the oldest ones are given up.
  static let limitBytes = 64 << 20
  private static let mostGenerations = 8

  /// The newest one is the last one.
  private var generations: [Generation] = []

  /// Keeps the texts before the newest change.
  mutating func keep(_ new: Generation) {
    generations.append(new)
    var size = generations.reduce(0) { $0 + $1.sizeBytes }
    while size > Self.limitBytes || generations.count > Self.mostGenerations {
      size -= generations.removeFirst().sizeBytes
    }
  }

  /// The newest texts with these columns; nil if there are none.
  func generation(with columns: [String]) -> Generation? {
    generations.last { $0.columns == columns }
  }

  mutating func removeAll() { generations = [] }
}

extension DelimitedDialect {
  /// True if the record would be written in the same way after its columns changed and changed back.
  func rewrites(_ record: DelimitedRecordText, after change: DelimitedColumnChange) -> Bool {
    guard record.fields.count >= columns.count else { return false }
    return change.removed.allSatisfy { place, type in
      let field = UnsafeBufferPointer(rebasing: record.text[record.fields[place]])
      guard let text = text(of: field) else { return true }
      // A text that is not a value of the type is written as it is read.
      guard let type, let value = forms.value(text, as: type) else { return false }
      var output = JSONOutput()
      put(value, isQuoted: quotesEverything, at: place, to: &output)
      return field.elementsEqual(output.bytes)
    }
  }

  /// True if two records have the same values, whatever their spelling; the types are those of the columns.
  func areSame(_ left: DelimitedRecordText, _ right: DelimitedRecordText, _ types: [AttributeType?])
    -> Bool
  {
    (0..<max(left.fields.count, right.fields.count)).allSatisfy { place in
      let texts = (text(of: place, in: left), text(of: place, in: right))
      guard let first = texts.0, let second = texts.1 else { return texts.0 == texts.1 }
      if first.utf8.elementsEqual(second.utf8) { return true }
      switch place < types.count ? types[place] : nil {
      case nil, .text, .json: return false
      case .boolean: return first.lowercased() == second.lowercased()
      case let type?:
        let values = (forms.value(first, as: type), forms.value(second, as: type))
        return values.0 != nil && values.0 == values.1
      }
    }
  }

  private func text(of place: Int, in record: DelimitedRecordText) -> String? {
    guard place < record.fields.count else { return nil }
    return text(of: UnsafeBufferPointer(rebasing: record.text[record.fields[place]]))
  }
}
