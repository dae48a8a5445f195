import StoreTorture

/// What the command line asks for.
struct TortureOptions {
  /// What this process does.
  enum Role {
    case parent
    /// Saves and tells about it until it is killed.
    case saver(TorturedStore, path: String)
    /// Appends so many records to a log that others append to.
    case appender(path: String, number: Int, count: Int)
  }

  struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  var role = Role.parent
  var seconds = 60.0
  var seed = UInt64.random(in: 1...999_999)
  /// Only what has this in its name.
  var only = ""

  static let usage = "usage: store-torture [--seconds N] [--seed S] [--only NAME]"

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--seconds": seconds = try Self.number(rest.popFirst())
      case "--seed": seed = try Self.number(rest.popFirst())
      case "--only": only = try Self.value(rest.popFirst())
      case "--saver":
        guard let store = TorturedStore(rawValue: try Self.value(rest.popFirst())) else {
          throw Mistake(description: Self.usage)
        }
        role = .saver(store, path: try Self.value(rest.popFirst()))
      case "--appender":
        role = .appender(
          path: try Self.value(rest.popFirst()),
          number: try Self.number(rest.popFirst()),
          count: try Self.number(rest.popFirst())
        )
      default: throw Mistake(description: Self.usage)
      }
    }
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
