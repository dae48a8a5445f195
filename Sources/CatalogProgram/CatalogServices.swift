import CatalogApp
import Foundation
import Glibc
import OpenSwiftData
import Stores

/// The services of the running program: stores by location, files, standard output.
struct CatalogServices: Services {
  let fileSystem: any FileSystem
  let author: String?
  let output: StandardOutput
  /// The user whose recovery files are accepted.
  var owner: UInt32 = 0
  /// This program, as its recovery files identify it.
  var process: RecoveryProcess?
  /// How much history a log keeps.
  var history = HistoryRetention.all
  /// How long a save waits for a locked store; nil for the default.
  var lockTimeoutSeconds: Double?
  /// The point in the history at which a read-only store is opened; nil for the present.
  var end: HistoryPoint?
  /// The user's own folder.
  var home: String?
  /// The folder for recovery files of stores with a URL; nil if unknown.
  var recoveryFolder: String?
  /// The folder for the views of stores; nil if they are not used.
  var viewFolder: String?
  /// The folder for the history of stores that do not keep it themselves; nil to keep none.
  var historyFolder: String?
  var historyProblem: String?
  /// The folder for the ways in which the screen reads files; nil if unknown.
  var readingFolder: String?
  var usesKeptReadings = false
  /// True if a file is refused of which it is not certain how it is read.
  var refusesDoubt = false
  /// False if views are only read.
  var keepsViews = true
  /// The kinds of stores.
  var kinds = StoreKind.all
  /// How lists and tables are printed.
  var outputStyle = OutputStyle()
  /// The standard input, if it is data; nil if it is the script or belongs to the screen.
  var input: DescriptorReader?
  /// The folder for the user's themes; nil if the environment names none.
  var themeFolder: String?

  var outputWidth: Int? { output.width }
  var clock = LocalClock.clock
  var keyHelp: [String] { HelpText.allKeys(.standard) }

  func open(_ location: String, schema: Schema?, isReadOnly: Bool) throws -> OpenedStore {
    try open(location, schema: schema, isReadOnly: isReadOnly, reading: nil)
  }

  func open(_ location: String, schema: Schema?, isReadOnly: Bool, reading: ReadingOptions?) throws
    -> OpenedStore
  {
    try open(
      self.location(location, store: nil),
      schema: schema,
      isReadOnly: isReadOnly,
      reading: reading
    )
  }

  func isSame(_ location: String, _ other: String) throws -> Bool {
    let locations = try [location, other].map { try self.location($0, store: nil) }
    guard locations.allSatisfy(\.isFile) else {
      return locations[0].shown == locations[1].shown
    }
    let paths = locations.map(\.path)
    // A path that cannot be resolved does not belong to an open store.
    return paths[0] == paths[1]
      || (try? fileSystem.resolve(paths[0]) == fileSystem.resolve(paths[1])) ?? false
  }

  func isMissing(_ location: String) -> Bool {
    // A location that cannot be read is reported when it is opened.
    guard let location = try? self.location(location, store: nil) else { return false }
    return location.isFile && !exists(location)
  }

  func recovery(for location: String) -> Recovery? {
    // A location that cannot be read has not been opened by any program.
    (try? self.location(location, store: nil)).flatMap { recovery(for: $0) }
  }

  /// The recovery files of a store; nil for a store in memory.
  func recovery(for location: StoreLocation) -> Recovery? {
    if location.isURL { return remoteRecovery(for: location) }
    guard location.isFile else { return nil }
    // Without the folder of the store there is no place for a recovery file; saving reports that, too.
    let storage = try? StoreRecovery(
      fileSystem: fileSystem,
      storePath: location.path,
      owner: owner,
      process: process
    )
    return storage.map { Recovery($0) }
  }

