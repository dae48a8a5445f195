import StoreTorture

/// A reader of external bytes, with the properties that must hold for any input.
///
/// libFuzzer (`make fuzz`) and the ordinary tests, with stored inputs, run each target. None of
/// them uses a file, a clock or a terminal: the same bytes always have the same result.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// A log as it is, and the same with corrected checksums, so that the payloads are read.
  case log
  /// A JSON file.
  case json
  /// A file of separated values.
  case csv
  /// The language of filters.
  case predicate
  /// The lines of a script, run on a store in memory.
  case script
  /// Terminal input, including the screen that is drawn in response.
  case keys

  /// Reads the bytes and checks the result.
  ///
  /// - Parameters:
  ///   - bytes: Any bytes.
  ///   - isFlawed: Whether to add a planted bug, which proves that it would be found.
  /// - Throws: `FuzzViolation` if a property does not hold; a violation may also trap.
  package func run(_ bytes: [UInt8], isFlawed: Bool = false) throws {
    switch self {
    case .log: try LogFuzzing.run(bytes, isFlawed: isFlawed)
    case .json: try StoreFuzzing(.json, isFlawed: isFlawed).run(bytes)
    case .csv: try StoreFuzzing(.csv, isFlawed: isFlawed).run(bytes)
    case .predicate: try PredicateFuzzing.run(bytes, isFlawed: isFlawed)
    case .script: try ScriptFuzzing.run(bytes, isFlawed: isFlawed)
    case .keys: try KeyFuzzing.run(bytes, isFlawed: isFlawed)
    }
  }

  /// The time after which an input counts as a hang, in a build with sanitizers and checks.
  package var timeLimitSeconds: Int { 2 }

  /// Longer inputs do not find more than shorter ones.
  package var lengthLimit: Int {
    switch self {
    case .log, .json, .csv: 8192
    case .predicate: 512
    case .script: 2048
    case .keys: 512
    }
  }
}

/// A violated property.
package struct FuzzViolation: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }

  /// Throws unless the claim is true.
  static func unless(_ claim: Bool, _ text: @autoclosure () -> String) throws(FuzzViolation) {
    guard claim else { throw FuzzViolation(text()) }
  }
}
