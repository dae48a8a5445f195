import OpenSwiftData

/// A part of a JSON value that differs between two versions.
struct JSONChange: Hashable, Sendable {
  /// The way to the part.
  let path: JSONPath
  /// The part before, as JSON; nil if it was added.
  let before: String?
  /// The part after, as JSON; nil if it was removed.
  let after: String?

  /// The number of parts from which on two values count as different as a whole.
  private static let most = 100

  /// The smallest parts that differ between two versions of an object or an array, in order.
  ///
  /// - Returns: Empty for other values, for equal ones, and for versions with hardly anything in common.
  /// - Complexity: O(n) in the length of the JSON.
  static func all(from before: String, to after: String) -> [JSONChange] {
    guard let before = JSONTree(before), let after = JSONTree(after) else { return [] }
    var comparison = JSONComparison(before: before, after: after)
    guard comparison.compare(0, 0, at: []), comparison.changes.count <= most else { return [] }
    return comparison.changes
  }
}

/// Finds the parts in which two trees differ.
private struct JSONComparison {
  let before: JSONTree
  let after: JSONTree
  var changes: [JSONChange] = []

  /// Adds the differences between two nodes at the same path.
  ///
  /// - Returns: False if they can only be compared as a whole.
  mutating func compare(_ old: Int, _ new: Int, at path: [JSONPath.Step]) -> Bool {
    let (oldNode, newNode) = (before.nodes[old], after.nodes[new])
    guard oldNode.count != nil, newNode.count != nil, oldNode.isObject == newNode.isObject else {
      return false
    }
    return oldNode.isObject ? compareMembers(old, new, at: path) : compareElements(old, new, path)
  }

  private mutating func compareMembers(_ old: Int, _ new: Int, at path: [JSONPath.Step]) -> Bool {
    let (former, present) = (before.children(of: old), after.children(of: new))
    var places: [String: Int] = [:]
    for place in present { places[after.nodes[place].label] = place }
    let names = Set(former.map { before.nodes[$0].label })
    // Members with the same name cannot be told apart.
    guard names.count == former.count, places.count == present.count else { return false }
    for place in former {
      let name = before.nodes[place].label
      add(place, places[name], at: path + [.member(name)])
    }
    for place in present where !names.contains(after.nodes[place].label) {
      add(nil, place, at: path + [.member(after.nodes[place].label)])
    }
    return true
  }

  /// Elements between the equal ones at both ends are compared in turn; what is left over was added or removed.
  private mutating func compareElements(_ old: Int, _ new: Int, _ path: [JSONPath.Step]) -> Bool {
    let (former, present) = (before.children(of: old), after.children(of: new))
    let most = min(former.count, present.count)
    func isEqual(_ place: Int, _ other: Int) -> Bool {
      before.json(of: before.nodes[former[place]]) == after.json(of: after.nodes[present[other]])
    }
    let start = (0..<most).first { !isEqual($0, $0) } ?? most
    let end =
      (0..<(most - start)).first { !isEqual(former.count - 1 - $0, present.count - 1 - $0) }
      ?? most - start
    let (lastOld, lastNew) = (former.count - end, present.count - end)
    for place in start..<max(lastOld, lastNew) {
      add(
        place < lastOld ? former[place] : nil,
        place < lastNew ? present[place] : nil,
        at: path + [.element(place)]
      )
    }
    return true
  }

  /// Adds the difference between the nodes of a member or an element.
  private mutating func add(_ old: Int?, _ new: Int?, at path: [JSONPath.Step]) {
    let (former, present) = (
      old.map { before.json(of: before.nodes[$0]) }, new.map { after.json(of: after.nodes[$0]) }
    )
    guard former != present else { return }
    if let old, let new, compare(old, new, at: path) { return }
    changes.append(JSONChange(path: JSONPath(path), before: former, after: present))
  }
}

extension JSONTree {
  /// The members or elements of a node.
  fileprivate func children(of place: Int) -> [Int] {
    var children: [Int] = []
    var child = place + 1
    while child < nodes[place].end {
      children.append(child)
      child = nodes[child].end
    }
    return children
  }
}
