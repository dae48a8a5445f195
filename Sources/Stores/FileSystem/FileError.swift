/// Why a file could not be opened, replaced or created.
package enum FileError: Error, Hashable, Sendable {
  /// Another program changed the file since it was read; nothing was written.
  case changedOnDisk(path: String)
  /// The file was removed since it was read; nothing was written.
  case removedOnDisk(path: String)
  /// A file with that name already exists; nothing was written.
  case alreadyExists(path: String)
  case notARegularFile(path: String, kind: FileKind)
  /// The file has other hard links, which a replacement would split off.
  case hardLinked(path: String, count: Int)
  /// Another program kept changing the file until the timeout.
  case beingChanged(path: String, seconds: Double)
  /// The lock file cannot be used by this user, or something else has its name.
  case lockUnusable(lock: String, reason: String)
  /// Another writer held the lock until the timeout.
  case busy(path: String, seconds: Double)
  /// The file is larger than the limit of the caller.
  case tooLarge(path: String, sizeBytes: Int, limitBytes: Int)
  /// The content would need more memory than there is; nothing was opened.
  case outOfMemory(path: String, neededBytes: Int, availableBytes: Int)
  /// It is unknown whether the change will survive a power failure.
  case outcomeUnknown(path: String, cause: FileSystemError)
}

extension FileError: CustomStringConvertible {
  /// One line that names the place, the problem and the remedy.
  package var description: String {
    switch self {
    case .changedOnDisk(let path):
      "\(path): changed by another program since it was read; nothing was written"
    case .removedOnDisk(let path):
      "\(path): removed by another program, nothing was written; save a copy there or elsewhere"
    case .alreadyExists(let path):
      "\(path): created by another program since it was opened, nothing was written; "
        + "open it again to add to it, or save to another location"
    case .notARegularFile(let path, let kind):
      "\(path): is a \(kind.rawValue), not a regular file"
    case .hardLinked(let path, let count):
      "\(path): has \(count) hard links, which a save would break; "
        + "remove the others or make them symbolic links"
    case .beingChanged(let path, let seconds):
      "\(path): being changed by another program (waited \(seconds) s); try again"
    case .lockUnusable(let lock, let reason):
      "\(lock): \(reason); delete it while no other program is saving"
    case .busy(let path, let seconds):
      "\(path): locked by another program (waited \(seconds) s); try again"
    case .tooLarge(let path, let size, let limit):
      "\(path): \(size) bytes exceed the limit of \(limit)"
    case .outOfMemory(let path, let needed, let available):
      "\(path): not enough memory: about \(sizeText(needed)) required, \(sizeText(available)) available; "
        + "close other programs or split the file"
    case .outcomeUnknown(let path, let cause):
      "\(path): may not have been saved (\(cause)); reopen it to check"
    }
  }
}
