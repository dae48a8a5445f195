import Foundation
import Testing

/// One run of the real program, with its own folder and home folder.
struct ProgramRun {
  let status: Int32
  let output: String
  let errors: String
}

/// A temporary folder that is removed at the end of the test.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "catalog-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // Files that cannot be removed are left for the system to clean up.
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String) -> String { path + "/" + name }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
  }

  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: file(name))), as: UTF8.self)
  }

  /// The names in the folder, without the program's lock files and its state.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path)
      .filter { !$0.hasSuffix(".lock") && $0 != ".local" }.sorted()
  }
}

extension TemporaryFolder {
  /// True if the tests run with another program than the one that was built together with them.
  static let isProgramOptimized = ProcessInfo.processInfo.environment["CATALOG_PROGRAM"] != nil

  /// The program that was built together with the tests, or the one that `CATALOG_PROGRAM` names.
  static let program: String = {
    if let path = ProcessInfo.processInfo.environment["CATALOG_PROGRAM"] { return path }
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent(
      "catalog"
    )
    .path
  }()

  /// Runs the program with arguments and standard input, and waits until it exits.
  func run(
    _ arguments: [String],
    input: String = "",
    environment: [String: String] = [:]
  ) throws -> ProgramRun {
    try run(arguments, input: Data(input.utf8), environment: environment)
  }

  /// Runs lines of shell, in which `"$catalog"` is the program.
  func inShell(_ script: String) throws -> ProgramRun {
    try run(
      ["-c", script],
      input: Data(),
      environment: ["catalog": Self.program],
      executable: "/bin/sh"
    )
  }

  /// Runs the program with arguments and bytes on standard input, and waits until it exits.
  func run(
    _ arguments: [String],
    input: Data,
    environment: [String: String] = [:],
    executable: String = TemporaryFolder.program
  ) throws -> ProgramRun {
    let names = (
      input: ".stdin-\(UUID())", output: ".stdout-\(UUID())", errors: ".stderr-\(UUID())"
    )
    for name in [names.input, names.output, names.errors] {
      _ = FileManager.default.createFile(
        atPath: file(name),
        contents: name == names.input ? input : Data()
      )
    }
    defer {
      for name in [names.input, names.output, names.errors] {
        // At worst, it stays until the folder is removed.
        try? FileManager.default.removeItem(atPath: file(name))
      }
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: path)
    var variables = ProcessInfo.processInfo.environment
    variables["HOME"] = path
    variables["XDG_DATA_HOME"] = nil
    variables["XDG_CONFIG_HOME"] = nil
    variables["LC_ALL"] = "C.UTF-8"
    variables.merge(environment) { $1 }
    process.environment = variables
    process.standardInput = FileHandle(forReadingAtPath: file(names.input))
    process.standardOutput = FileHandle(forWritingAtPath: file(names.output))
    process.standardError = FileHandle(forWritingAtPath: file(names.errors))
    try process.run()
    process.waitUntilExit()
    let status =
      process.terminationReason == .uncaughtSignal
      ? 128 + process.terminationStatus : process.terminationStatus
    return ProgramRun(
      status: status,
      output: try read(names.output),
      errors: try read(names.errors)
    )
  }
}

/// Permanent identifiers as `ID`, so that outputs can be compared.
func withoutIdentifiers(_ text: String) -> String {
  text.replacing(/\b[0-9a-hjkmnp-tv-z]{16}\b/) { _ in "ID" }
}
