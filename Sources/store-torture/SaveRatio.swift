import Foundation
import OpenSwiftData
import StoreTorture
import Stores

/// Compares the time of a durable save with that of the raw calls for the same bytes, alternately.
///
/// For a log, raw means a write at the end and `fdatasync`; for a JSON file a new file that is
/// written, synchronized and renamed over the old one, and then the folder synchronized.
struct SaveRatio {
  private static let rounds = 600
  private static let recordCount = 1000

  private(set) var figures = TortureFigures()
  private var saves: [Double] = []
  private var raws: [Double] = []
  private let store: TorturedStore
  private let folder: WorkFolder

  init(_ store: TorturedStore) throws {
    self.store = store
    folder = try WorkFolder(onDisk: true)
  }

  /// The result in one line.
  var summary: String {
    let (save, raw) = (Self.median(saves), Self.median(raws))
    let text = [save / raw, save, raw].map { String(format: "%.2f", $0) }
    return "\(text[0]) times the raw calls (median \(text[1]) µs against \(text[2]) µs), aim 1.30"
  }

  /// Saves many times.
  ///
  /// - Returns: This, with its figures.
  consuming func run() throws -> SaveRatio {
    let path = "\(folder.path)/films.\(store == .log ? "catlog" : "json")"
    let fileSystem = LocalFileSystem()
    let container = try ModelContainer(
      configurations: store.configuration(fileSystem, path: path)
    )
    let context = ModelContext(container)
    for number in 0..<Self.recordCount {
      let record = Record(entity: try TorturedStore.schema.entity(named: "Film"))
      try record.set(.text("film number \(number)"), for: "title")
      try record.set(.text("a note of some length"), for: "note")
      context.insert(record)
    }
    try context.save()
    let identifiers = try context.fetchIdentifiers(matching: Query("Film"))
    let raw = try RawFile(folder.path + "/raw", Data(contentsOf: URL(filePath: path)))
    for round in 0..<Self.rounds {
      let place = round * 7 % identifiers.count
      let record = try context.records(for: [identifiers[place]]).first
      let before = try Self.size(path)
      let start = ContinuousClock.now
      try record?.set(.text("edited in round \(round)"), for: "title")
      try context.save()
      saves.append((.now - start) / .microseconds(1))
      var bytes = try Data(contentsOf: URL(filePath: path))
      if store == .log { bytes = bytes.dropFirst(before) }
      raws.append(try store == .log ? raw.append(Array(bytes)) : raw.replace(Array(bytes)))
    }
    figures.tries = saves.count
    return self
  }

  private static func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

  private static func size(_ path: String) throws -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw RawFile.Failure(call: "stat") }
    return status.st_size
  }
}

/// A file that is written with only the necessary calls.
private final class RawFile {
  struct Failure: Error {
    let call: String
  }

  private let path: String
  private var descriptor: Int32
  private let folder: Int32
  private var end: Int

  init(_ path: String, _ content: Data) throws {
    self.path = path
    try content.write(to: URL(filePath: path))
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    folder = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    end = content.count
    guard descriptor >= 0, folder >= 0, fsync(descriptor) == 0 else { throw Failure(call: "open") }
  }

  deinit {
    close(descriptor)
    close(folder)
  }

  /// Writes at the end; returns the microseconds.
  func append(_ bytes: [UInt8]) throws -> Double {
    let start = ContinuousClock.now
    guard pwrite(descriptor, bytes, bytes.count, off_t(end)) == bytes.count else {
      throw Failure(call: "pwrite")
    }
    guard fdatasync(descriptor) == 0 else { throw Failure(call: "fdatasync") }
    end += bytes.count
    return (.now - start) / .microseconds(1)
  }

  /// Replaces the file; returns the microseconds.
  func replace(_ bytes: [UInt8]) throws -> Double {
    let start = ContinuousClock.now
    let new = open(path + ".new", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard new >= 0 else { throw Failure(call: "open") }
    guard write(new, bytes, bytes.count) == bytes.count else { throw Failure(call: "write") }
    guard fsync(new) == 0 else { throw Failure(call: "fsync") }
    close(new)
    guard rename(path + ".new", path) == 0 else { throw Failure(call: "rename") }
    guard fsync(folder) == 0 else { throw Failure(call: "fsync of the folder") }
    return (.now - start) / .microseconds(1)
  }
}
