import Foundation
import OpenSwiftData

/// `freq`: counts how often each value occurs.
struct CountValues: Instruction {
  let selection: FieldSelection

  static let command = Command(
    "freq",
    usage: "[ENTITY] FIELD [where P] [join [all] FILE as NAME by KEY [= COLUMN],…]",
    summary: "count how often each value of a field occurs",
    details: """
      The most frequent value comes first; missing values are counted too. FIELD can be an expression ("help
      functions"): freq tags[*] counts each element of a list in JSON, freq year(day) years. After "join FILE as c by
      KEY" it can be c.COLUMN ("help list").
      """
  ) { arguments, session in
    CountValues(selection: try FieldSelection(reading: &arguments, in: session))
  }

  func perform(in session: Session) throws -> Outcome {
    let ordered = try ValueRanking.sorted(selection.valueCounts(in: session))
    let greatest = ordered.first?.count ?? 1
    let hasBars = session.settings.format == .table
    return .table(
      OutputTable(
        columns: ["value", "count"] + (hasBars ? ["bar"] : []),
        rows: ordered.map { value, count in
          [value, .integer(Int64(count))]
            + (hasBars ? [.text(Self.bar(of: count, greatest: greatest))] : [])
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
