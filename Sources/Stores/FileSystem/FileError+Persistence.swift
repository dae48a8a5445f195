package import OpenSwiftData

extension FileError {
  /// The error as a `PersistenceError`, which is what users of the library catch.
  package var persistenceError: PersistenceError {
    let code: PersistenceError.Code =
      switch self {
      case .changedOnDisk, .removedOnDisk, .alreadyExists: .conflict
      case .notARegularFile: .notAStore
      case .hardLinked, .lockUnusable: .inaccessible
      case .busy, .beingChanged: .busy
      case .tooLarge, .outOfMemory: .limitExceeded
      case .outcomeUnknown: .outcomeUnknown
      }
    return PersistenceError(code, description, cause: self)
  }
}

extension FileSystemError {
  /// The error as a `PersistenceError`, which is what users of the library catch.
  package var persistenceError: PersistenceError {
    PersistenceError(.inaccessible, description, cause: self)
  }
}

extension PersistenceError {
  /// Converts errors of the file layer to a `PersistenceError` and returns all other errors
  /// unchanged.
  package static func reporting(_ error: any Error) -> any Error {
    switch error {
    case let error as FileError: error.persistenceError
    case let error as FileSystemError: error.persistenceError
    default: error
    }
  }
}
