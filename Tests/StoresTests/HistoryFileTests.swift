import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// The file that keeps the history of a store, beside other programs.
@Suite struct HistoryFileTests {
  /// Formerly the save of the other program was not in the history.
  @Test func twoProgramsMayCreateTheFolderAndTheFileAtTheSameTime() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("state/history/shop.csv")
    let fileSystem = FaultyFileSystem()
    let file = HistoryFile(fileSystem: fileSystem, path: path, limit: HistoryLimit())
    fileSystem.observe { call in
      // The other program comes first as soon as there is a folder.
      guard call.operation == .create, call.path == path else { return }
      _ = FileManager.default.createFile(atPath: path, contents: nil)
    }
    let frame = HistoryFrame(
      token: 1,
      id: UUID(),
      microsecondsSince1970: 5,
      run: 1,
      store: "s",
      schema: [1]
    )
    #expect(try !file.append(isFresh: false) { _ in frame })
    #expect(try file.read().frames.map(\.token) == [1])
    #expect(fileSystem.count(of: .create) == 2)
  }
}
