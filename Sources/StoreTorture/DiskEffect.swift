package import Stores

/// One effect of a call on a disk, or a mark that a workload set between the calls.
///
/// Files have numbers that are never reused; names are absolute paths.
package enum DiskEffect: Hashable, Sendable {
  /// An empty file or directory got its first name.
  case create(path: String, node: Int, kind: FileKind, permissions: UInt32)
  case write(node: Int, offset: Int, bytes: [UInt8])
  case truncate(node: Int, sizeBytes: Int)
  case link(path: String, node: Int)
  case rename(from: String, to: String, node: Int)
  case remove(path: String)
  /// Content and size of a file are durable from here on.
  case synchronize(node: Int)
  /// The names of a directory are durable from here on.
  case synchronizeDirectory(path: String)
  /// The save with this number was requested.
  case begun(Int)
  /// The save with this number was acknowledged.
  case acknowledged(Int)
}

extension DiskEffect {
  /// The directory whose names it changes; `nil` if it does not change names.
  var directory: String? {
    switch self {
    case .create(let path, _, _, _), .link(let path, _), .remove(let path),
      .rename(_, let path, _):
      splitPath(path).directory
    default: nil
    }
  }

  /// The file whose content it changes; `nil` if it does not change content.
  var contentNode: Int? {
    switch self {
    case .write(let node, _, _), .truncate(let node, _): node
    default: nil
    }
  }

  /// A short description, for the description of a crash state.
  package var summary: String {
    switch self {
    case .create(let path, let node, _, _): "create \(path) (\(node))"
    case .write(let node, let offset, let bytes): "write \(node)@\(offset)+\(bytes.count)"
    case .truncate(let node, let size): "truncate \(node) to \(size)"
    case .link(let path, let node): "link \(node) as \(path)"
    case .rename(let from, let to, _): "rename \(from) to \(to)"
    case .remove(let path): "remove \(path)"
    case .synchronize(let node): "sync \(node)"
    case .synchronizeDirectory(let path): "sync directory \(path)"
    case .begun(let save): "begin save \(save)"
    case .acknowledged(let save): "acknowledge save \(save)"
    }
  }
}
