import Expressions
import OpenSwiftData

/// The values of the fields of some records, from which those at paths and in computed columns follow.
struct RecordFields {
  let identifiers: [PersistentIdentifier]
  /// The values of a field, one for each record; null for a field that no longer exists.
  let values: (String) -> [Value]

  /// The records of a page.
  init(_ page: any RecordPage) {
    identifiers = (0..<page.count).map { page.identifier(at: $0) }
    values = { field in
      page.layout.slot(of: field).map { page.values(slot: $0) }
        ?? Array(repeating: .null, count: page.count)
    }
  }

  /// Records with their values in the order of a layout; values that are missing are null.
  init(_ records: [(identifier: PersistentIdentifier, values: [Value])], _ layout: SnapshotLayout) {
    identifiers = records.map(\.identifier)
    values = { field in
      let slot = layout.slot(of: field)
      return records.map { record in
        slot.flatMap { record.values.indices.contains($0) ? record.values[$0] : nil } ?? .null
      }
    }
  }
}

extension ModelContext {
  /// The values of records at a path or in a computed column; null where an expression has no value.
  ///
  /// - Throws: The error of a store that cannot be read.
  func values(at path: FieldPath, of records: RecordFields) throws -> [Value] {
    guard case .computed(let computed) = path else {
      return try values(at: path, in: path.fields.first.map(records.values) ?? [])
    }
    // Why there is no value is told only where the record is shown.
    return try cells(of: computed, for: records).map { (try? $0.get()) ?? .null }
  }

  /// What a computed column has for records: a value, or the reason why there is none.
  ///
  /// - Throws: The error of a store that cannot be read, `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of records.
  func cells(of column: ComputedPath, for records: RecordFields) throws
    -> [Result<Value, ExpressionFailure>]
  {
    let expression: CompiledExpression
    do throws(SyntaxProblem) {
      expression = try CompiledExpression(column)
    } catch {
      // Another computed column that it uses has other values now.
      return records.identifiers.map { _ in .failure(ExpressionFailure(error.message)) }
    }
    var failures: [Int: ExpressionFailure] = [:]
    let operands = try column.operands.map { operand -> [Value] in
      guard let path = operand.path else { return records.values(operand.name) }
      guard case .computed(let other) = path else { return try values(at: path, of: records) }
      return try cells(of: other, for: records).enumerated().map { place, cell in
        switch cell {
        case .success(let value): return value
        case .failure(let failure):
          failures[place] = failures[place] ?? failure
          return .null
        }
      }
    }
    var meter = WorkMeter()
    return try records.identifiers.enumerated().map { place, identifier in
      try meter.count()
      if let failure = failures[place] { return .failure(failure) }
      do throws(ExpressionFailure) {
        let row = ExpressionRow(values: operands.map { $0[place] }, of: identifier)
        return .success(try expression(row).shown)
      } catch {
        return .failure(error)
      }
    }
  }
}

extension CompiledExpression {
  /// The expression of a column, over its operands.
  ///
  /// - Throws: `SyntaxProblem` if another column that it uses was changed since it was read.
  fileprivate init(_ column: ComputedPath) throws(SyntaxProblem) {
    var scope = ExpressionScope(
      entityName: column.entityName,
      fields: column.operands.map { .init($0.name, ExpressionType($0.type.kind)) },
      now: column.moment?.now ?? .null,
      today: column.moment?.today ?? CalendarDate(daysSince1970: 0)
    )
    scope.randomNumber = column.moment?.randomNumber ?? 0
    let text = column.expression.text
    self = try CompiledExpression(ExpressionParser.parse(text, in: scope), text: text, in: scope)
  }
}

extension Computed {
  /// The value as a cell shows it.
  fileprivate var shown: Value {
    switch self {
    case .duration: .text(text)
    case .value(.link), .value(.links): .text(text)
    case .value(let value): value
    }
  }
}

extension Session {
  /// The columns of the table of an entity; nil if nothing shows it otherwise than at first.
  private func columns(of entity: Schema.Entity) -> ColumnArrangement? {
    if let shown = shownColumns { return shown.entity == entity.name ? shown.columns : nil }
    return origin.isOnScreen ? nil : script.tables[entity.name]?.columns
  }

  /// The computed columns of the table of an entity, as paths.
  func computedPaths(of entity: Schema.Entity) -> [FieldPath] {
    guard let expressions = columns(of: entity)?.expressions, !expressions.isEmpty else {
      return []
    }
    let moment = ExpressionMoment(
      now: .datetime(services.clock.now),
      today: services.clock.today,
      randomNumber: services.randomNumber
    )
    return FieldPath.computed(expressions, of: entity, in: context.schema, at: moment)
  }

  /// The entity with the computed columns of its table as fields, for what reads names.
  func withComputedColumns(_ entity: Schema.Entity) -> Schema.Entity {
    entity.extended(withIdentifier: false, paths: computedPaths(of: entity))
  }

  /// The path with a name, or the computed column; nil for any other name.
  ///
  /// - Throws: As `FieldPath`.
  func fieldPath(_ name: String, of entity: Schema.Entity) throws -> FieldPath? {
    try computedPaths(of: entity).first { $0.name == name }
      ?? FieldPath(name, of: entity, in: context.schema)
  }

  /// A computed column, with the type of its values in the first records if the expression alone does not tell.
  ///
  /// - Throws: `SyntaxProblem` at the part that is wrong, the error of a store that cannot be read.
  func computedColumn(
    _ name: String,
    _ text: String,
    of entity: Schema.Entity,
    replacing former: String? = nil
  ) throws -> TableColumn {
    let others = (columns(of: entity)?.expressions ?? [:]).filter {
      $0.key != name && $0.key != former
    }
    var expression = try ColumnExpression(
      text,
      named: name,
      of: entity,
      in: context.schema,
      among: others
    )
    if expression.type == .json {
      expression.type = try commonType(of: expression, others, entity) ?? .json
    }
    return TableColumn(name, expression: expression)
  }

  private func commonType(
    of expression: ColumnExpression,
    _ others: [String: ColumnExpression],
    _ entity: Schema.Entity
  ) throws -> AttributeType? {
    let all = others.merging(["": expression]) { own, _ in own }
    let paths = FieldPath.computed(all, of: entity, in: context.schema)
    guard let path = paths.first(where: { $0.name.isEmpty }) else { return nil }
    let snapshots = try context.fetchSnapshots(
      matching: Query(entity.name, limit: Self.typedRecords)
    )
    let records = RecordFields(
      snapshots.map {
        ($0.persistentIdentifier, $0.arranged(as: entity.layout).orderedValues)
      },
      entity.layout
    )
    return AttributeType(common: try context.values(at: path, of: records))
  }
}
