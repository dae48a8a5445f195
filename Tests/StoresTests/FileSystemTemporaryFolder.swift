import Foundation

/// A separate folder for a test, removed at its end.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "catalog-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // A test folder that cannot be removed does no harm.
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String) -> String { path + "/" + name }

  func put(_ name: String, _ bytes: [UInt8]) throws {
    guard FileManager.default.createFile(atPath: file(name), contents: Data(bytes)) else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  func put(_ name: String, _ text: String) throws { try put(name, Array(text.utf8)) }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: file(name))))
  }

  func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

  /// All names except those of lock files, sorted.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).filter { !$0.hasSuffix(".lock") }
      .sorted()
  }
}
