import Foundation
import Testing

/// The chores of Tests/Jobs, whose README.md says what the files of a folder are.
@Suite struct JobTests {
  private static let jobs = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Jobs")

  // Without the folder, `thereAreJobs` fails.
  static let names = ((try? FileManager.default.contentsOfDirectory(atPath: jobs.path)) ?? [])
    .filter { !$0.contains(".") }.sorted()

  @Test func thereAreJobs() { #expect(Self.names.count >= 60) }

  @Test(arguments: names) func thePageHasTheJob(name: String) throws {
    let files = try Self.files(of: name)
    let text = String(decoding: files["keys"] ?? files["command"] ?? Data(), as: UTF8.self)
    let chore = text.prefix { $0 != "\n" }.dropFirst("# ".count).dropLast(".".count)
    let page = try String(contentsOf: Self.jobs.appending(path: "README.md"), encoding: .utf8)
    #expect(page.contains("| \(chore) | [`\(name)`](\(name)) |\n"))
  }

  /// `CATALOG_WRITE_JOBS=1` writes what is expected.
  @Test(arguments: names) func theJobDoesWhatItsFolderShows(name: String) throws {
    let files = try Self.files(of: name)
    let found = try Self.results(of: files)
    var expected: [String: Data] = [:]
    for (file, data) in files where file.hasPrefix("expected.") {
      expected[String(file.dropFirst("expected.".count))] = data
    }
    for file in Set(expected.keys).union(found.keys).sorted() where found[file] != expected[file] {
      if ProcessInfo.processInfo.environment["CATALOG_WRITE_JOBS"] != nil {
        try Self.write(found[file], to: Self.jobs.appending(path: "\(name)/expected.\(file)"))
      } else {
        let lines = Self.differingLines(of: found[file], from: expected[file])
        Issue.record("Tests/Jobs/\(name)/expected.\(file)\n\(lines)")
      }
    }
  }

  private static func files(of name: String) throws -> [String: Data] {
    let folder = jobs.appending(path: name)
    var files: [String: Data] = [:]
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      files[file] = try Data(contentsOf: folder.appending(path: file))
    }
    return files
  }

  /// What the runs of a job print and write, by the name after `expected.`; nothing is left out.
  private static func results(of files: [String: Data]) throws -> [String: Data] {
    let folder = try TemporaryFolder()
    for (file, data) in files where file.hasPrefix("input.") {
      let name = String(file.dropFirst("input.".count))
      try data.write(to: URL(fileURLWithPath: folder.file(name)))
    }
    var (output, errors, screen) = ("", "", "")
    for run in runs(files["keys"] ?? files["command"]) {
      let ended: ProgramRun
      if files["keys"] != nil {
        let keys = run.lines.joined(separator: "\n")
        ended = try folder.run(run.arguments + ["--keys", "-"], input: keys)
        screen = ended.output
      } else {
        let commands = run.lines.flatMap { ["-e", $0] }
        ended = try folder.run(run.arguments + commands, input: files["input"] ?? Data())
        output += ended.output
      }
      errors += ended.errors
      if ended.status != 0 { errors += "exit status \(ended.status)\n" }
    }
    var results = ["out": Data(output.utf8), "err": Data(errors.utf8)]
    if files["expected.screen"] != nil { results["screen"] = Data(screen.utf8) }
    // New identifiers are random, and such files show them.
    for name in try folder.names()
    where !name.hasPrefix(".") && !name.hasSuffix(".db") && !name.hasSuffix(".catlog") {
      let data = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
      if data != files["input." + name] { results[name] = data }
    }
    return results.filter { !$0.value.isEmpty }
  }

  /// One run of the program, and the commands or the keys of the lines after it.
  private struct Run {
    var arguments: [String]
    var lines: [String] = []
  }

  private static func runs(_ data: Data?) -> [Run] {
    var runs: [Run] = []
    for line in String(decoding: data ?? Data(), as: UTF8.self).split(separator: "\n")
    where !line.hasPrefix("#") {
      let words = line.split(separator: " ").map(String.init)
      if words.first == "catalog" {
        runs.append(Run(arguments: Array(words.dropFirst())))
      } else if !runs.isEmpty {
        runs[runs.count - 1].lines.append(String(line))
      }
    }
    return runs
  }

  private static func write(_ data: Data?, to file: URL) throws {
    guard let data else { return try FileManager.default.removeItem(at: file) }
    try data.write(to: file)
  }

  /// The lines that are missing, after `-`, and then the unexpected ones, after `+`.
  private static func differingLines(of found: Data?, from expected: Data?) -> String {
    func lines(_ data: Data?) -> [Substring] {
      String(decoding: data ?? Data(), as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: false)
    }
    let differences = lines(found).difference(from: lines(expected))
    let removed = differences.removals.map { change in
      guard case .remove(_, let line, _) = change else { return "" }
      return "- \(line)"
    }
    let added = differences.insertions.map { change in
      guard case .insert(_, let line, _) = change else { return "" }
      return "+ \(line)"
    }
    return (removed + added).joined(separator: "\n")
  }
}
