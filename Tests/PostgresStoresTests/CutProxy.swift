import Foundation
import Synchronization

/// Passes bytes between programs and the server of the tests, and cuts a connection where a test wants it.
///
/// Each connection has two threads.
final class CutProxy: Sendable {
  /// What happens to the next connection that gets there.
  enum Cut: Sendable {
    /// Both sides are closed after so many further bytes of the program.
    case sending(Int)
    /// Both sides are closed after so many further bytes of the server.
    case answering(Int)
    /// Of COMMIT, only so many bytes arrive.
    case commit(Int)
    /// COMMIT arrives, but the program does not learn that; with the bytes that it sees of the answer.
    case answer(Int)
    /// The program loses the connection, and COMMIT arrives when `deliver()` is called, unless the server ends the session.
    case late
  }

  private struct State {
    var cut: Cut?
    /// The connections whose COMMIT is late.
    var late: [Int32] = []
    var isClosed = false
  }

  private let listener: Int32
  private let path: String
  private let state = Mutex(State())
  let port: UInt16

  private static let commit = [0x51, 0, 0, 0, 11] + Array("COMMIT".utf8) + [0]

  /// Listens on a port of its own.
  init(to folder: String) throws {
    path = folder + "/.s.PGSQL.5432"
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 64) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
    port = UInt16(bigEndian: address.sin_port)
    Thread { [self] in
      while true {
        let client = accept(self.listener, nil, nil)
        if client < 0 { return }
        begin(client)
      }
    }.start()
  }

  /// Sets what happens next; nil for nothing.
  func set(_ cut: Cut?) { state.withLock { $0.cut = cut } }

  /// Delivers what is late, and closes these connections; the number of them.
  @discardableResult
  func deliver() -> Int {
    let late = state.withLock { state in
      defer { state.late = [] }
      return state.late
    }
    for server in late {
      _ = Self.send(Self.commit[...], to: server)
      _ = shutdown(server, Int32(SHUT_WR))
      // The server has done what it was sent when it closes the connection.
      var room = [UInt8](repeating: 0, count: 256)
      while recv(server, &room, room.count, 0) > 0 {}
      close(server)
    }
    return late.count
  }

  func end() { _ = shutdown(listener, Int32(SHUT_RDWR)); close(listener) }

  private func begin(_ client: Int32) {
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    let pair = Pair(client, server)
    if !isConnected {
      pair.finish()
      return pair.finish()
    }
    Thread { [self] in
      pass(pair, from: client) { sent(pair, $0) }
      pair.finish()
    }.start()
    Thread { [self] in
      pass(pair, from: server) { answered(pair, $0) }
      pair.finish()
    }.start()
  }

  /// Reads until an end, or until the body wants no more.
  private func pass(_ pair: Pair, from source: Int32, _ body: (ArraySlice<UInt8>) -> Bool) {
    var room = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(source, &room, room.count, 0)
      guard count > 0, body(room[..<count]) else { return }
    }
  }

  /// Passes on what a program sends; false if the connection was cut.
  private func sent(_ pair: Pair, _ bytes: ArraySlice<UInt8>) -> Bool {
    let isCommit = bytes.elementsEqual(Self.commit)
    let limit = state.withLock { state -> Int? in
      switch state.cut {
      case .sending(let count)?:
        state.cut = count >= bytes.count ? .sending(count - bytes.count) : nil
        return count >= bytes.count ? nil : count
      case .commit(let count)? where isCommit:
        state.cut = nil
        return count
      case .late? where isCommit:
        state.cut = nil
        state.late.append(dup(pair.server))
        pair.leaveServerOpen()
        return 0
      case .answer(let count)? where isCommit:
        state.cut = .answering(count)
        return nil
      default: return nil
      }
    }
    let isPassed = Self.send(bytes.prefix(limit ?? bytes.count), to: pair.server)
    if limit != nil { pair.cut() }
    return isPassed && limit == nil
  }

  /// Passes on what the server answers; false if the connection was cut.
  private func answered(_ pair: Pair, _ bytes: ArraySlice<UInt8>) -> Bool {
    let limit = state.withLock { state -> Int? in
      guard case .answering(let count)? = state.cut else { return nil }
      state.cut = count >= bytes.count ? .answering(count - bytes.count) : nil
      return count >= bytes.count ? nil : count
    }
    let isPassed = Self.send(bytes.prefix(limit ?? bytes.count), to: pair.client)
    if limit != nil { pair.cut() }
    return isPassed && limit == nil
  }

  private static func send(_ bytes: ArraySlice<UInt8>, to target: Int32) -> Bool {
    var rest = Array(bytes)
    while !rest.isEmpty {
      let count = Glibc.send(target, rest, rest.count, Int32(MSG_NOSIGNAL))
      if count <= 0 { return false }
      rest.removeFirst(count)
    }
    return true
  }

  /// Both ends of a connection, which are closed after both threads have ended.
  private final class Pair: Sendable {
    let client: Int32
    let server: Int32
    private let threads = Mutex(2)
    private let isServerLeft = Mutex(false)

    init(_ client: Int32, _ server: Int32) { (self.client, self.server) = (client, server) }

    /// Keeps the server from learning that the program is gone.
    func leaveServerOpen() { isServerLeft.withLock { $0 = true } }

    /// Ends the connection.
    func cut() {
      _ = shutdown(client, Int32(SHUT_RDWR))
      if !isServerLeft.withLock({ $0 }) { _ = shutdown(server, Int32(SHUT_RDWR)) }
    }

    /// Called at the end of each thread.
    func finish() {
      cut()
      let isLast = threads.withLock { count in
        count -= 1
        return count == 0
      }
      if isLast {
        close(client)
        close(server)
      }
    }
  }
}
