import Foundation
import OpenSwiftData

/// Describes the difference of two values in one readable line.
///
/// Of tables it names the first record and the first property that differ, never the whole: an
/// expectation over sixty records would fill screens.
enum Difference {
  /// The expected and the found value at the first difference.
  static func text(_ found: Any, _ expected: Any) -> String {
    if let found = found as? DefaultSnapshot, let expected = expected as? DefaultSnapshot {
      return text(found, expected)
    }
    if let found = found as? [AnyHashable: any Equatable],
      let expected = expected as? [AnyHashable: any Equatable]
    {
      return text(found, expected)
    }
    if let found = found as? Set<AnyHashable>, let expected = expected as? Set<AnyHashable> {
      return counts(found.count, expected.count)
        + missing(found, expected).joined(separator: ", ")
    }
    if let found = found as? [any Equatable], let expected = expected as? [any Equatable] {
      return text(found, expected)
    }
    if let found = found as? Value, let expected = expected as? Value {
      return text(found, expected)
    }
    return "expected \(sketch(expected)), found \(sketch(found))"
  }

  /// Two values with their kinds; of texts that look alike the first byte that differs.
  private static func text(_ found: Value, _ expected: Value) -> String {
    var difference = "expected \(sketch(expected)), found \(sketch(found))"
    if let left = bytes(found), let right = bytes(expected) {
      let place =
        zip(left, right).enumerated().first { $1.0 != $1.1 }?.offset
        ?? min(left.count, right.count)
      func byte(_ bytes: [UInt8]) -> String {
        bytes.indices.contains(place) ? "0x" + String(bytes[place], radix: 16) : "the end"
      }
      difference += " (byte \(place + 1): expected \(byte(right)), found \(byte(left)))"
    }
    return difference
  }

  private static func bytes(_ value: Value) -> [UInt8]? {
    switch value {
    case .text(let text), .json(let text): Array(text.utf8)
    default: nil
    }
  }

  /// A text shortened to a maximum length.
  static func cut(_ text: String, to length: Int) -> String {
    text.count <= length ? text : text.prefix(length - 1) + "…"
  }

  private static func sketch(_ value: Any) -> String {
    switch value {
    case let value as Value: sketch(value)
    case let identifier as PersistentIdentifier: sketch(identifier)
    default: cut("\(value)", to: 90)
    }
  }

  /// The value after its kind; a moment with all digits of its fraction.
  private static func sketch(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .text(let text), .json(let text): "\(kind(value)) \(cut(text.debugDescription, to: 90))"
    case .datetime(let moment):
      "\(kind(value)) \(value.text) (\(moment.timeIntervalSinceReferenceDate) s since 2001)"
    case .link(let identifier): "link to \(sketch(identifier))"
    case .links(let identifiers):
      "\(identifiers.count) links" + (identifiers.first.map { ", first to " + sketch($0) } ?? "")
    default: "\(kind(value)) \(cut(value.text, to: 90))"
    }
  }

  private static func kind(_ value: Value) -> String { value.kind.map { "\($0)" } ?? "null" }

  /// The identifier with its entity and the kind of its key: keys of another kind look alike.
  private static func sketch(_ identifier: PersistentIdentifier) -> String {
    "\(identifier.entityName) \(identifier) (\(identifier.keyKind) key)"
  }

  private static func counts(_ found: Int, _ expected: Int) -> String {
    found == expected ? "of \(found), " : "expected \(expected), found \(found): "
  }

  private static func text(_ found: [any Equatable], _ expected: [any Equatable]) -> String {
    let counts = counts(found.count, expected.count)
    let common = min(found.count, expected.count)
    for place in 0..<common {
      let (value, wanted) = (found[place], expected[place])
      if !isEqual(value, wanted) { return counts + "at \(place) " + text(value, wanted) }
    }
    if found.count > common { return counts + "at \(common) found \(sketch(found[common]))" }
    if expected.count > common { return counts + "at \(common) missed \(sketch(expected[common]))" }
    return counts + "no difference"
  }

  private static func text(
    _ found: [AnyHashable: any Equatable],
    _ expected: [AnyHashable: any Equatable]
  ) -> String {
    let counts = counts(found.count, expected.count)
    let different = expected.keys.filter { key in
      guard let value = found[key], let wanted = expected[key] else { return false }
      return !isEqual(value, wanted)
    }
    if let key = different.min(by: { "\($0)" < "\($1)" }), let value = found[key],
      let wanted = expected[key]
    {
      return counts + "at \(sketch(key)) " + text(value, wanted)
    }
    return counts + missing(Set(found.keys), Set(expected.keys)).joined(separator: ", ")
  }

  /// One element that is missing and one that is unexpected, if there are such.
  private static func missing(_ found: Set<AnyHashable>, _ expected: Set<AnyHashable>) -> [String] {
    let missed = expected.subtracting(found).map { "\($0)" }.min()
    let strange = found.subtracting(expected).map { "\($0)" }.min()
    return [missed.map { "missed \(sketch($0))" }, strange.map { "found \(sketch($0))" }]
      .compactMap(\.self)
  }

  private static func text(_ found: DefaultSnapshot, _ expected: DefaultSnapshot) -> String {
    guard found.persistentIdentifier == expected.persistentIdentifier else {
      return "expected the record \(sketch(expected.persistentIdentifier)), "
        + "found \(sketch(found.persistentIdentifier))"
    }
    guard found.layout == expected.layout else {
      return "expected \(sketch(expected.layout.names)), found \(sketch(found.layout.names))"
    }
    let slot = found.orderedValues.indices.first {
      found.orderedValues[$0] != expected.orderedValues[$0]
    }
    guard let slot else { return "no difference" }
    return "\(found.layout.names[slot]) of the record \(found.persistentIdentifier): "
      + text(found.orderedValues[slot], expected.orderedValues[slot])
  }

  private static func isEqual<T: Equatable>(_ left: T, _ right: any Equatable) -> Bool {
    left == right as? T
  }
}
