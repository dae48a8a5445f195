import CTerminal
import Glibc

/// A pseudo-terminal whose other end belongs to the test.
final class PseudoTerminal {
  private(set) var master: Int32
  let terminal: Int32
  /// The path at which another process opens the terminal.
  let path: String
  private(set) var received: [UInt8] = []

  init?(columns: UInt16 = 40, rows: UInt16 = 6) {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    // TIOCSPTLCK and TIOCGPTN, as used by unlockpt and ptsname.
    var lock: Int32 = 0
    var number: Int32 = 0
    guard master >= 0, ioctl(master, 0x4004_5431, &lock) == 0,
      ioctl(master, 0x8004_5430, &number) == 0
    else { return nil }
    path = "/dev/pts/\(number)"
    terminal = open(path, O_RDWR | O_NOCTTY)
    guard terminal >= 0 else { return nil }
    resize(columns: columns, rows: rows)
  }

  deinit {
    close(terminal)
    hangUp()
  }

  /// Closes the terminal.
  func hangUp() {
    if master >= 0 { close(master) }
    master = -1
  }

  func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(master, bytes, bytes.count)
  }

  var modes: termios {
    var modes = termios()
    tcgetattr(terminal, &modes)
    return modes
  }

  /// Reads until `text` has arrived since the last call; false after two seconds without a byte.
  func receives(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    received = []
    while !contains(wanted) {
      guard readMore(milliseconds: 2000) else { return false }
    }
    return true
  }

  /// Reads the available output.
  func drain() -> [UInt8] {
    received = []
    while readMore(milliseconds: 50) {}
    return received
  }

  /// Reads what has already arrived.
  func drainNow() -> [UInt8] {
    received = []
    while readMore(milliseconds: 2) {}
    return received
  }

  private func readMore(milliseconds: Int32) -> Bool {
    var watched = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&watched, 1, milliseconds) == 1 else { return false }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(master, &bytes, bytes.count)
    guard count > 0 else { return false }
    received += bytes[..<count]
    return true
  }

  private func contains(_ wanted: [UInt8]) -> Bool {
    guard received.count >= wanted.count else { return false }
    return (0...(received.count - wanted.count)).contains { start in
      received[start..<(start + wanted.count)].elementsEqual(wanted)
    }
  }
}
