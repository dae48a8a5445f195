import OpenSwiftData

/// JSON as a tree whose nodes know their bytes, so that one can be replaced while all others stay as they are.
struct JSONTree: Hashable, Sendable {
  /// A value in the tree.
  struct Node: Hashable, Sendable {
    /// The key or the index, such as `name` or `[2]`; empty for the whole value.
    let label: String
    /// The number of arrays and objects around it.
    let depth: Int
    /// Its bytes in the text.
    let range: Range<Int>
    /// The index after the last node inside it.
    fileprivate(set) var end: Int
    /// The number of its members or elements; nil for a single value.
    fileprivate(set) var count: Int?
    /// True for an object, whose members have keys.
    fileprivate(set) var isObject = false
  }

  /// The nodes, each before those inside it.
  private(set) var nodes: [Node] = []
  private let bytes: [UInt8]

  /// The length in bytes up to which JSON is shown as a tree.
  static let longest = 200_000

  /// Reads JSON; nil for longer and for other text.
  init?(_ json: String) {
    // White space between tokens is left out, as in records.
    guard json.utf8.count <= Self.longest, let json = try? JSONText.compact(json) else {
      return nil
    }
    let bytes = Array(json.utf8)
    self.bytes = bytes
    bytes.withUnsafeBufferPointer { add("", depth: 0, 0..<bytes.count, JSONParts($0)) }
  }

  // MARK: Nodes

  /// The JSON of a node.
  func json(of node: Node) -> String { String(decoding: bytes[node.range], as: UTF8.self) }

  /// The text of a string without quotes and escapes; nil for any other node.
  func text(of node: Node) -> String? {
    guard bytes[node.range.lowerBound] == UInt8(ascii: "\"") else { return nil }
    var reader = JSONReader(Array(bytes[node.range]))
    // The text was read as JSON before.
    guard case .text(let text)? = try? reader.next() else { return nil }
    return text
  }

  /// The path of a node: `user.tags[0]`.
  func path(of index: Int) -> String {
    var parts: [String] = []
    var depth = nodes[index].depth + 1
    for node in nodes[...index].reversed() where node.depth < depth {
      parts.append(node.label)
      depth = node.depth
    }
    return parts.reversed().reduce("") { path, part in
      path.isEmpty || part.hasPrefix("[") ? path + part : path + "." + part
    }
  }

  /// The whole JSON with another value in place of a node.
  func replacing(_ node: Node, with json: String) -> String {
    replacing(node.range, with: json)
  }

  private func replacing(_ range: Range<Int>, with json: String) -> String {
    let whole = bytes[..<range.lowerBound] + Array(json.utf8) + bytes[range.upperBound...]
    return String(decoding: whole, as: UTF8.self)
  }

  // MARK: Members and elements

  /// The node around another one; nil for the whole value.
  func parent(of index: Int) -> Int? {
    nodes[..<index].lastIndex { $0.depth < nodes[index].depth }
  }

  /// The JSON without a member or an element; nil for the whole value.
  func removing(_ index: Int) -> String? {
    guard let parent = parent(of: index) else { return nil }
    let node = nodes[index]
    let former = nodes[parent..<index].last { $0.depth == node.depth }
    var range = (nodes[parent].range.lowerBound + 1)..<node.range.upperBound
    if let former {
      range = former.range.upperBound..<node.range.upperBound
    } else if bytes[node.range.upperBound] == UInt8(ascii: ",") {
      range = range.lowerBound..<(node.range.upperBound + 1)
    }
    return replacing(range, with: "")
  }

  /// The object or the array to which a value is added at a node: the node itself, or the one around a single value.
  func container(at index: Int) -> Int? {
    nodes[index].count == nil ? parent(of: index) : index
  }

  /// The JSON with a further member, such as `"color":"red"`, or a further element: at the end of an object or an
  /// array, or after a single value.
  func adding(_ json: String, at index: Int) -> String {
    let node = nodes[index]
    guard let count = node.count else {
      return replacing(node.range.upperBound..<node.range.upperBound, with: "," + json)
    }
    let place = node.range.upperBound - 1
    return replacing(place..<place, with: (count == 0 ? "" : ",") + json)
  }

  /// The keys of an object.
  func keys(of index: Int) -> [String] {
    nodes[index..<nodes[index].end].filter { $0.depth == nodes[index].depth + 1 }.map(\.label)
  }

  // MARK: Reading

  private mutating func add(_ label: String, depth: Int, _ range: Range<Int>, _ parts: JSONParts) {
    let place = nodes.count
    nodes.append(Node(label: label, depth: depth, range: range, end: place + 1))
    let isObject = bytes[range.lowerBound] == UInt8(ascii: "{")
    guard isObject || bytes[range.lowerBound] == UInt8(ascii: "[") else { return }
    var count = 0
    parts.forEachPart(in: range) { key, part in
      add(key.map(parts.text(ofKey:)) ?? "[\(count)]", depth: depth + 1, part, parts)
      count += 1
      return true
    }
    nodes[place].isObject = isObject
    nodes[place].count = count
    nodes[place].end = nodes.count
  }
}

extension JSONTree {
  /// The JSON with a line for each value, for reading and for an editor.
  var indented: String {
    var result = ""
    var open: [(end: Int, isObject: Bool)] = []
    for (place, node) in nodes.enumerated() {
      if place > 0 {
        let gap = String(repeating: "  ", count: node.depth)
        let isFirst = nodes[place - 1].depth < node.depth
        result += (isFirst ? "\n" : ",\n") + gap
        if open.last?.isObject == true { result += JSONText.quoted(node.label) + ": " }
      }
      if let count = node.count, count > 0 {
        result += node.isObject ? "{" : "["
        open.append((node.end, node.isObject))
      } else {
        result += json(of: node)
      }
      while let last = open.last, last.end == place + 1 {
        open.removeLast()
        result += "\n" + String(repeating: "  ", count: open.count) + (last.isObject ? "}" : "]")
      }
    }
    return result
  }
}
