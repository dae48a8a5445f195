/// A historical bug, planted in the model: the fuzzer proves itself by finding the difference.
package enum LockstepFlaw: String, CaseIterable, Sendable {
  /// Moments with milliseconds change slightly.
  case roundsMoments
  /// A schema without records is not saved.
  case losesEmptyStores
  /// JSON texts become the values that they spell on import.
  case readsTexts
  /// Defaults with many digits lose some when the store is reopened.
  case roundsDefaults
  /// Links to deleted records stay.
  case leavesLinks
  /// A failed import leaves its entity in the store.
  case leavesEntities
}

extension LockstepModel {
  /// Applies the effect of the flaw to the model after a step.
  mutating func spoil(_ flaw: LockstepFlaw, after step: LockstepStep, _ before: LockstepModel) {
    switch (flaw, step) {
    case (.roundsMoments, .insert), (.roundsMoments, .set):
      replaceCells { field, value in
        guard field.type == .datetime, let text = value.string, text.hasSuffix("5Z") else {
          return nil
        }
        return .string(String(text.dropLast(2)) + "4999Z")
      }
    case (.readsTexts, .importBack(_, let format, _)) where format.hasPrefix("json"):
      replaceCells { field, value in
        field.type == .json && value == .string("5") ? .literal("5") : nil
      }
    case (.roundsDefaults, .reopen):
      for place in entities.indices {
        for slot in entities[place].fields.indices {
          let field = entities[place].fields[slot]
          guard field.type == .decimal, let digits = field.defaultValue?.written, digits.count > 18
          else { continue }
          entities[place].fields[slot].defaultValue = .literal(String(digits.dropLast()))
        }
      }
    case (.leavesEntities, .wrong(let line)) where line.contains("into New"):
      if self["New"] == nil { create(LockstepEntity(name: "New", fields: [])) }
    case (.leavesLinks, .delete):
      for (place, entity) in entities.enumerated() {
        guard let former = before[entity.name] else { continue }
        for row in entity.records.indices {
          guard let record = former.records.first(where: { $0.tag == entity.records[row].tag })
          else {
            continue
          }
          entities[place].records[row].cells = record.cells
        }
      }
    default: break
    }
  }

  private mutating func replaceCells(
    _ replacement: (LockstepField, LockstepJSON) -> LockstepJSON?
  ) {
    for place in entities.indices {
      for field in entities[place].fields {
        for row in entities[place].records.indices {
          guard case .value(let value) = entities[place].records[row][field.name],
            let new = replacement(field, value)
          else { continue }
          entities[place].records[row].cells[field.name] = .value(new)
        }
      }
    }
  }
}
