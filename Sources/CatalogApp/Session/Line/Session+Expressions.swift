import Expressions
import OpenSwiftData

extension Session {
  /// The fields of an entity and the parameters of the script, as the names in an expression.
  func expressionScope(of entity: Schema.Entity) -> ExpressionScope {
    var scope = ExpressionScope(
      entityName: entity.name,
      fields: entity.fields.map { .init($0.name, ExpressionType($0.type.kind)) },
      parameters: script.parameters,
      now: .datetime(services.clock.now),
      today: services.clock.today
    )
    scope.randomNumber = services.randomNumber
    return scope
  }

  /// The same with the fields of linked records at these paths, and the computed columns with these names.
  ///
  /// - Throws: `CommandError` for a path that does not exist any longer.
  func expressionScope(of entity: Schema.Entity, paths: [String]) throws -> ExpressionScope {
    var scope = expressionScope(of: entity)
    for name in paths {
      guard let path = try fieldPath(name, of: entity) else { continue }
      scope.fields.append(.init(name, ExpressionType(path.type.kind)))
    }
    return scope
  }

  /// The records that meet a condition with computed operands, such as `qty * price > 100`, which no store can evaluate.
  ///
  /// - Parameters:
  ///   - line: The line with the condition.
  ///   - start: Where it begins, in bytes.
  ///   - entity: The entity of the records.
  ///   - listed: The columns of files for which it may ask.
  ///   - problem: The error of reading it as a predicate of a store; thrown if it is not a condition of this kind
  ///     either, and was not understood further.
  /// - Returns: The filter that lists the records, and the end of the condition.
  /// - Throws: `CommandError`, also for records for which an operand has no value.
  /// - Complexity: O(n) in the number of records of the entity.
  func computedFilter(
    _ line: CommandText,
    from start: Int,
    _ entity: Schema.Entity,
    _ listed: ListedColumns,
    unless problem: any Error
  ) throws -> (filter: Filter, end: Int) {
    var scope = expressionScope(of: entity)
    scope.columns = listed.columns
    let parsed: (expression: ValueExpression, next: Int)
    do {
      parsed = try ExpressionParser.parseCondition(line.text, from: start, in: scope)
    } catch {
      if let problem = listed.error(at: line.column(of: error.offset)) { throw problem }
      let isFurther = line.column(of: error.offset) > FailureCode.place(of: problem).column ?? 0
      throw isFurther || error.isAboutFunction ? CommandError(error, in: line) : problem
    }
    guard parsed.expression.isComputed else { throw problem }
    do {
      let condition = try CompiledExpression(
        condition: parsed.expression,
        text: line.text,
        in: scope
      )
      return (try records(of: entity, meeting: condition), parsed.next)
    } catch let error as SyntaxProblem {
      throw CommandError(error, in: line)
    }
  }

  private func records(of entity: Schema.Entity, meeting condition: CompiledExpression) throws
    -> Filter
  {
    var found: [Value] = []
    var failures = RecordFailures()
    var meter = WorkMeter()
    try context.forEachSnapshot(matching: Query(entity.name)) { snapshot in
      try meter.count()
      failures.recordCount += 1
      let values = snapshot.arranged(as: entity.layout).orderedValues
      let identifier = snapshot.persistentIdentifier.description
      do throws(ExpressionFailure) {
        let isMet = try condition(ExpressionRow(values: values, identifier: identifier))
        if isMet == .value(.boolean(true)) { found.append(.text(identifier)) }
      } catch {
        failures.add(error, of: identifier)
      }
    }
    if let error = failures.error { throw error }
    return .isIn(entity.identifierKey, found)
  }
}

extension RecordFailures {
  /// The error that names them; nil without failures.
  var error: CommandError? {
    guard count > 0 else { return nil }
    let all = recordCount == 1 ? "" : "\(count) of \(counted(recordCount)): "
    return CommandError(all + text, code: .invalidValue)
  }
}

extension CommandError {
  /// What is wrong with an expression in a line.
  init(_ error: SyntaxProblem, in line: CommandText) {
    self.init(error.message, column: line.column(of: error.offset), code: FailureCode(error))
  }
}

extension FailureCode {
  init(_ error: SyntaxProblem) {
    self =
      switch error.problem {
      case .unknownField: .unknownField
      case .unknownParameter: .unknownParameter
      case .limit, .syntax: .invalidExpression
      }
  }
}
