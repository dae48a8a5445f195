import Foundation
import StoreTorture

/// A count that an instrument reports.
struct Report {
  let name: String
  let figures: TortureFigures
  /// The unit of the count.
  let unit: String
  /// The number in a complete run; nil if there is none.
  var goal: Int?
}

/// A test that runs until its time is over.
struct Instrument {
  /// The names of its reports, by which `ONLY=` selects.
  let names: [String]
  /// Its share of the time, relative to the others.
  let weight: Double
  /// Runs the named parts and returns their results.
  let run: (_ names: [String], _ deadline: Deadline) throws -> [Report]
}

/// The time at which an instrument must end.
struct Deadline: Sendable {
  let instant: ContinuousClock.Instant

  var isOver: Bool { ContinuousClock.now >= instant }
  var secondsLeft: Double { max(0, (instant - .now) / .seconds(1)) }
}

/// Runs the instruments one after the other and prints their figures.
struct Torture {
  let options: TortureOptions
  private let end: ContinuousClock.Instant

  init(_ options: TortureOptions) {
    self.options = options
    end = .now + .seconds(options.seconds)
  }

  /// Runs everything requested; time that one instrument does not use goes to the following ones.
  ///
  /// - Returns: True if no problem was found.
  /// - Throws: Errors that prevent an instrument from working.
  func run() throws -> Bool {
    say("seed \(options.seed), \(Int(options.seconds)) seconds")
    let chosen = instruments.map { ($0, $0.names.filter(isWanted)) }.filter { !$0.1.isEmpty }
    var weight = chosen.reduce(0) { $0 + $1.0.weight }
    var reports: [Report] = []
    for (instrument, names) in chosen {
      let left = (end - .now) * (instrument.weight / weight)
      weight -= instrument.weight
      let found = try instrument.run(names, Deadline(instant: .now + max(.zero, left)))
      for report in found { say(report) }
      reports += found
    }
    summarise(reports)
    return reports.allSatisfy { $0.figures.wrong == 0 }
  }

  /// In running order; instruments with a finite amount of work come first.
  private var instruments: [Instrument] {
    [
      faults, databaseFaults, ratios, strings, rigs, cuts, flips, databaseDamage, databaseQueries,
      kills, writers, scripts, fuzzers, databaseCrashes, crashes,
    ]
  }

  private func isWanted(_ name: String) -> Bool {
    options.only.isEmpty || name.contains(options.only)
  }

  /// Prints a line immediately.
  func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  private func say(_ report: Report) {
    let goal = report.goal.map { " of \($0)" } ?? ""
    let figures = report.figures
    let tries = "\(figures.tries)\(goal) \(report.unit)"
    say("\(report.name): \(tries), \(figures.wrong) wrong, seed \(options.seed)")
    for example in figures.examples { say("  \(example)") }
  }

  /// The fraction of a complete run.
  private func summarise(_ reports: [Report]) {
    let short = reports.filter { $0.figures.tries < $0.goal ?? 0 }
    let wrong = reports.reduce(0) { $0 + $1.figures.wrong }
    say("in all \(reports.reduce(0) { $0 + $1.figures.tries }) tries, \(wrong) wrong")
    for report in short {
      let percent = 100 * report.figures.tries / max(1, report.goal ?? 1)
      say("  \(report.name) came to \(percent) % of its goal; more SECONDS= reach it")
    }
  }
}

/// Work that is divided among the processors.
enum Parallel {
  static let count = ProcessInfo.processInfo.activeProcessorCount

  /// Calls `body` with 0, 1, … in parallel and adds the results.
  static func sum(_ parts: Int = count, _ body: @Sendable (Int) -> TortureFigures)
    -> TortureFigures
  {
    let found = FigureSum()
    DispatchQueue.concurrentPerform(iterations: parts) { found.add(body($0)) }
    return found.figures
  }
}
