import Foundation
import OpenSwiftData
import StoreFiles
import SwiftData

// The code of the page "Write your own store". `DocumentedCodeTests` compares the two.

struct JSONFormat: StoreFormat {
  let file: StoreFile

  init(_ url: URL) { file = StoreFile(url) }

  func load(_ store: FormatContext) throws -> FormatContents? {
    try file.read().map { try JSONDecoder().decode(FormatContents.self, from: $0) }
  }

  func write(
    _ contents: FormatContents,
    changes: FormatChanges,
    over version: FileStamp?
  ) throws -> FileStamp? {
    try file.write(JSONEncoder().encode(contents), over: version)
  }

  var savesSchema: Bool { true }

  func version() throws -> FileStamp? { try file.stamp() }

  func withLock<Result>(_ body: () throws -> Result) throws -> Result { try file.withLock(body) }

  func watch(_ changed: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
    file.watch(changed)
  }
}

func openHikes(_ url: URL) throws -> ModelContext {
  let configuration = FormatStoreConfiguration(JSONFormat(url), name: "hikes")
  return ModelContext(try ModelContainer(for: Hike.self, configurations: configuration))
}
