package import Stores

/// Files and directories in memory; as a value type, a copy is a snapshot of the disk.
package struct SimulatedDisk: Sendable {
  /// A file or directory, independent of its names.
  package struct Node: Hashable, Sendable {
    package var kind: FileKind
    package var bytes: [UInt8] = []
    package var permissions: UInt32
    package var owner: UInt32 = 1000
    package var group: UInt32 = 1000
    package var modifiedNanoseconds: Int64 = 0
    package var changedNanoseconds: Int64 = 0
  }

  /// The folder in which workloads create their stores.
  package static let folder = "/disk"

  package var nodes: [Int: Node]
  package private(set) var names: [String: Int]
  private var lastNode: Int

  /// A disk with the root and one empty folder.
  package init() {
    let directory = Node(kind: .directory, permissions: 0o755)
    nodes = [1: directory, 2: directory]
    names = ["/": 1, Self.folder: 2]
    lastNode = 2
  }

  /// A number that no file has ever had.
  mutating func newNode() -> Int {
    lastNode += 1
    return lastNode
  }

  /// The file with that name, if it and every directory above it exist.
  package func node(at path: String) -> Int? {
    guard let node = names[path] else { return nil }
    if path == "/" { return node }
    guard let parent = self.node(at: splitPath(path).directory) else { return nil }
    return nodes[parent]?.kind == .directory ? node : nil
  }

  /// The content of a file; `nil` if no file has that name.
  package func bytes(at path: String) -> [UInt8]? { node(at: path).flatMap { nodes[$0]?.bytes } }

  /// The names in a directory, sorted.
  package func list(_ directory: String) -> [String] {
    let prefix = joinPath(directory, "")
    return names.keys.filter { $0 != "/" && splitPath($0).directory == directory }
      .map { String($0.dropFirst(prefix.count)) }.sorted()
  }

  /// Hidden files of the stores except lock files, in any directory, sorted.
  var temporaryNames: [String] {
    names.keys.map { splitPath($0).name }.filter { $0.hasPrefix(".") && !$0.hasSuffix(".lock") }
      .sorted()
  }

  /// The number of names of a file.
  func nameCount(of node: Int) -> Int { names.values.count { $0 == node } }

  /// Adds a file, for tests.
  package mutating func put(_ path: String, _ bytes: [UInt8]) {
    let node = names[path] ?? newNode()
    nodes[node] = Node(kind: .regular, bytes: bytes, permissions: 0o600)
    names[path] = node
  }

  /// Applies the effect, if it changes something.
  package mutating func apply(_ effect: DiskEffect) {
    switch effect {
    case .create(let path, let node, let kind, let permissions):
      register(node, kind, permissions)
      names[path] = node
    case .write(let node, let offset, let bytes): write(node, offset, bytes)
    case .truncate(let node, let size):
      guard let count = nodes[node]?.bytes.count else { return }
      if size < count {
        nodes[node]?.bytes.removeLast(count - size)
      } else {
        nodes[node]?.bytes.append(contentsOf: repeatElement(0, count: size - count))
      }
    case .link(let path, let node): names[path] = node
    case .rename(let from, let to, let node):
      if names[from] == node { names[from] = nil }
      names[to] = node
    case .remove(let path): names[path] = nil
    case .synchronize, .synchronizeDirectory, .begun, .acknowledged: break
    }
  }

  /// Registers a file that may not have a name yet.
  mutating func register(_ node: Int, _ kind: FileKind, _ permissions: UInt32) {
    if nodes[node] == nil { nodes[node] = Node(kind: kind, permissions: permissions) }
    lastNode = max(lastNode, node)
  }

  private mutating func write(_ node: Int, _ offset: Int, _ bytes: [UInt8]) {
    guard var file = nodes.removeValue(forKey: node) else { return }
    if file.bytes.count < offset {
      file.bytes.append(contentsOf: repeatElement(0, count: offset - file.bytes.count))
    }
    let end = min(file.bytes.count, offset + bytes.count)
    file.bytes.replaceSubrange(offset..<end, with: bytes)
    nodes[node] = file
  }
}
