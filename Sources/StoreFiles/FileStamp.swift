import Stores

/// Tells whether a file has changed: another file under its name, or another size or time.
///
/// May be sent anywhere.
public struct FileStamp: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  private let sizeBytes: Int
  private let modifiedNanoseconds: Int64
  private let changedNanoseconds: Int64

  init(_ status: FileStatus) {
    device = status.device
    inode = status.inode
    sizeBytes = status.sizeBytes
    modifiedNanoseconds = status.modifiedNanoseconds
    changedNanoseconds = status.changedNanoseconds
  }
}
