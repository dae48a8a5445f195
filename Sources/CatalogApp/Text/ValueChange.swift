import OpenSwiftData

/// A changed value of a record: that of a field, or a part of the JSON in it.
struct ValueChange: Hashable, Sendable {
  /// The field, or the path of the part.
  let name: String
  /// The value before; nil for a part that was added.
  let before: Value?
  /// The value after; nil for a part that was removed.
  let after: Value?

  /// The change of a field: the parts of its JSON that differ, or else the whole value.
  static func all(of field: String, from before: Value, to after: Value) -> [ValueChange] {
    if case .json(let old) = before, case .json(let new) = after {
      let parts = JSONChange.all(from: old, to: new).map { part in
        ValueChange(
          name: field + part.path.text,
          before: part.before.map { .json($0) },
          after: part.after.map { .json($0) }
        )
      }
      if !parts.isEmpty { return parts }
    }
    return [ValueChange(name: field, before: before, after: after)]
  }

  /// `year: 2009 → 2010`, `data.tags[2]: added "x"`; the closure gives the text of a value.
  func text(_ shown: (Value) -> String) -> String {
    switch (before, after) {
    case (let before?, let after?): "\(name): \(shown(before)) → \(shown(after))"
    case (nil, let after?): "\(name): added \(shown(after))"
    case (let before?, nil): "\(name): removed \(shown(before))"
    case (nil, nil): name
    }
  }
}
