import OpenSwiftData

extension ColumnArrangement {
  /// The paths in the text of a filter.
  func paths(in text: String, of entity: Schema.Entity, _ schema: @autoclosure () -> Schema)
    -> [FieldPath]
  {
    let own = paths(of: entity, in: schema())
    return FieldPath.paths(in: text, of: entity, schema()).map { path in
      // A column knows the type of its values.
      own.first { $0.name == path.name } ?? path
    }
  }

  /// The paths that a filter may contain: those in its text, and those of the columns.
  ///
  /// The end of a path is enough if a column shows it: `mag` for `properties.mag`.
  func paths(forFilter text: String, of entity: Schema.Entity, _ schema: @autoclosure () -> Schema)
    -> [FieldPath]
  {
    let typed = paths(in: text, of: entity, schema())
    return typed
      + paths(of: entity, in: schema()).filter { path in !typed.contains { $0.name == path.name } }
  }

  /// The paths of the columns, and the computed ones, shown or not.
  func paths(of entity: Schema.Entity, in schema: @autoclosure () -> Schema) -> [FieldPath] {
    let columns = columns.filter { $0.path != nil }
    let expressions = expressions
    guard !columns.isEmpty || !expressions.isEmpty else { return [] }
    let schema = schema()
    let computed = FieldPath.computed(expressions, of: entity, in: schema)
    return computed
      + columns.compactMap { column in
        // A path may have become invalid since the column was added.
        let path = (try? FieldPath(column.name, of: entity, in: schema)) ?? nil
        guard case .members(var member)? = path else { return path }
        member.type = column.path?.type ?? .text
        return .members(member)
      }
  }
}
