import CFaultySQLite
import Stores

/// Records what SQLite writes on this thread, as effects on a disk.
final class DatabaseRecorder {
  private(set) var effects: [DiskEffect] = []
  private var nodes: [String: Int]
  private var lastNode: Int

  /// Starts with the files of a disk.
  init(_ disk: SimulatedDisk) {
    nodes = disk.names
    lastNode = disk.nodes.keys.max() ?? 2
  }

  func mark(_ effect: DiskEffect) { effects.append(effect) }

  /// Records while the body runs.
  func recording<Result>(_ body: () throws -> Result) rethrows -> Result {
    let context = Unmanaged.passUnretained(self).toOpaque()
    faulty_observe(
      { context, effect, path, offset, bytes, count in
        guard let context, let path else { return }
        let recorder = Unmanaged<DatabaseRecorder>.fromOpaque(context).takeUnretainedValue()
        let written = UnsafeRawBufferPointer(start: bytes, count: Int(count))
        recorder.note(effect, String(cString: path), Int(offset), Array(written))
      },
      context
    )
    defer { faulty_observe(nil, nil) }
    return try body()
  }

  private func note(_ effect: Int32, _ path: String, _ offset: Int, _ bytes: [UInt8]) {
    let name = joinPath(SimulatedDisk.folder, splitPath(path).name)
    if name.hasSuffix("-shm") { return }
    switch UInt32(effect) {
    case FAULTY_CREATED.rawValue:
      lastNode += 1
      nodes[name] = lastNode
      effects.append(.create(path: name, node: lastNode, kind: .regular, permissions: 0o644))
    case FAULTY_DELETED.rawValue:
      nodes[name] = nil
      effects.append(.remove(path: name))
    case FAULTY_SYNCED_FOLDER.rawValue:
      effects.append(.synchronizeDirectory(path: SimulatedDisk.folder))
    default:
      // Temporary files have no place on the disk after a crash.
      guard let node = nodes[name] else { return }
      switch UInt32(effect) {
      case FAULTY_WRITTEN.rawValue:
        effects.append(.write(node: node, offset: offset, bytes: bytes))
      case FAULTY_TRUNCATED.rawValue: effects.append(.truncate(node: node, sizeBytes: offset))
      default: effects.append(.synchronize(node: node))
      }
    }
  }
}
