import Foundation
import OpenSwiftData

extension Command {
  /// `freq`: counts how often each value occurs.
  static let freq = Command(
    "freq",
    usage: "[ENTITY] FIELD [where P]",
    summary: "count how often each value of a field occurs",
    details: "The most frequent value comes first; missing values are counted too."
  ) { arguments, session in
    var counts: [Value: Int] = [:]
    var meter = WorkMeter()
    for value in try session.takeField(&arguments) {
      try meter.count()
      counts[value, default: 0] += 1
    }
    let ordered = counts.sorted { left, right in
      left.value == right.value
        ? left.key.compare(right.key) == .orderedAscending : left.value > right.value
    }
    let greatest = ordered.first?.value ?? 1
    let hasBars = session.format == .table
    return .table(
      OutputTable(
        columns: ["value", "count"] + (hasBars ? ["bar"] : []),
        rows: ordered.map { value, count in
          [value, .integer(Int64(count))]
            + (hasBars ? [.text(Command.bar(of: count, greatest: greatest))] : [])
        }
      )
    )
  }

  /// A bar in proportion to a count, at least one cell long.
  private static func bar(of count: Int, greatest: Int) -> String {
    let cells = max(1, (count * 30 + greatest / 2) / greatest)
    return String(repeating: "█", count: cells)
  }
}
