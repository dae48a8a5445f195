/// The places of changes by the values that a slot has, or had.
///
/// May contain places of changes that no longer have the value.
struct ChangeIndex {
  let slot: Int
  /// The first link of the chain for a hash, and the length of the chain.
  private var heads: [Int: (link: Int32, count: Int32)] = [:]
  private var links: [(place: Int32, next: Int32)] = []

  init(slot: Int) { self.slot = slot }

  /// Adds a change; one that has both values is found by either.
  mutating func add(_ state: ModelState, _ place: Int) {
    let value = state.orderedValues[slot]
    add(value, place)
    guard state.pendingKind != .inserted else { return }
    let original = state.original(at: slot)
    if original != value { add(original, place) }
  }

  private mutating func add(_ value: Value, _ place: Int) {
    let link = Int32(links.count)
    let former = heads[value.hashOfEqual] ?? (-1, 0)
    links.append((Int32(place), former.link))
    heads[value.hashOfEqual] = (link, former.count + 1)
  }

  /// At least the number of places of some values.
  func count(of values: [Value]) -> Int {
    values.reduce(0) { $0 + Int(heads[$1.hashOfEqual]?.count ?? 0) }
  }

  /// The places of some values, in order.
  ///
  /// - Complexity: O(k log k) for k places.
  func places(of values: [Value]) -> [Int] {
    var found: Set<Int> = []
    for value in values {
      var link = heads[value.hashOfEqual]?.link ?? -1
      while link >= 0 {
        found.insert(Int(links[Int(link)].place))
        link = links[Int(link)].next
      }
    }
    return found.sorted()
  }
}

extension Value {
  /// The same for all values between which the comparison `=` holds; numbers of every kind can be equal.
  var hashOfEqual: Int {
    // Equal numbers have the same double.
    asDouble.map { Value.number($0).hashValue } ?? hashValue
  }
}
