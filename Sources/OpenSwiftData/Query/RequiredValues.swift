/// Conditions without which a record does not match a filter: each names the values of which a slot must have one.
///
/// A query for certain values need not look at the changes of records that have others.
struct RequiredValues {
  /// The values of which the records have one in a slot.
  struct Condition {
    let slot: Int
    var values: [Value]

    /// True if the value is one of them, as `=` compares.
    func contains(_ value: Value) -> Bool {
      values.contains { Filter.Comparison.equal.holds($0, value) }
    }
  }

  /// One for each slot about which the filter says something.
  private(set) var conditions: [Condition] = []

  /// The number of values in all conditions.
  var count: Int { conditions.reduce(0) { $0 + $1.values.count } }

  /// Finds such conditions in a filter; nil if there are none.
  init?(_ filter: Filter, _ layout: SnapshotLayout) {
    let parts = if case .and(let parts) = filter { parts } else { [filter] }
    for part in parts {
      guard let (name, values) = part.requiredValues, let slot = layout.slot(of: name),
        !conditions.contains(where: { $0.slot == slot })
      else { continue }
      conditions.append(Condition(slot: slot, values: values))
    }
    if conditions.isEmpty { return nil }
  }
}

extension Filter {
  /// The values of which an attribute must have one; nil if the filter says nothing of the kind.
  fileprivate var requiredValues: (name: String, values: [Value])? {
    switch self {
    case .compare(let name, .equal, let value): return (name, [value])
    case .isIn(let name, let values): return (name, values)
    case .isNull(let name): return (name, [.null])
    case .and(let parts): return parts.lazy.compactMap(\.requiredValues).first
    case .or(let parts):
      guard let first = parts.first?.requiredValues else { return nil }
      var all = first.values
      for part in parts.dropFirst() {
        guard let other = part.requiredValues, other.name == first.name else { return nil }
        all += other.values
      }
      return (first.name, all)
    default: return nil
    }
  }
}
