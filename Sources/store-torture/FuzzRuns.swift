import Foundation
import FuzzTargets
import StoreTorture
import Synchronization

/// Runs libFuzzer on targets, one per processor at a time.
///
/// It writes findings to `.build/fuzz/findings` and inputs that reach new code to
/// `.build/fuzz/corpus`, both by target.
struct FuzzRuns: Sendable {
  private let program: String
  private let targets: [FuzzTarget]
  private let seed: UInt64
  private let say: @Sendable (String) -> Void
  private static let folder = ".build/fuzz"
  private static let keptInputs = "Tests/StoreTortureTests/Corpus"

  init(
    _ program: String,
    _ targets: [FuzzTarget],
    seed: UInt64,
    say: @escaping @Sendable (String) -> Void
  ) throws {
    self.program = program
    self.targets = targets
    self.seed = seed
    self.say = say
    for target in targets {
      for name in ["corpus", "seeds", "findings"] {
        try FileManager.default.createDirectory(
          atPath: "\(Self.folder)/\(name)/\(target.rawValue)",
          withIntermediateDirectories: true
        )
      }
      for (number, bytes) in try target.seeds().enumerated() {
        try Data(bytes).write(
          to: URL(filePath: "\(Self.folder)/seeds/\(target.rawValue)/\(number)")
        )
      }
      try Data(target.dictionary.utf8).write(
        to: URL(filePath: "\(Self.folder)/seeds/\(target.rawValue).dict")
      )
    }
  }

  /// Runs all targets for a number of seconds.
  func run(seconds: Double) throws -> [Report] {
    let workers = min(Parallel.count, targets.count)
    let rounds = (targets.count + workers - 1) / workers
    let share = max(1, Int(seconds) / rounds)
    let next = Mutex(0)
    let reports = Mutex<[Report]>([])
    DispatchQueue.concurrentPerform(iterations: workers) { _ in
      while true {
        let place = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard place < targets.count else { return }
        let report = run(targets[place], seconds: share)
        reports.withLock { $0.append(report) }
      }
    }
    return reports.withLock { $0 }.sorted { $0.name < $1.name }
  }

  private func run(_ target: FuzzTarget, seconds: Int) -> Report {
    let name = target.rawValue
    var figures = TortureFigures()
    let corpus = ["corpus/\(name)", "seeds/\(name)"].map { "\(Self.folder)/\($0)" }
    let kept = ["\(Self.keptInputs)/\(name)"].filter(FileManager.default.fileExists)
    let output = "\(Self.folder)/findings/\(name).log"
    let words =
      [
        "FUZZ_TARGET=\(name)", "SWIFT_BACKTRACE=enable=no", "ASAN_OPTIONS=\(Self.sanitizerOptions)",
        program,
        "-max_total_time=\(seconds)", "-timeout=\(target.timeLimitSeconds)", "-detect_leaks=0",
        "-rss_limit_mb=\(Self.memoryLimit)", "-malloc_limit_mb=256", "-print_final_stats=1",
        "-max_len=\(target.lengthLimit)", "-seed=\(seed)", "-verbosity=1",
        "-dict=\(Self.folder)/seeds/\(name).dict",
        "-artifact_prefix=\(Self.folder)/findings/\(name)/",
      ] + corpus + kept
    let quoted = words.map { "'\($0)'" }.joined(separator: " ")
    do {
      let child = try ChildProcess(["/bin/sh", "-c", "exec env \(quoted) >'\(output)' 2>&1"])
      let status = child.finish().status
      let text = String(
        decoding: try Data(contentsOf: URL(filePath: output)),
        as: UTF8.self
      )
      figures.tries = Self.number(after: "stat::number_of_executed_units:", in: text) ?? 0
      if status != 0 { figures.note(Self.finding(in: text) + "; all of it in \(output)") }
      let coverage = text.split(separator: "\n").last { $0.contains(" cov: ") }
      if let coverage { say("fuzz-\(name): \(coverage)") }
    } catch {
      figures.note("it cannot be run: \(error)")
    }
    return Report(name: "fuzz-\(name)", figures: figures, unit: "executions")
  }

  /// Without the features that cost most and find least in Swift: allocation traces, returned
  /// stacks.
  private static let sanitizerOptions = [
    "quarantine_size_mb=8", "detect_leaks=0", "malloc_context_size=0",
    "detect_stack_use_after_return=0",
  ].joined(separator: ":")

  /// The limit in megabytes; it includes the memory of the sanitizer's shadow and the runtime.
  private static let memoryLimit = 768

  private static func number(after key: String, in text: String) -> Int? {
    guard let range = text.range(of: key) else { return nil }
    return Int(text[range.upperBound...].prefix { $0 != "\n" }.filter(\.isNumber))
  }

  /// The lines with the error and the input that caused it.
  private static func finding(in text: String) -> String {
    let words = ["Fatal error", "ERROR:", "SUMMARY:", "Test unit written", "Base64"]
    let lines = text.split(separator: "\n").filter { line in words.contains { line.contains($0) } }
    return lines.prefix(4).map { String($0.prefix(300)) }.joined(separator: "; ")
  }
}
