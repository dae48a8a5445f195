import Dispatch
import Glibc
import Synchronization

/// Reports possible changes of a file for as long as the watch is held.
package final class FileWatch: Sendable {
  private let stop: @Sendable () -> Void

  /// Creates a watch; deinitialization calls the closure.
  package init(stop: @escaping @Sendable () -> Void) { self.stop = stop }

  deinit { stop() }
}

extension LocalFileSystem {
  package func watch(_ path: String, _ notify: @escaping @Sendable () -> Void) -> FileWatch? {
    let (folder, name) = path.hasSuffix("/") ? (path, "") : splitPath(path)
    // A store cannot save to a folder that cannot be read, so there is nothing to watch.
    guard let directory = try? openDirectory(folder) else { return nil }
    defer { closeQuietly(directory) }
    let isRemote = (try? isNetworkFile(directory)) ?? true
    return FileWatcher.shared.watch(folder: folder, name: name, isRemote: isRemote, notify)
  }
}

/// The single listener for all watches of the process.
///
/// It watches folders rather than files, because a replaced file is a different file afterwards.
/// Events within a few milliseconds are reported together. If the system cannot report events (a
/// file on another machine, no more watches available), watchers are called every two seconds
/// instead. See inotify(7).
private final class FileWatcher: Sendable {
  static let shared = FileWatcher()

  private struct Watch {
    /// The system's number for the folder; nil if the system does not report its changes.
    let folder: Int32?
    /// Empty for every file in the folder.
    let name: String
    let notify: @Sendable () -> Void
  }

  /// An event in a folder; nil if the folder is unknown.
  private struct Event {
    var folder: Int32?
    var name: String?

    func concerns(_ watch: Watch) -> Bool {
      guard let folder else { return true }
      return folder == watch.folder
        && (watch.name.isEmpty || (name ?? watch.name) == watch.name)
    }
  }

  private struct State {
    /// The descriptor that events are read from: nil before the first watch, -1 if none is
    /// available.
    var descriptor: Int32?
    var source: (any DispatchSourceRead)?
    var timer: (any DispatchSourceTimer)?
    var watches: [Int: Watch] = [:]
    var lastNumber = 0
    /// The watchers to call next.
    var due: Set<Int> = []
  }

  /// How long to wait for further events before watchers are called.
  private static let gathering = DispatchTimeInterval.milliseconds(30)
  private static let polling = DispatchTimeInterval.seconds(2)
  private static let events =
    IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "catalog.files")

  func watch(
    folder: String,
    name: String,
    isRemote: Bool,
    _ notify: @escaping @Sendable () -> Void
  ) -> FileWatch {
    let number = state.withLock { state in
      var known: Int32?
      if !isRemote, let descriptor = descriptor(&state) {
        let number = inotify_add_watch(descriptor, folder, UInt32(Self.events))
        known = number < 0 ? nil : number
      }
      if known == nil { startPolling(&state) }
      state.lastNumber += 1
      state.watches[state.lastNumber] = Watch(folder: known, name: name, notify: notify)
      return state.lastNumber
    }
    return FileWatch { [self] in end(number) }
  }

  private func end(_ number: Int) {
    state.withLock { state in
      guard let watch = state.watches.removeValue(forKey: number) else { return }
      state.due.remove(number)
      if let folder = watch.folder, let descriptor = state.descriptor,
        !state.watches.values.contains(where: { $0.folder == folder })
      {
        inotify_rm_watch(descriptor, folder)
      }
      if watch.folder == nil, !state.watches.values.contains(where: { $0.folder == nil }) {
        state.timer?.cancel()
        state.timer = nil
      }
    }
  }

  private func descriptor(_ state: inout State) -> Int32? {
    if let known = state.descriptor { return known < 0 ? nil : known }
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    state.descriptor = descriptor
    guard descriptor >= 0 else { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [self] in
      let events = Self.read(descriptor)
      call { watch in events.contains { $0.concerns(watch) } }
    }
    source.activate()
    state.source = source
    return descriptor
  }

  private func startPolling(_ state: inout State) {
    guard state.timer == nil else { return }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + Self.polling, repeating: Self.polling)
    timer.setEventHandler { [self] in call { $0.folder == nil } }
    timer.activate()
    state.timer = timer
  }

  /// Reads the pending events of the system.
  private static func read(_ descriptor: Int32) -> [Event] {
    var events: [Event] = []
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
      while true {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return }
        var place = 0
        while place + 16 <= count {
          let folder = buffer.loadUnaligned(fromByteOffset: place, as: Int32.self)
          let mask = buffer.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
          let end =
            place + 16 + Int(buffer.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
          let name = buffer[place + 16..<end].prefix { $0 != 0 }
          let isOverflow = mask & UInt32(IN_Q_OVERFLOW) != 0
          events.append(
            Event(
              folder: isOverflow ? nil : folder,
              name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
            )
          )
          place = end
        }
      }
    }
    return events
  }

  /// Calls the affected watchers soon and once each, without one waiting for another.
  private func call(where isConcerned: (Watch) -> Bool) {
    let isFirst = state.withLock { state in
      let wasEmpty = state.due.isEmpty
      for (number, watch) in state.watches where isConcerned(watch) { state.due.insert(number) }
      return wasEmpty && !state.due.isEmpty
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + Self.gathering) { [self] in
      let due = state.withLock { state in
        defer { state.due = [] }
        return state.due.compactMap { state.watches[$0] }
      }
      for watch in due { DispatchQueue.global().async(execute: watch.notify) }
    }
  }
}
