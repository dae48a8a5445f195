package import OpenSwiftData

extension FileError {
  /// The same as a user of the library meets it.
  package var persistenceError: PersistenceError {
    let code: PersistenceError.Code =
      switch self {
      case .changedOnDisk, .removedOnDisk, .alreadyExists: .conflict
      case .notARegularFile: .notAStore
      case .hardLinked, .lockNotShared: .inaccessible
      case .busy, .beingChanged: .busy
      case .tooLarge: .limitExceeded
      case .outcomeUnknown: .outcomeUnknown
      }
    return PersistenceError(code, description, cause: self)
  }
}

extension FileSystemError {
  /// The same as a user of the library meets it.
  package var persistenceError: PersistenceError {
    PersistenceError(.inaccessible, description, cause: self)
  }
}

extension PersistenceError {
  /// Any error of the file layer as a `PersistenceError`; others stay what they are.
  package static func reporting(_ error: any Error) -> any Error {
    switch error {
    case let error as FileError: error.persistenceError
    case let error as FileSystemError: error.persistenceError
    default: error
    }
  }
}
