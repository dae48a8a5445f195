import CSystem

/// An error number of the operating system.
package struct SystemErrorCode: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// Reported for a write that returned success and wrote nothing.
  package static let nothingWritten = Self(rawValue: 0)
  package static let notPermitted = Self(rawValue: catalog_eperm)
  package static let notFound = Self(rawValue: catalog_enoent)
  package static let interrupted = Self(rawValue: catalog_eintr)
  package static let inputOutput = Self(rawValue: catalog_eio)
  package static let badDescriptor = Self(rawValue: catalog_ebadf)
  package static let wouldBlock = Self(rawValue: catalog_eagain)
  package static let noMemory = Self(rawValue: catalog_enomem)
  package static let accessDenied = Self(rawValue: catalog_eacces)
  package static let exists = Self(rawValue: catalog_eexist)
  package static let crossDevice = Self(rawValue: catalog_exdev)
  package static let notADirectory = Self(rawValue: catalog_enotdir)
  package static let isADirectory = Self(rawValue: catalog_eisdir)
  package static let invalid = Self(rawValue: catalog_einval)
  package static let tooManyOpenFiles = Self(rawValue: catalog_emfile)
  package static let fileTooBig = Self(rawValue: catalog_efbig)
  package static let noSpace = Self(rawValue: catalog_enospc)
  package static let readOnly = Self(rawValue: catalog_erofs)
  package static let tooManyLinks = Self(rawValue: catalog_eloop)
  package static let noSuchCall = Self(rawValue: catalog_enosys)
  package static let overQuota = Self(rawValue: catalog_edquot)
  package static let notSupported = Self(rawValue: catalog_enotsup)
}

extension SystemErrorCode: CustomStringConvertible {
  /// The system's message, in lower case at the beginning unless it begins with a name.
  package var description: String {
    if self == .nothingWritten { return "nothing was written" }
    let text = String(cString: catalog_error_text(rawValue))
    guard let first = text.first, let second = text.dropFirst().first, second.isLowercase else {
      return text
    }
    return first.lowercased() + text.dropFirst()
  }
}

/// A failed call of the file system: the operation, its target and the cause.
package struct FileSystemError: Error, Hashable, Sendable {
  /// The operation that failed, worded for the message.
  package enum Operation: String, CaseIterable, Sendable {
    case open
    case create
    case close
    case inspect
    case read
    case write
    case truncate
    case synchronize
    case rename
    case link
    case remove
    case changeMode = "change the mode of"
    case changeOwner = "change the owner of"
    case copyAttributes = "copy the attributes of"
    case resolve
    case list
    case lock
    case createDirectory = "create the directory"
    case random = "get random bytes for"
  }

  package let operation: Operation
  package let path: String
  package let code: SystemErrorCode

  package init(_ operation: Operation, _ path: String, _ code: SystemErrorCode) {
    self.operation = operation
    self.path = path
    self.code = code
  }
}

extension FileSystemError: CustomStringConvertible {
  /// One line with operation, path and cause: "cannot write /x/y: no space left on device".
  package var description: String { "cannot \(operation.rawValue) \(path): \(code)" }
}
