import OpenSwiftData
import SQL

/// The keys of records in order: 8 bytes for a number, otherwise the bytes of the text of the identifier.
struct KeyArray: Sendable {
  private enum Storage {
    case numbers([Int64])
    case texts([UInt8], ends: [Int])
  }

  private let key: KeyForm
  private let scope: IdentifierScope
  private var storage: Storage

  init(_ table: TableDescription) {
    (key, scope) = (table.key, table.scope)
    storage = key == .number ? .numbers([]) : .texts([], ends: [])
  }

  var count: Int {
    switch storage {
    case .numbers(let numbers): numbers.count
    case .texts(_, let ends): ends.count
    }
  }

  /// Appends a key; false if a part of it is missing.
  mutating func append(_ parts: [SQLValue]) -> Bool {
    switch storage {
    case .numbers(var numbers):
      guard case .integer(let number)? = parts.first else { return false }
      // So that the array is not copied.
      storage = .numbers([])
      numbers.append(number)
      storage = .numbers(numbers)
    case .texts(var bytes, var ends):
      guard let text = key.text(of: parts) else { return false }
      storage = .numbers([])
      bytes.append(contentsOf: text.utf8)
      ends.append(bytes.count)
      storage = .texts(bytes, ends: ends)
    }
    return true
  }

  /// Appends all keys of another array of the same table.
  mutating func append(_ others: KeyArray) {
    switch (storage, others.storage) {
    case (.numbers(var numbers), .numbers(let more)):
      storage = .numbers([])
      numbers += more
      storage = .numbers(numbers)
    case (.texts(var bytes, var ends), .texts(let more, let moreEnds)):
      storage = .numbers([])
      let start = bytes.count
      bytes += more
      ends += moreEnds.lazy.map { $0 + start }
      storage = .texts(bytes, ends: ends)
    default: preconditionFailure("keys of two tables")
    }
  }

  /// The identifiers in a range, which is within the count.
  func identifiers(in range: Range<Int>) -> [PersistentIdentifier] {
    switch storage {
    case .numbers(let numbers): range.map { scope.identifier(number: Int(numbers[$0])) }
    case .texts(let bytes, let ends):
      range.map { place in
        let start = place == 0 ? 0 : ends[place - 1]
        return scope.identifier(text: String(decoding: bytes[start..<ends[place]], as: UTF8.self))
      }
    }
  }

  /// The place of a key.
  ///
  /// - Complexity: O(n).
  func position(of identifier: PersistentIdentifier) -> Int? {
    guard identifier.identifierScope == scope else { return nil }
    switch storage {
    case .numbers(let numbers):
      return identifier.numberKey.flatMap { numbers.firstIndex(of: Int64($0)) }
    case .texts(let bytes, let ends):
      let wanted = Array(identifier.description.utf8)
      return bytes.withUnsafeBufferPointer { bytes in
        var start = 0
        for (place, end) in ends.enumerated() {
          if end - start == wanted.count, bytes[start..<end].elementsEqual(wanted) { return place }
          start = end
        }
        return nil
      }
    }
  }
}
