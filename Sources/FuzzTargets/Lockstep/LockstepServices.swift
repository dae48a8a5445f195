import CatalogApp
import OpenSwiftData
import StoreTorture
import Stores

/// A world in memory: files for import and export, and a disk for the stores.
final class LockstepServices: FilesInMemory {
  var files: [String: [UInt8]] = [:]
  private let disk: SimulatedFileSystem

  init(seed: UInt64, _ files: [String: [UInt8]] = [:]) {
    var disk = SimulatedDisk()
    for (name, bytes) in files { disk.put(joinPath(SimulatedDisk.folder, name), bytes) }
    self.disk = SimulatedFileSystem(disk, seed: seed)
  }

  var author: String? { nil }
  var outputWidth: Int? { nil }

  func session(_ path: String, _ memory: ModelContainer?) throws -> Session {
    let container = try memory ?? open(path, schema: nil, isReadOnly: false).container
    return Session(container: container, storeName: path, services: self)
  }

  func open(_ location: String, schema: Schema?, isReadOnly: Bool) throws -> OpenedStore {
    let path = joinPath(SimulatedDisk.folder, location)
    let container: ModelContainer
    if location.hasSuffix(".catlog") {
      container = try ModelContainer(
        configurations: LogStoreConfiguration(path: path, schema: schema, fileSystem: disk)
      )
    } else {
      container = try ModelContainer(
        configurations: JSONStoreConfiguration(path: path, schema: schema, fileSystem: disk)
      )
    }
    return OpenedStore(container: container, name: location, exists: false)
  }
}
