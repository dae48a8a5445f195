import CatalogApp
import Foundation
import OpenSwiftData
import Stores
import Terminal

/// Runs the program `catalog` with the arguments, the environment and the streams of the process, and ends the process.
///
/// A package can add kinds of stores with one file, its `main.swift`:
///
/// ```swift
/// import CatalogProgram
///
/// runCatalog(kinds: StoreKind.standard + [.notes])
/// ```
///
/// - Parameter kinds: The kinds of stores, in the order of the help; `memory`, `json` and `log` as a rule.
@MainActor public func runCatalog(kinds: [StoreKind] = StoreKind.standard) -> Never {
  // The only place that names the real clock, files, environment and streams.
  prepareProcess()
  HeapMemory.prepare()
  StoreKind.use(kinds)
  MemoryWatch.begin(checkMemory)
  let errors = StandardOutput(2)
  let status: Int32
  do {
    let arguments = try ProcessInput.arguments()
    ProcessInput.hidePasswords()
    let options = try Options.parse(arguments)
    let output = StandardOutput(1)
    let environment = ProcessInfo.processInfo.environment
    let showsProgress = !options.promptsByLine && environment["TERM"] != "dumb"
    let line = showsProgress ? errors.progressLine(making: output) : nil
    status = Program(
      options: options,
      environment: environment,
      output: output,
      errors: errors,
      input: DescriptorReader(descriptor: 0),
      watch: CommandWatch(line: line)
    ).run()
  } catch {
    report(error, of: ProcessInput.readableArguments(), errors)
    status = 2
  }
  exit(status)
}

/// Throws if little memory is left.
///
/// - Throws: `PersistenceError` with code `.limitExceeded`.
@Sendable private func checkMemory() throws {
  // Tables that grow take parts of this size.
  let reserveBytes = 128 << 20
  guard let left = LocalFileSystem().availableMemoryBytes(), left < reserveBytes else { return }
  throw PersistenceError(
    .limitExceeded,
    "not enough memory: \(left >> 20) MiB left; nothing was changed; close other programs, or work on fewer records "
      + "at a time"
  )
}

/// Reports wrong arguments on standard error, or as an answer on standard output if they ask for answers.
private func report(_ error: any Error, of arguments: [String], _ errors: StandardOutput) {
  let message = DisplayText(String(describing: error)).plain
  if Options.asksForAnswers(arguments) {
    let output = StandardOutput(1)
    let writer = AnswerWriter { text in
      try output.write(text)
      try output.flush()
    }
    // An answer that cannot be written is reported as text.
    if (try? writer.failure(message, code: .invalidCommand, status: 2)) != nil { return }
  }
  // If standard error cannot be written to, the error cannot be reported anywhere.
  try? errors.write("catalog: \(message)\n")
  try? errors.flush()
}
