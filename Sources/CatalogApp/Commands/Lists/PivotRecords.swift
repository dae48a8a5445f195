import OpenSwiftData

/// `pivot`: prints a table with a row for each group of records and a column for each value of a field.
struct PivotRecords: Instruction {
  let selection: RecordSelection

  static let command = Command(
    "pivot",
    usage: "[ENTITY] ROW,… by COLUMN AGG [as NAME],… [where P] [join …] [sort [-]K,…] [limit N]",
    summary: "print a table with a column for each value of a field",
    details: """
        ROW       the fields or expressions whose values make the rows
        COLUMN    the field or expression whose values become columns, in their order; without a value: "null"
        AGG       what is computed in each cell: count(), sum(price), mean(price) … ("help functions"); a cell
                  without records is empty, or 0 if it counts or adds up
        sort K    the rows by their fields or by what is computed of all their records: sort -sum(price)
        limit N   only the first N rows
        where, join   as in "list"

        pivot city by year(day) sum(amount)
        export sales.csv pivot city by start(day, "month") sum(amount), count()

      With several AGG, columns are called VALUE AGG, or VALUE NAME with "as NAME". A name that is taken gets _2,
      _3 and so on. There can be at most 1,000 columns.
      """
  ) { arguments, session in
    PivotRecords(
      selection: try RecordSelection(reading: &arguments, as: .pivot, in: session)
    )
  }

  func perform(in session: Session) throws -> Outcome {
    try ListRecords(selection: selection).perform(in: session)
  }
}

/// `unpivot`: prints several fields of each record as rows.
struct UnpivotRecords: Instruction {
  let selection: RecordSelection

  static let command = Command(
    "unpivot",
    usage:
      "[ENTITY] A,B,… as NAME,VALUE [where P] [join …] [having P] [sort [-]K,…] [limit N]",
    summary: "print several fields of each record as rows",
    details: """
      Each record becomes a row for each of the fields A, B …: its other fields, then the name of the field in the
      column NAME and its value in the column VALUE. All of them must have the same type; text(A) converts A to text.

        where P    chooses records, before they become rows
        having P   chooses rows: having VALUE is not null leaves out those without a value
        sort K, limit N, join   as in "list"

        unpivot jan,feb,mar as month,amount having amount is not null
        export long.csv unpivot jan,feb,mar as month,amount
      """
  ) { arguments, session in
    UnpivotRecords(
      selection: try RecordSelection(reading: &arguments, as: .unpivot, in: session)
    )
  }

  func perform(in session: Session) throws -> Outcome {
    try ListRecords(selection: selection).perform(in: session)
  }
}

extension Arguments {
  /// Reads the name of an entity if fields follow it; a field of this name goes before.
  mutating func takeEntityBeforeFields(in session: Session) throws -> Schema.Entity {
    let words = remaining.prefix(2)
    guard words.count == 2, let first = words.first, let second = words.last,
      session.context.schema.entitiesByName[first.text] != nil,
      !second.isKeyword("by"), !second.isKeyword("as"), !first.text.hasSuffix(","),
      !second.text.hasPrefix(",")
    else { return try session.entity() }
    return try session.takeEntity(&self)
  }
}
