package import Foundation

/// Lines that a program left behind when it died.
package struct RecoveryFileLines: Hashable, Sendable {
  /// Where they are.
  package let path: String
  /// When the last of them was written.
  package let modified: Date
  /// The lines that are whole.
  package let lines: [String]
  /// The number of bytes that are damaged, or were never written to their end.
  package let damagedBytes: Int

  /// Creates a description.
  package init(path: String, modified: Date, lines: [String], damagedBytes: Int = 0) {
    (self.path, self.modified, self.lines) = (path, modified, lines)
    self.damagedBytes = damagedBytes
  }
}

/// Where the unsaved edits of a store are kept, line by line, beside the store.
///
/// Confined to one thread.
package protocol RecoveryStorage: AnyObject {
  /// What programs that died left behind, the oldest first.
  var left: [RecoveryFileLines] { get }
  /// The path of the program's own file; nil when it has none.
  var ownPath: String? { get }
  /// This program, for those who find its file; nil where it does not matter.
  var process: KeptProcess? { get }
  /// Facts about the store's file as it is now, by which a later change of it shows; nil when there is
  /// none.
  var storeVersion: String? { get }

  /// Appends lines to the program's own file.
  ///
  /// - Returns: The size of the file in bytes.
  func append(_ lines: [String]) throws -> Int
  /// Replaces the program's own file, which is made if there is none, at once.
  ///
  /// With `takingOver` the files that were left behind go with the same step.
  ///
  /// - Returns: The size of the file in bytes.
  func replace(with lines: [String], takingOver: Bool) throws -> Int
  /// Makes the program's own file survive a crash of the machine.
  func synchronize() throws
  /// Removes the program's own file.
  func removeOwnFile() throws
  /// Makes the program's own file one of those that were left behind.
  func setOwnFileAside()
  /// Leaves files that were left behind where they are: the other calls do not touch them any more.
  func leaveAlone(_ paths: Set<String>)
  /// Keeps what was left behind under a second name, which nothing replaces.
  ///
  /// - Returns: The paths.
  func copyLeft() throws -> [String]
  /// Removes what was left behind.
  func removeLeft() throws
  /// Puts what was left behind aside; what was put aside before is replaced.
  ///
  /// - Returns: The paths.
  func putLeftAside() throws -> [String]
}

extension RecoveryStorage {
  /// Not known.
  package var process: KeptProcess? { nil }
}
