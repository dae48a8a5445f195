import StoreTorture

/// Something that reads bytes from outside, with what must be true of it whatever the bytes are.
///
/// Each is driven by libFuzzer (`make fuzz`) and by kept inputs in the ordinary tests. Nothing of it
/// touches a file, a clock or a terminal: the same bytes always do the same.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// A log as it lies there, and the same with right checksums, so that what is behind them is read.
  case log
  /// A JSON file.
  case json
  /// The language of filters.
  case predicate
  /// The lines of a script, run on a store in memory.
  case script
  /// What a terminal sends, up to the screen that is drawn.
  case keys

  /// Reads the bytes and looks at what came of it.
  ///
  /// - Parameters:
  ///   - bytes: Any bytes.
  ///   - isFlawed: Whether to look through a planted bug, which proves that it would be found.
  /// - Throws: `FuzzViolation` when something is not as it must be; it may also trap.
  package func run(_ bytes: [UInt8], isFlawed: Bool = false) throws {
    switch self {
    case .log: try LogFuzzing.run(bytes, isFlawed: isFlawed)
    case .json: try StoreFuzzing(.json, isFlawed: isFlawed).run(bytes)
    case .predicate: try PredicateFuzzing.run(bytes, isFlawed: isFlawed)
    case .script: try ScriptFuzzing.run(bytes, isFlawed: isFlawed)
    case .keys: try KeyFuzzing.run(bytes, isFlawed: isFlawed)
    }
  }

  /// An input that takes longer, in a program with sanitizers and checks, hangs.
  package var timeLimitSeconds: Int { 2 }

  /// Longer inputs find nothing that shorter ones do not.
  package var lengthLimit: Int {
    switch self {
    case .log, .json: 8192
    case .predicate: 512
    case .script: 2048
    case .keys: 512
    }
  }
}

/// What is not as it must be.
package struct FuzzViolation: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }

  /// Throws unless the claim is true.
  static func unless(_ claim: Bool, _ text: @autoclosure () -> String) throws(FuzzViolation) {
    guard claim else { throw FuzzViolation(text()) }
  }
}
