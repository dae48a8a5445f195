/// The kind of file that a directory entry refers to.
package enum FileKind: String, Sendable {
  case regular = "regular file"
  case directory = "directory"
  case link = "symbolic link"
  case pipe = "pipe"
  case socket = "socket"
  case device = "device"
  case other = "special file"
}

/// The status that the file system reports for a file at one moment.
package struct FileStatus: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64
  package var kind: FileKind
  package var sizeBytes: Int
  package var modifiedNanoseconds: Int64
  package var changedNanoseconds: Int64
  /// The twelve permission bits.
  package var permissions: UInt32
  package var owner: UInt32
  package var group: UInt32
  package var linkCount: Int

  package init(
    device: UInt64,
    inode: UInt64,
    kind: FileKind,
    sizeBytes: Int,
    modifiedNanoseconds: Int64,
    changedNanoseconds: Int64,
    permissions: UInt32,
    owner: UInt32,
    group: UInt32,
    linkCount: Int
  ) {
    self.device = device
    self.inode = inode
    self.kind = kind
    self.sizeBytes = sizeBytes
    self.modifiedNanoseconds = modifiedNanoseconds
    self.changedNanoseconds = changedNanoseconds
    self.permissions = permissions
    self.owner = owner
    self.group = group
    self.linkCount = linkCount
  }

  /// Whether both are the same file, whatever its content is now.
  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode
  }

  /// Whether both are the same file with the same content, even if the file has lost its name
  /// since.
  package func hasSameContent(as other: FileStatus) -> Bool {
    isUntouched(since: other)
      // For the system, losing the name changes the status of a file, but not its content.
      || linkCount == 0 && isSameFile(as: other) && sizeBytes == other.sizeBytes
        && modifiedNanoseconds == other.modifiedNanoseconds
  }

  /// Whether every user who may write the file may also create files in this folder, which contains
  /// it.
  func admitsWriters(of file: FileStatus) -> Bool {
    let isForAll = permissions & 0o002 != 0
    let isForGroup = isForAll || permissions & 0o020 != 0 && group == file.group
    let isForOwner = isForGroup || owner == file.owner || file.owner == 0
    return isForOwner && (isForGroup || file.permissions & 0o020 == 0)
      && (isForAll || file.permissions & 0o002 == 0)
  }

  /// Whether both are the same file, without any change in between.
  package func isUntouched(since other: FileStatus) -> Bool {
    isSameFile(as: other) && sizeBytes == other.sizeBytes
      && modifiedNanoseconds == other.modifiedNanoseconds
      && changedNanoseconds == other.changedNanoseconds
  }
}

/// A version of a file that was read or written: its status, and a digest of its content.
package struct FileVersion: Hashable, Sendable {
  package var status: FileStatus
  /// Tells a file with only a new modification time from a changed one; `nil` if never computed.
  package var digest: ContentDigest?
  /// False if the file system could not make the name durable when the file was written.
  package var hasDurableName = true

  package init(status: FileStatus, digest: ContentDigest?) {
    self.status = status
    self.digest = digest
  }
}

/// An open file: its descriptor, and its path for messages.
///
/// A plain value that owns nothing; the caller that opened the file closes it.
package struct OpenFile: Hashable, Sendable {
  package let number: Int32
  package let path: String

  package init(number: Int32, path: String) {
    self.number = number
    self.path = path
  }
}

/// How a file is opened.
///
/// Links are never followed, and opening never waits.
package enum OpenMode: Hashable, Sendable {
  case read
  case readWrite
  /// Creates the file, readable and writable; fails with `exists` if the name is in use.
  case create(permissions: UInt32)
}
