import CatalogApp
import Glibc
import OpenSwiftData
import Stores

/// Writes to a standard descriptor through a buffer, checking every call.
///
/// Apart from the screen, all output to a terminal passes through it, and it removes everything that
/// could control the terminal; files and pipes get the text unchanged. A closed pipe means that the
/// reader needs no more output: it is recorded, but not reported. Every other failure is thrown.
final class StandardOutput {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private static let limit = 1 << 16
  /// Called before something is written to a terminal.
  var willWrite: (() -> Void)?
  /// True once the pipe has no reader.
  private(set) var isClosed = false

  let isTerminal: Bool

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
  }

  /// The width of the terminal in cells; nil if the descriptor is not a terminal.
  var width: Int? { isTerminal ? Self.width(of: descriptor) : nil }

  private static func width(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// A line on this descriptor that makes room for what this and the other one write; nil unless it is a terminal.
  func progressLine(making other: StandardOutput) -> ProgressLine? {
    guard isTerminal else { return nil }
    let descriptor = descriptor
    let line = ProgressLine(descriptor: descriptor) { Self.width(of: descriptor) }
    willWrite = { line.makeRoom(isResult: false) }
    other.willWrite = { line.makeRoom(isResult: true) }
    return line
  }

  func write(_ text: String) throws {
    var text = text
    try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
  }

  /// Writes UTF-8 that ends at the end of a line or of a character.
  func write(_ text: UnsafeRawBufferPointer) throws {
    if isTerminal {
      buffer += TerminalText.safe(String(decoding: text, as: UTF8.self)).utf8
    } else {
      buffer += text
    }
    if buffer.count >= Self.limit { try flush() }
  }

  func flush() throws {
    defer { buffer.removeAll(keepingCapacity: true) }
    var start = 0
    if isTerminal, !buffer.isEmpty { willWrite?() }
    while start < buffer.count, !isClosed {
      let count = buffer[start...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        start += count
      } else if errno == EPIPE {
        isClosed = true
      } else if errno == EINTR {
        try Interruption.check()
      } else {
        throw PersistenceError(
          .inaccessible,
          "cannot write standard output: \(systemMessage(errno))"
        )
      }
    }
    if isClosed { throw ClosedPipe() }
  }

  /// Checks that a pipe still has a reader, without writing to it.
  ///
  /// - Throws: `ClosedPipe` if it does not.
  func checkReader() throws {
    var watched = pollfd(fd: descriptor, events: 0, revents: 0)
    let isHungUp =
      poll(&watched, 1, 0) == 1 && watched.revents & Int16(POLLERR | POLLHUP) != 0
    if isHungUp { isClosed = true }
    if isClosed { throw ClosedPipe() }
  }
}

/// The system's description of an error number, for use in a sentence.
func systemMessage(_ code: Int32) -> String {
  SystemErrorCode(rawValue: code).description
}

/// Reads a descriptor piece by piece; it stays open as long as the process.
struct DescriptorReader {
  let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Opens a file, a pipe or a terminal for reading.
  ///
  /// - Throws: `CommandError` with the path and the reason.
  init(path: String) throws {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw CommandError("\(path): \(systemMessage(errno))") }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      throw CommandError("\(path): is a directory")
    }
  }

  /// The next bytes; empty at the end.
  ///
  /// - Throws: `PersistenceError` when the descriptor cannot be read.
  func read() throws -> [UInt8] {
    while true {
      var failure: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
        let result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        failure = result < 0 ? errno : 0
        count = max(0, result)
      }
      if failure == 0 { return bytes }
      guard failure == EINTR else {
        throw PersistenceError(
          .inaccessible,
          "cannot read standard input: \(systemMessage(failure))"
        )
      }
    }
  }

  /// Everything until the end.
  func readAll() throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let piece = try read()
      if piece.isEmpty { return bytes }
      bytes += piece
    }
  }

  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// True if the terminal has hung up, so that the end of the input is not a request to quit.
  var isHungUp: Bool {
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&watched, 1, 0) == 1 && watched.revents & Int16(POLLHUP | POLLERR) != 0
  }
}
