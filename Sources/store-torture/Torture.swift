import Foundation
import StoreTorture

/// One figure that an instrument comes to.
struct Report {
  let name: String
  let figures: TortureFigures
  /// What was counted.
  let unit: String
  /// How many of them a whole run does; nil where there is no such number.
  var goal: Int?
}

/// Something that tries until its time is over.
struct Instrument {
  /// What it reports about; `ONLY=` chooses by these names.
  let names: [String]
  /// How much of the time it may use, against the others.
  let weight: Double
  /// Tries what is named, and says what came of it.
  let run: (_ names: [String], _ deadline: Deadline) throws -> [Report]
}

/// When an instrument has to end.
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

  /// Runs everything that was asked for; time that one does not use is for those behind it.
  ///
  /// - Returns: Whether nothing was wrong.
  /// - Throws: What keeps an instrument from working.
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

  /// In the order they are run; those whose work has an end come first.
  private var instruments: [Instrument] {
    [faults, ratios, strings, rigs, cuts, flips, kills, writers, scripts, fuzzers, crashes]
  }

  private func isWanted(_ name: String) -> Bool {
    options.only.isEmpty || name.contains(options.only)
  }

  /// Prints a line at once.
  func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  private func say(_ report: Report) {
    let goal = report.goal.map { " of \($0)" } ?? ""
    let figures = report.figures
    let tries = "\(figures.tries)\(goal) \(report.unit)"
    say("\(report.name): \(tries), \(figures.wrong) wrong, seed \(options.seed)")
    for example in figures.examples { say("  \(example)") }
  }

  /// How much of what a whole run does was done.
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

/// Work that is shared among the processors.
enum Parallel {
  static let count = ProcessInfo.processInfo.activeProcessorCount

  /// Calls `body` with 0, 1, … at the same time and adds what they come to.
  static func sum(_ parts: Int = count, _ body: @Sendable (Int) -> TortureFigures)
    -> TortureFigures
  {
    let found = FigureSum()
    DispatchQueue.concurrentPerform(iterations: parts) { found.add(body($0)) }
    return found.figures
  }
}
