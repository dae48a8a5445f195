package import OpenSwiftData

/// What has to be done in our version of an entity to merge theirs into it.
package struct MergePlan {
  /// One step; disputed ones are what the other side has in a conflict.
  struct Step {
    enum Work {
      case set(PersistentIdentifier, [String: Value])
      case delete(PersistentIdentifier)
      case insert([String: Value])
      case addField(String)
      case dropField(String)
    }

    let work: Work
    let isDisputed: Bool
  }

  private(set) var steps: [Step] = []
  /// What the two sides disagree about, one line each.
  package private(set) var conflicts: [String] = []

  mutating func add(_ work: Step.Work, isDisputed: Bool = false) {
    steps.append(Step(work: work, isDisputed: isDisputed))
  }

  mutating func note(conflict: String) { conflicts.append(conflict) }

  /// What has to be done: what is certain, or what their side of the conflicts has besides.
  func works(isDisputed: Bool) -> [Step.Work] {
    steps.filter { $0.isDisputed == isDisputed }.map(\.work)
  }

  /// Makes the changes in our version.
  ///
  /// - Parameters:
  ///   - name: The entity.
  ///   - context: Our version, with fields that hold any values.
  ///   - isDisputed: False for what is certain; then true for what their side of the conflicts has besides.
  /// - Throws: The error of the store.
  /// - Complexity: O(n) in the number of changes.
  package func apply(to name: String, in context: ModelContext, isDisputed: Bool) throws {
    let works = works(isDisputed: isDisputed)
    for case .dropField(let field) in works {
      try context.stage(.dropAttribute(entity: name, name: field))
    }
    for case .addField(let field) in works {
      try context.stage(.addAttribute(entity: name, Schema.Attribute(field, .text)))
    }
    let entity = try context.schema.entity(named: name)
    for case .set(let identifier, let values) in works {
      for state in try context.states(for: [identifier]) {
        for (field, value) in values.sorted(by: { $0.key < $1.key }) {
          if let slot = state.entity.layout.slot(of: field) { state.set(value, at: slot) }
        }
      }
    }
    let deleted = works.compactMap { if case .delete(let record) = $0 { record } else { nil } }
    if !deleted.isEmpty { try context.delete(deleted) }
    let rows = works.compactMap { work -> [Value]? in
      guard case .insert(let values) = work else { return nil }
      return entity.fields.map { values[$0.name] ?? .null }
    }
    if !rows.isEmpty { try context.insert(rows, of: entity) }
  }
}
