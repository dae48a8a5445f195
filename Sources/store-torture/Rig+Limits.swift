import Foundation
import StoreTorture

extension Rig {
  private static var own: String { CommandLine.arguments[0] }

  /// A shell line that mounts a small file system in a private namespace, then runs another line.
  private static func mounting(_ options: String, on folder: String, then line: String) -> String {
    let unshare = geteuid() == 0 ? "unshare -m" : "unshare -Urm"
    return "exec \(unshare) sh -c 'mount -t tmpfs -o \(options) tmpfs \"\(folder)\" && \(line)'"
  }

  /// Why no file system can be mounted; nil if one can.
  private static func reasonAgainstMounting(_ work: RigWork) throws -> String? {
    let result = try work.shell(mounting("size=64k", on: work.folder.path, then: "true"))
    return result.status == 0 ? nil : "no tmpfs can be mounted: \(result.output.prefix(80))"
  }

  /// Fills a file system of a given size with a store until it is full.
  static let smallDisk = Rig(name: "small-disk", unit: "full disks") { work, isOver in
    if let reason = try reasonAgainstMounting(work) { return .skipped(reason) }
    var figures = TortureFigures()
    for store in TorturedStore.ofProcesses {
      for kilobytes in [4, 8, 12, 16, 24, 32, 48, 64, 100, 128] where !isOver() {
        try fill(work, store, "size=\(kilobytes)k", &figures)
      }
    }
    return .figures(figures)
  }

  /// Fills a file system that limits the number of files.
  static let fewNodes = Rig(name: "few-files", unit: "disks with few files") { work, isOver in
    if let reason = try reasonAgainstMounting(work) { return .skipped(reason) }
    var figures = TortureFigures()
    for store in TorturedStore.ofProcesses {
      for nodes in 1...6 where !isOver() {
        try fill(work, store, "size=48k,nr_inodes=\(nodes)", &figures)
      }
    }
    return .figures(figures)
  }

  /// The child checks the store itself, because the file system disappears with it.
  private static func fill(
    _ work: RigWork,
    _ store: TorturedStore,
    _ options: String,
    _ figures: inout TortureFigures
  ) throws {
    let filler = "\"\(own)\" --filler \(store.rawValue) \"\(work.path(store))\""
    let line = mounting(options, on: work.folder.path, then: "exec \(filler)")
    let result = try work.shell(line)
    figures.tries += 1
    guard result.status != 0 else { return }
    figures.note("\(store.rawValue), \(options): \(result.output.suffix(200))")
  }

  /// Limits the file size in kilobytes; the resulting signal ends the process or is ignored.
  static let fileSize = Rig(name: "file-size", unit: "limits on the size of files") {
    work,
    isOver in
    var figures = TortureFigures()
    for store in TorturedStore.ofProcesses {
      for kilobytes in [1, 2, 3, 5, 8, 13, 21, 34, 55] where !isOver() {
        for isIgnored in [false, true] {
          try work.prepare(store)
          let path = "\(work.folder.path)/limited.\(store.ending)"
          let trap = isIgnored ? "trap '' XFSZ; " : ""
          // dash counts in blocks of 512 bytes.
          let limit = "ulimit -f \(kilobytes * 2) && "
          let saver = "exec timeout 20 '\(own)' --saver \(store.rawValue) '\(path)'"
          let result = try work.shell(trap + limit + saver)
          figures.tries += 1
          let what = "\(store.rawValue), at most \(kilobytes) KiB\(isIgnored ? ", ignored" : "")"
          if result.status == 0 || result.status == 124 { figures.note("\(what): no limit") }
          if let problem = work.problemOfFilled(path, store, result.output) {
            figures.note("\(what): \(problem)")
          }
        }
      }
    }
    return .figures(figures)
  }

  /// Limits the number of files that the program may open.
  static let fewDescriptors = Rig(name: "descriptors", unit: "limits on open files") {
    work,
    isOver in
    guard let program = work.program, access(program, X_OK) == 0 else {
      return .skipped("the program is not built")
    }
    var figures = TortureFigures()
    for store in TorturedStore.ofProcesses {
      for count in 3...16 where !isOver() {
        try work.prepare(store)
        let line = "ulimit -n \(count) && exec timeout 20 \(work.saving(store))"
        let result = try work.shell(line)
        figures.tries += 1
        if result.status == 124 { figures.note("\(store.rawValue), \(count) files: it hangs") }
        if let problem = work.problem(store, status: result.status, output: result.output) {
          figures.note("\(store.rawValue), \(count) files: \(problem)")
        }
      }
    }
    return .figures(figures)
  }
}
