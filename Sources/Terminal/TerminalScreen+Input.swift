import CTerminal
package import CatalogApp
import Glibc

extension TerminalScreen {
  /// Returns the next event, or nil if none arrived in time; without a timeout, waits for one.
  ///
  /// Once the terminal is gone, every call returns `hangup`.
  package func nextEvent(timeoutMilliseconds: Int?) -> InputEvent? {
    let deadline = timeoutMilliseconds.map { Self.milliseconds() + max(0, $0) }
    // The size may have changed again since the waiting event.
    if queue.holdsSize { readSignals(ignoring: []) }
    while true {
      if let event = queue.popFirst() { return event }
      if isGone { return .hangup }
      let now = Self.milliseconds()
      let ready = wait(milliseconds: patience(now: now, deadline: deadline))
      if ready.signals { readSignals(ignoring: []) }
      if ready.input { readInput() }
      if ready.news { readNews() }
      if !ready.isReady { giveUpWaiting() }
      if queue.isEmpty, let deadline, Self.milliseconds() >= deadline { return nil }
    }
  }

  /// Prepares for the end of the program: the next signal ends it within a second, whatever it does.
  package func beginEnding() { cterm_begin_ending() }

  /// Copies text to the clipboard of the terminal's user, also over a network; false if it is longer
  /// than terminals accept.
  @discardableResult
  package func copyToClipboard(_ text: String) -> Bool {
    guard text.utf8.count <= 1 << 20 else { return false }
    let sequence = "\u{1B}]52;c;" + Base64.encode(text.utf8) + "\u{7}"
    send(sequence)
    if environment.isInsideTmux {
      // tmux passes on the contents of this envelope, if its options allow that.
      send("\u{1B}Ptmux;\u{1B}" + sequence + "\u{1B}\\")
    }
    return true
  }

  /// Converts the signals that arrived to events.
  func readSignals(ignoring ignored: Set<Int32>) {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(signals, &bytes, bytes.count)
    guard count > 0 else { return }
    // Repeated signals count once.
    let numbers = Set(bytes[..<count].map(Int32.init)).subtracting(ignored)
    for number in numbers.sorted() { handle(signal: number) }
  }

  private func handle(signal: Int32) {
    switch signal {
    case SIGWINCH: updateSize()
    case SIGTSTP: suspend()
    case SIGCONT:
      // `suspend` has already restored the screen.
      if !queue.contains(.resumed) {
        enterScreen()
        queue.append(.resumed)
        updateSize()
      }
    case SIGINT: queue.append(.interrupt)
    default: queue.append(.terminate(signal))
    }
  }

  private func readNews() {
    var count: UInt64 = 0
    _ = read(wakes, &count, 8)
    if !queue.contains(.news) { queue.append(.news) }
  }

  func readInput() {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(environment.input, &bytes, bytes.count)
    if count > 0 {
      lastByteMilliseconds = Self.milliseconds()
      let events = decoder.feed(bytes[..<count], milliseconds: lastByteMilliseconds)
      queue.append(contentsOf: events)
      takeAnswers()
    } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
      isGone = true
    }
  }

  /// Reads an Escape as a key once nothing has followed it in time.
  private func giveUpWaiting() {
    guard let patience = decoder.patienceMilliseconds,
      Self.milliseconds() - lastByteMilliseconds >= patience
    else { return }
    queue.append(contentsOf: decoder.timeOut())
  }

  private func patience(now: Int, deadline: Int?) -> Int32 {
    var wait = deadline.map { max(0, $0 - now) } ?? -1
    if let patience = decoder.patienceMilliseconds {
      let left = max(0, lastByteMilliseconds + patience - now)
      wait = wait < 0 ? left : min(wait, left)
    }
    return Int32(clamping: wait)
  }

  func wait(milliseconds: Int32) -> (
    input: Bool, signals: Bool, news: Bool, isReady: Bool
  ) {
    var watched = [
      pollfd(fd: environment.input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
      // poll ignores a descriptor of -1.
      pollfd(fd: wakes, events: Int16(POLLIN), revents: 0),
    ]
    // After an interruption by a signal, the pipe has data to read.
    let count = poll(&watched, nfds_t(watched.count), milliseconds)
    if count < 0 { return (false, true, false, true) }
    let input = watched[0].revents != 0
    let signals = watched[1].revents != 0
    let news = watched[2].revents != 0
    return (input, signals, news, input || signals || news)
  }

  static func milliseconds() -> Int {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1000 + now.tv_nsec / 1_000_000
  }
}