  /// Parses a location; the letters before a colon must name a kind of store, unless a file of that
  /// name exists.
  func location(_ text: String, store: String?) throws -> StoreLocation {
    if let url = try urlLocation(text, store: store) { return url }
    let text = expanded(text)
    if let scheme = StoreLocation.unknownScheme(of: text, among: kinds), !exists(text) {
      let names = kinds.map(\.name)
      throw CommandError(
        Suggestion.message("unknown store kind", scheme, among: names)
          + "; to open a file with that name, use \(Value.quoted("./" + text))"
      )
    }
    return try StoreLocation(text, store: store, kinds: kinds)
  }

  /// Opens the store as somebody has said that its file is read, or as it was kept, or by the rule.
  func open(
    _ location: StoreLocation,
    schema: Schema?,
    isReadOnly: Bool,
    reading: ReadingOptions? = nil
  ) throws -> OpenedStore {
    try requireSeparatedValues(location.kind == "csv", location.name, reading)
    let kept = location.kind == "csv" && exists(location) ? keptReading(of: location) : nil
    if reading == nil, let kept { return try open(location, isReadOnly: isReadOnly, keeping: kept) }
    do {
      return try open(location, schema: schema, isReadOnly: isReadOnly, by: reading)
    } catch let error as PersistenceError where reading == nil && usesKeptReadings {
      return try openRefused(location, error)
    }
  }

  /// Opens the store, whose file is read as options say.
  func open(
    _ location: StoreLocation,
    schema: Schema?,
    isReadOnly: Bool,
    by reading: ReadingOptions?,
    readOnlyReason: String? = nil,
    readingNote: String? = nil
  ) throws -> OpenedStore {
    let exists = self.exists(location)
    if exists { try requireFile(location) }
    if location.isFile, !exists {
      // The system would ignore the slash.
      guard !location.path.hasSuffix("/") else {
        throw CommandError(
          "\(location.path): a name that ends in / is a folder; give the name of a file",
          code: .inaccessible
        )
      }
      let inner = CompressedFile.innerName(of: location.path)
      guard location.path.hasSuffix(inner) else {
        throw CommandError(
          "\(location.path): no such file, and a new one cannot be compressed; use \(inner), and compress that",
          code: .inaccessible
        )
      }
      try requireKnownExtension(location)
      // A missing folder is reported now, not at the first save.
      // Another program may have created the file in between.
      guard !FileManager.default.fileExists(atPath: location.path) || self.exists(location.path)
      else {
        throw CommandError(
          "\(location.path): is a pipe; save its output to a file and "
            + "open that"
        )
      }
      do {
        _ = try fileSystem.resolve(location.path)
      } catch  where error.code == .notFound {
        let folder = location.path.split(separator: "/").dropLast().joined(separator: "/")
        throw CommandError(
          "no such folder: \(location.path.hasPrefix("/") ? "/" : "")\(folder)"
            + "; create it or choose another location",
          code: .inaccessible
        )
      } catch {
        throw PersistenceError(.inaccessible, error.description, cause: error)
      }
    }
    if exists, let opened = try openCompressed(location, reading) { return opened }
    let container = try location.open(
      StoreOpening(
        schema: schema,
        isReadOnly: isReadOnly,
        history: history,
        lockTimeoutSeconds: lockTimeoutSeconds,
        historyPath: historyPath(of: location),
        reading: reading ?? ReadingOptions(),
        end: end
      ),
      kinds: kinds
    )
    // A service that saves nothing says so before anything is edited.
    let remoteReason =
      location.isURL && !isReadOnly
      ? container.stores.lazy.compactMap { ($0 as? any MaintainableStore)?.readOnlyReason }.first
      : nil
    let opened = OpenedStore(
      container: container,
      name: location.name,
      exists: exists,
      isLasting: location.isFile || location.isURL,
      entityName: location.entityName(kinds: kinds) ?? location.entityName(in: container.schema),
      readOnlyReason: readOnlyReason ?? remoteReason,
      readingNote: readingNote
    )
    return try certain(opened)
  }

