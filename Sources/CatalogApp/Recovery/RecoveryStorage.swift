package import Foundation

/// The lines of a crashed run's recovery file.
package struct RecoveryFileLines: Hashable, Sendable {
  /// The path of the file.
  package let path: String
  /// The time when the last of them was written.
  package let modified: Date
  /// The intact lines.
  package let lines: [String]
  /// The number of bytes that are damaged or truncated.
  package let damagedBytes: Int

  package init(path: String, modified: Date, lines: [String], damagedBytes: Int = 0) {
    (self.path, self.modified, self.lines) = (path, modified, lines)
    self.damagedBytes = damagedBytes
  }
}

/// Stores the recovery files of a store, line by line, next to the store.
///
/// Confined to one thread.
package protocol RecoveryStorage: AnyObject {
  /// The recovery files of crashed runs, oldest first.
  var left: [RecoveryFileLines] { get }
  /// The path of this run's file; nil if there is none.
  var ownPath: String? { get }
  /// This program, for other programs that find its file; nil if it does not matter.
  var process: RecoveryProcess? { get }
  /// The current version of the store's file, which shows later changes; nil if there is none.
  var storeVersion: String? { get }

  /// Appends lines to the program's own file.
  ///
  /// - Returns: The size of the file in bytes.
  func append(_ lines: any Sequence<String>) throws -> Int
  /// Creates or replaces this run's file in one step.
  ///
  /// With `takingOver` the same step removes the files of crashed runs.
  ///
  /// - Returns: The size of the file in bytes.
  func replace(with lines: any Sequence<String>, takingOver: Bool) throws -> Int
  /// Appends a line to this run's file and makes it survive a crash of the machine, from the thread of a save; nil if
  /// there is no file.
  ///
  /// A line that cannot be written is missing; the next call writes the rest all the same.
  var lineWriter: (@Sendable (String) -> Void)? { get }
  /// Makes the program's own file survive a crash of the machine.
  func synchronize() throws
  /// Removes the program's own file.
  func removeOwnFile() throws
  /// Turns this run's file into one of those to recover.
  func setOwnFileAside()
  /// Excludes files of crashed runs from the other calls, which then do not change them.
  func keepFiles(_ paths: Set<String>)
  /// Copies the files of crashed runs to second names, which are never overwritten.
  ///
  /// - Returns: The paths.
  func copyFound() throws -> [String]
  /// Removes the files of crashed runs.
  func removeFound() throws
  /// Moves the files of crashed runs aside, replacing those moved earlier.
  ///
  /// - Returns: The paths.
  func setFoundAside() throws -> [String]
}

extension RecoveryStorage {
  /// Returns nil.
  package var process: RecoveryProcess? { nil }
  /// Returns nil, for storage without a file.
  package var lineWriter: (@Sendable (String) -> Void)? { nil }
}
