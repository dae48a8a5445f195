import Foundation
import Testing

@testable import SQLiteStores

/// Reading the first bytes of a file that may be a database, without losing locks or descriptors.
@Suite struct DatabaseStartTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// The number of descriptors of this process that refer to the file.
  private func descriptorCount(_ path: String) throws -> Int {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count {
      // A descriptor of another test may be closed meanwhile.
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
    }
  }

  private func look(_ path: String) {
    #expect(DatabaseStart.bytes(of: path, count: 6) == Array("SQLite".utf8))
  }

  @Test func oneDescriptorOfAnOpenDatabaseStaysUntilItIsClosed() throws {
    let path = try folder.database("a.db", "CREATE TABLE a (a)")
    var connections = [try otherProgram(path), try otherProgram(path)]
    let count = try descriptorCount(path)
    for _ in 0..<3 { look(path) }
    #expect(try descriptorCount(path) == count + 1)
    connections.removeLast()
    look(path)
    #expect(try descriptorCount(path) > 1)
    connections.removeLast()
    #expect(try descriptorCount(path) == 0)
  }

  @Test func otherFilesAreClosedAtOnce() throws {
    let open = try otherProgram(try folder.database("a.db", "CREATE TABLE a (a)"))
    let path = try folder.database("b.db", "CREATE TABLE b (b)")
    for _ in 0..<3 { look(path) }
    #expect(try descriptorCount(path) == 0)
    withExtendedLifetime(open) {}
  }
}