  /// Refuses a new file with an extension that no kind of store has: its name would promise another format.
  private func requireKnownExtension(_ location: StoreLocation) throws {
    guard let ending = location.unknownExtension, !isStream(location.path) else { return }
    let known = kinds.flatMap(\.endings)
    throw CommandError(
      "\(Value.quoted(location.path)): unknown format \(Value.quoted(ending)); use a name ending in "
        + "\(known.dropLast().joined(separator: ", ")) or \(known.last ?? ""), or json:\(location.path)",
      code: .unsupported
    )
  }

  /// Refuses a folder for the kinds of stores that are files.
  private func requireFile(_ location: StoreLocation) throws {
    guard location.isFile, isFolder(location.path),
      StoreKind.standard.contains(where: { $0.name == location.kind })
    else { return }
    throw CommandError(
      "\(location.path): is a directory; give the name of a file in it",
      code: .inaccessible
    )
  }

  func paths(beginning text: String) -> [String] {
    // Only the service knows what it contains.
    guard LocationText.scheme(of: text) == nil else { return [] }
    // The text before a colon is the kind of the store.
    let kind = kinds.first { text.hasPrefix($0.name + ":") }.map { $0.name + ":" } ?? ""
    let path = expanded(String(text.dropFirst(kind.count)))
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let (folder, beginning) = (String(path[..<slash]), path[slash...])
    // A folder that cannot be read offers no names.
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)
    return (names ?? []).filter { name in
      name.hasPrefix(beginning) && (beginning.hasPrefix(".") || !name.hasPrefix("."))
    }.sorted().prefix(Self.offeredPaths).map { name in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: folder + name, isDirectory: &isFolder)
      return kind + folder + name + (isFolder.boolValue ? "/" : "")
    }
  }

  private static let offeredPaths = 500

  /// Replaces a `~` before a slash with the user's home folder, unless a folder of that name exists.
  func expanded(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"), let home, !exists("~") else { return path }
    return home + path.dropFirst()
  }

  /// True for an existing file, and for a URL, which is taken to exist.
  func exists(_ location: StoreLocation) -> Bool {
    location.isURL || (location.isFile && exists(location.path))
  }

  /// True if the path exists.
  func exists(_ path: String) -> Bool {
    do {
      return try fileSystem.statusIfPresent(of: fileSystem.resolve(path), in: nil) != nil
    } catch {
      // Any other path that cannot be examined is opened anyway: the store reports the reason.
      return error.code != .notFound
    }
  }

  /// Creates the folder of a file and its parent folders, for this user only.
  ///
  /// - Throws: `PersistenceError` with the path and the reason.
  func createFolder(of path: String) throws {
    try describingFailures {
      var folder = ""
      for part in path.split(separator: "/").dropLast() {
        folder += "/" + part
        do {
          try fileSystem.createDirectory(folder, permissions: 0o700)
        } catch let error as FileSystemError where error.code == .exists {
          continue
        }
      }
    }
  }

  func readFile(_ path: String) throws -> [UInt8] {
    let path = expanded(path)
    if isPipe(path) { return try DescriptorReader(path: path).readAll() }
    return try describingFailures {
      try fileSystem.waitingForOthers(path: path) {
        let (file, status) = try fileSystem.openRegular(fileSystem.resolve(path), in: nil, .read)
        defer { fileSystem.closeQuietly(file) }
        let bytes = try content(of: file, sizeBytes: status.sizeBytes)
        // A file that another program is still writing must not be read as complete.
        return try fileSystem.status(of: file).hasSameContent(as: status) ? bytes : nil
      }
    }
  }

  /// Reads a file piece by piece, so that reading can be stopped.
  private func content(of file: OpenFile, sizeBytes: Int) throws -> [UInt8] {
    let counter = WorkCounter("reading", of: sizeBytes, unit: .bytes)
    return try [UInt8](unsafeUninitializedCapacity: sizeBytes) { buffer, count in
      let room = UnsafeMutableRawBufferPointer(buffer)
      while count < sizeBytes {
        let wanted = min(Self.pieceBytes, sizeBytes - count)
        let piece = UnsafeMutableRawBufferPointer(rebasing: room[count..<(count + wanted)])
        let added = try fileSystem.readFully(file, at: count, into: piece)
        count += added
        try counter.advance(to: count)
        if added < wanted { return }
      }
    }
  }

  private static let pieceBytes = 1 << 22

  func readStandardInput() throws -> [UInt8] {
    guard let input else {
      throw CommandError("-: standard input is the script; use -e or --script FILE")
    }
    return try input.readAll()
  }

  func refusal(of path: String) -> CommandError? {
    let kind = FileKind(startingWith: FileKind.start(of: expanded(path)), name: path)
    guard let kind else { return nil }
    // Only its name tells what a missing file would be.
    return FileManager.default.fileExists(atPath: expanded(path))
      ? kind.refusal(of: path) : CommandError("\(path): not found", code: .inaccessible)
  }

  func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(expanded(path), &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  func isStream(_ path: String) -> Bool {
    let path = expanded(path)
    return path.hasPrefix("/dev/") || path.hasPrefix("/proc/") || isPipe(path)
  }

  /// True for a pipe or a device, which is read until its end.
  ///
  /// A pipe of the shell, `<(…)`, has no name that can be resolved.
  private func isPipe(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }

  func hasContent(_ path: String) -> Bool {
    var status = stat()
    return stat(expanded(path), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && status.st_size > 0
  }

  func replaceStore<T>(at text: String, _ make: (_ location: String) throws -> T) throws -> T {
    let location = try self.location(text, store: nil)
    guard location.isFile, hasContent(location.path) else { return try make(text) }
    let replacement = try StoreReplacement(of: location, fileSystem)
    defer { replacement.end() }
    defer {
      // The file takes its place, and its history with it; at worst, a file that nothing reads stays.
      let history = historyPath(of: replacement.location)
      if let history { try? FileManager.default.removeItem(atPath: history) }
    }
    let result = try make(replacement.location.text ?? text)
    try replacement.takePlace()
    return result
  }

  func writeFile(_ path: String, _ body: (_ write: OutputSink) throws -> Void) throws {
    if path == "-" { return try body { try output.write($0) } }
    let path = expanded(path)
    try describingFailures {
      let resolved = try fileSystem.resolve(path)
      // This file is not a store: no program waits for its lock, so no lock file is needed.
      let replacement = FileReplacement(
        fileSystem: fileSystem,
        path: resolved,
        excludesOthers: false
      )
      let present = try fileSystem.statusIfPresent(of: resolved, in: nil)
      let writer: FileReplacement.Writer = { sink in try body { try sink.write($0) } }
      if let present {
        let version = FileVersion(status: present, digest: nil)
        _ = try replacement.replace(expecting: version, write: writer)
      } else {
        _ = try replacement.create(permissions: nil, write: writer)
      }
    }
  }

  func flushOutput() throws { try output.flush() }

  func checkOutput() throws { try output.checkReader() }

  /// Writes a whole file that only the user can read; an existing file must belong to the user.
  func writePrivateFile(_ path: String, _ text: String) throws {
    try describingFailures {
      let replacement = FileReplacement(fileSystem: fileSystem, path: path, excludesOthers: false)
      let writer: FileReplacement.Writer = { sink in try sink.write(text) }
      guard let present = try fileSystem.statusIfPresent(of: path, in: nil) else {
        _ = try replacement.create(permissions: 0o600, write: writer)
        return
      }
      // Links are not followed, and files of other users are not touched.
      guard present.kind == .regular, present.owner == owner else { return }
      let version = FileVersion(status: present, digest: nil)
      _ = try replacement.replace(expecting: version, write: writer)
    }
  }

  private func describingFailures<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as FileSystemError {
      throw PersistenceError(.inaccessible, error.description, cause: error)
    } catch let error as FileError {
      throw PersistenceError(.inaccessible, error.description, cause: error)
    }
  }
}
