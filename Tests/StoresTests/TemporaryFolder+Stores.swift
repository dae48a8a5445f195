import OpenSwiftData
import SQLiteStores

@testable import Stores

extension TemporaryFolder {
  /// A context on the store of that name: `memory`, a log if the name ends in `catlog`, a database if in `.db`, else a JSON file.
  func context(on name: String, schema: Schema? = nil) throws -> ModelContext {
    let path = file(name)
    let container =
      switch name {
      case "memory": try ModelContainer(configurations: MemoryStoreConfiguration(schema: schema))
      case _ where name.hasSuffix("catlog"):
        try ModelContainer(configurations: LogStoreConfiguration(path: path, schema: schema))
      case _ where name.hasSuffix(".db"):
        try ModelContainer(configurations: SQLiteConfiguration(path: path, schema: schema))
      default:
        try ModelContainer(
          configurations: JSONStoreConfiguration(
            path: path,
            form: [".csv", ".tsv"].contains { name.hasSuffix($0) } ? .delimited : .json,
            schema: schema
          )
        )
      }
    return ModelContext(container)
  }

  /// The permissions that the umask leaves to a new file.
  func permissionsOfNewFile() throws -> UInt32 {
    let files = LocalFileSystem()
    let path = file("reference")
    let reference = try files.open(path, in: nil, .create(permissions: 0o666))
    defer { files.closeQuietly(reference) }
    try files.remove(path, in: nil)
    return try files.status(of: reference).permissions
  }
}
