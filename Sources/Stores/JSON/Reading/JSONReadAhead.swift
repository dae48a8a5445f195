import CSimdjson
import Dispatch
import OpenSwiftData
import Synchronization

/// A window, and the keys of the sections that it has records of, as known after it.
///
/// Unchecked because one thread at a time uses its memory: the parsing thread fills it, the consumer reads
/// it until it returns the window through `JSONReadAhead.free`.
struct JSONKeyedWindow: @unchecked Sendable {
  /// The keys of one section.
  struct Keys {
    /// The kinds of values seen under each key.
    let facts: [JSONFacts]
    /// The names of the keys that no earlier window had, which are the last ones.
    let newNames: ArraySlice<String>
  }

  let window: JSONPass.Window
  /// What the records of separated values told so far; nil for JSON.
  let evidence: DelimitedEvidence?
  /// How separated values are spelled, with what the records told; nil for JSON, and before the last window.
  let forms: DelimitedForms?
  /// The number of values such as NaN so far.
  let notNumberCount: Int
  /// By the parser's section number.
  let keys: [Int: Keys]
}

/// A reading that also collects the keys.
private struct JSONKeyedReading: ~Copyable {
  private var reading: JSONPass.Reading
  /// The number of keys of each section that earlier windows had.
  private var keyCounts: [Int: Int] = [:]

  init(_ pass: JSONPass, windows: Int) {
    reading = JSONPass.Reading(pass, windows: windows)
  }

  mutating func next() throws -> JSONKeyedWindow {
    let window = try reading.next()
    var keys: [Int: JSONKeyedWindow.Keys] = [:]
    var last = -1
    for item in window.batch.items where Int(item.kind) == CATALOG_JSON_RECORD {
      let section = Int(item.section)
      if section == last { continue }
      last = section
      let known = keyCounts[section, default: 0]
      let count = reading.parser.keyCount(section: section)
      keyCounts[section] = count
      keys[section] = JSONKeyedWindow.Keys(
        facts: (0..<count).map { reading.parser.facts($0, section: section) },
        newNames: (known..<count).map { reading.parser.keyName($0, section: section) }[...]
      )
    }
    return JSONKeyedWindow(
      window: window,
      evidence: reading.parser.delimited?.evidence,
      forms: window.isLast ? reading.parser.delimited?.forms : nil,
      notNumberCount: reading.parser.notNumberCount,
      keys: keys
    )
  }
}

extension JSONPass {
  /// Shorter texts are read faster than a thread starts.
  private static let aheadBytes = 1 << 22

  /// Calls the body with each window, while another thread reads and parses the next ones.
  ///
  /// The body gets the same windows in the same order as without another thread, and errors occur at the same window.
  ///
  /// - Parameters:
  ///   - isAhead: Whether to use another thread; nil if it pays off.
  ///   - body: Takes a window, whose memory is used again afterwards.
  /// - Returns: The digest of all bytes.
  /// - Throws: `JSONDamage`, what the source and the body throw.
  func readAll(isAhead: Bool? = nil, _ body: (JSONKeyedWindow) throws -> Void) throws
    -> ContentDigest
  {
    if isAhead ?? (source.sizeBytes >= Self.aheadBytes), let ahead = JSONReadAhead(self) {
      return try ahead.consume(body)
    }
    var reading = JSONKeyedReading(self, windows: 1)
    var digest = ContentDigest.Builder()
    while true {
      let next = try reading.next()
      digest.add(next.window.newBytes)
      try body(next)
      if next.window.isLast { return digest.digest() }
    }
  }
}

/// Reads and parses on another thread, some windows ahead of the thread that consumes them.
private final class JSONReadAhead: Sendable {
  private struct State {
    var windows: [JSONKeyedWindow] = []
    var failure: (any Error)?
    var isStopped = false
  }

  /// The number of windows that are parsed or consumed at a time.
  private static let windowCount = 3

  private let state = Mutex(State())
  /// Counts windows whose memory may be filled.
  private let free = DispatchSemaphore(value: 0)
  /// Counts windows to consume, and the failure after them.
  private let ready = DispatchSemaphore(value: 0)
  private let isConsumed = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)

  /// Starts reading; nil if no thread can be started.
  init?(_ pass: JSONPass) {
    for _ in 0..<Self.windowCount { free.signal() }
    guard pass.source.startThread({ [self] in read(pass) }) else { return nil }
  }

  private func read(_ pass: JSONPass) {
    do {
      var reading = JSONKeyedReading(pass, windows: Self.windowCount)
      fill(&reading)
      // The windows are in memory of the reading.
      isConsumed.wait()
    }
    hasEnded.signal()
  }

  private func fill(_ reading: inout JSONKeyedReading) {
    var isLast = false
    while !isLast {
      free.wait()
      if state.withLock({ $0.isStopped }) { return }
      do {
        let next = try reading.next()
        isLast = next.window.isLast
        state.withLock { $0.windows.append(next) }
      } catch {
        isLast = true
        state.withLock { $0.failure = error }
      }
      ready.signal()
    }
  }

  func consume(_ body: (JSONKeyedWindow) throws -> Void) throws -> ContentDigest {
    defer {
      state.withLock { $0.isStopped = true }
      free.signal()
      isConsumed.signal()
      // The caller may close the file.
      hasEnded.wait()
    }
    var digest = ContentDigest.Builder()
    while true {
      ready.wait()
      let (next, failure) = state.withLock { state in
        (state.windows.isEmpty ? nil : state.windows.removeFirst(), state.failure)
      }
      guard let next else {
        guard let failure else { preconditionFailure("a window or a failure follows") }
        throw failure
      }
      digest.add(next.window.newBytes)
      try body(next)
      if next.window.isLast { return digest.digest() }
      free.signal()
    }
  }
}
