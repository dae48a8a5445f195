import StoreTorture

/// The options of the command line.
struct TortureOptions {
  /// The task of this process.
  enum Role {
    case parent
    /// Saves and reports each save until it is killed.
    case saver(TorturedStore, path: String)
    /// Fills a small file system.
    case filler(TorturedStore, path: String)
    /// Saves a number of records to a file that other processes save to.
    case appender(TorturedStore, path: String, number: Int, count: Int)
  }

  struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  var role = Role.parent
  var seconds = 60.0
  var seed = UInt64.random(in: 1...999_999)
  /// Selects only names that contain this.
  var only = ""

  /// The program of libFuzzer; nil if it is not built.
  var fuzzer: String?
  /// The program, for tests of whole processes; nil if it is not built.
  var program: String?

  static let usage = """
    usage: store-torture [--seconds N] [--seed S] [--only NAME] [--fuzzer PROGRAM] [--program CATALOG]
    """

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--seconds": seconds = try Self.number(rest.popFirst())
      case "--seed": seed = try Self.number(rest.popFirst())
      case "--only": only = try Self.value(rest.popFirst())
      case "--fuzzer": fuzzer = try Self.value(rest.popFirst())
      case "--program": program = try Self.value(rest.popFirst())
      case "--saver":
        role = .saver(try Self.store(rest.popFirst()), path: try Self.value(rest.popFirst()))
      case "--filler":
        role = .filler(try Self.store(rest.popFirst()), path: try Self.value(rest.popFirst()))
      case "--appender":
        role = .appender(
          try Self.store(rest.popFirst()),
          path: try Self.value(rest.popFirst()),
          number: try Self.number(rest.popFirst()),
          count: try Self.number(rest.popFirst())
        )
      default: throw Mistake(description: Self.usage)
      }
    }
  }

  private static func store(_ text: String?) throws -> TorturedStore {
    guard let store = TorturedStore(rawValue: try value(text)) else {
      throw Mistake(description: usage)
    }
    return store
  }

  private static func value(_ text: String?) throws -> String {
    guard let text else { throw Mistake(description: usage) }
    return text
  }

  private static func number<Number: LosslessStringConvertible>(_ text: String?) throws -> Number {
    guard let number = Number(try value(text)) else { throw Mistake(description: usage) }
    return number
  }
}
