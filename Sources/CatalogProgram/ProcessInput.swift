import CatalogApp
import Glibc
import OpenSwiftData
import Terminal

/// The bytes that the system passes to the program at its start; none may be replaced silently, because
/// the program would then open a different file.
enum ProcessInput {
  /// Variables that name files, folders or programs.
  private static let namingVariables = [
    "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TMPDIR", "VISUAL", "EDITOR",
  ]

  /// The arguments after the program name.
  ///
  /// - Throws: `UsageError` that shows the first argument that is not UTF-8, or the first variable.
  static func arguments() throws -> [String] {
    for name in namingVariables {
      if let value = getenv(name) { _ = try text(value, "environment variable \(name)") }
    }
    return try processArguments().enumerated().map { place, argument in
      try text(argument, "argument \(place + 1)")
    }
  }

  /// The arguments after the program name with replacement characters for bytes that are not UTF-8, to report an error.
  static func readableArguments() -> [String] { processArguments().map { String(cString: $0) } }

  /// Overwrites the passwords of URLs in the arguments, which every user of the machine can list.
  ///
  /// The arguments must have been read before.
  static func hidePasswords() {
    for argument in processArguments() {
      let length = strlen(argument)
      // Arguments that are not UTF-8 were rejected.
      guard let text = String(validatingCString: argument) else { continue }
      let shown = LocationText.withoutPasswords(text)
      guard shown != text, shown.utf8.count <= length else { continue }
      let target = UnsafeMutablePointer(mutating: argument)
      memset(target, 0, length)
      for (place, byte) in shown.utf8.enumerated() { target[place] = CChar(bitPattern: byte) }
    }
  }

  private static func text(_ bytes: UnsafePointer<CChar>, _ what: String) throws -> String {
    if let text = String(validatingCString: bytes) { return text }
    let buffer = UnsafeBufferPointer(start: bytes, count: strlen(bytes))
    let shown = escaped(buffer.map { UInt8(bitPattern: $0) })
    throw UsageError("\(what): \"\(shown)\" is not valid UTF-8")
  }

  /// The text with each byte that is not UTF-8 as `\xFF`.
  private static func escaped(_ bytes: [UInt8]) -> String {
    var rest = bytes[...]
    var text = ""
    while let offset = UTF8.firstInvalidOffset(in: rest) {
      let place = rest.startIndex + offset
      let digits = String(rest[place], radix: 16, uppercase: true)
      text += String(decoding: rest[..<place], as: UTF8.self) + "\\x" + digits
      rest = rest[(place + 1)...]
    }
    return text + String(decoding: rest, as: UTF8.self)
  }
}
