/// The conversion of an attribute to another type: one step, after which the attribute has the place of the former one.
///
/// The step leaves the attribute with its default. The values that the conversion makes are changes of records after it.
package struct AttributeConversion: Hashable, Sendable, Codable {
  /// The attribute after the step, which has the name of the one before.
  package let attribute: Schema.Attribute
  /// The attribute before the step; nil if the step undoes a conversion.
  package let former: Schema.Attribute?
  /// How dates and numbers were read, in words of the program that has made the step; empty for no convention.
  package let convention: String

  /// Describes a conversion; without a former attribute the undo of one.
  package init(
    to attribute: Schema.Attribute,
    from former: Schema.Attribute?,
    convention: String = ""
  ) {
    (self.attribute, self.former, self.convention) = (attribute, former, convention)
  }
}

extension SchemaStep {
  /// The conversion; nil for another step.
  package var conversion: AttributeConversion? {
    if case .convertAttribute(_, let conversion) = self { conversion } else { nil }
  }

  /// The field whose values the step removes; nil if it removes none.
  package var droppedField: String? {
    if case .dropAttribute(_, let name) = self { name } else { conversion?.attribute.name }
  }

  /// The field that has its default in all records after the step; nil if there is none.
  package var addedField: String? {
    if case .addAttribute(_, let field, _) = self { field.name } else { conversion?.attribute.name }
  }
}

extension [SchemaStep] {
  /// The steps as a history keeps them: new fields without their places, and none at all if one removes an entity.
  package var inHistory: [SchemaStep] {
    var kept: [SchemaStep] = []
    for step in self {
      switch step {
      case .removeEntity: return []
      case .addAttribute(let entity, let field, _):
        kept.append(.addAttribute(entity: entity, field, at: nil))
      default: kept.append(step)
      }
    }
    return kept
  }

  /// The steps for a history without the values that fields had before their conversions: a removal and an addition for
  /// each conversion, so that values that follow from the new ones are not mistaken for the former ones.
  package var withoutConversions: [SchemaStep] {
    flatMap { $0.conversion == nil ? [$0] : $0.changes.compactMap { SchemaStep($0) } }
  }

  /// The conversions, each with the entity and the name of the field after all steps; nil if they drop it.
  package var conversions: [(entity: String, conversion: AttributeConversion, finalName: String?)] {
    indices.compactMap { place in
      guard case .convertAttribute(let entity, let conversion) = self[place] else { return nil }
      var name: String? = conversion.attribute.name
      for step in self[(place + 1)...] {
        switch step {
        case .renameAttribute(entity, let from, let to) where from == name: name = to
        case .dropAttribute(entity, let dropped) where dropped == name: name = nil
        default: break
        }
      }
      return (entity, conversion, name)
    }
  }
}

// MARK: The form of earlier versions

extension [SchemaStep] {
  /// The steps of a history that has no conversions, with conversions in place of the steps that stood for them.
  ///
  /// Earlier versions wrote three steps. One of them adds the new field or renames the former one, and the name of the
  /// other field then has the type of that: `price (text)`.
  package var namingConversions: [SchemaStep] {
    var steps: [SchemaStep] = []
    var rest = self[...]
    while let step = rest.first {
      if let conversion = SchemaStep(formerConversion: Array(rest.prefix(3))) {
        steps.append(conversion)
        rest = rest.dropFirst(3)
      } else {
        steps.append(step)
        rest.removeFirst()
      }
    }
    return steps
  }
}

extension SchemaStep {
  /// Nil for steps that no earlier version wrote for a conversion.
  fileprivate init?(formerConversion steps: [SchemaStep]) {
    guard steps.count == 3 else { return nil }
    if case .renameAttribute(let entity, let name, let other) = steps[0],
      case .addAttribute(entity, let added, _) = steps[1], added.name == name,
      steps[2] == .dropAttribute(entity: entity, name: other),
      let former = Self.type(in: other, of: name), former != added.type
    {
      let conversion = AttributeConversion(to: added, from: Schema.Attribute(name, former))
      self = .convertAttribute(entity: entity, conversion)
    } else if case .addAttribute(let entity, let added, _) = steps[0],
      case .dropAttribute(entity, let name) = steps[1],
      Self.type(in: added.name, of: name) == added.type,
      steps[2] == .renameAttribute(entity: entity, from: added.name, to: name)
    {
      let conversion = AttributeConversion(to: added.renamed(to: name), from: nil)
      self = .convertAttribute(entity: entity, conversion)
    } else {
      return nil
    }
  }

  /// The type in the name of the other field; nil for other names.
  private static func type(in name: String, of field: String) -> AttributeType? {
    guard name.hasPrefix(field + " (") else { return nil }
    var rest = name.dropFirst(field.count + 2)
    while rest.last == "'" { rest.removeLast() }
    guard rest.last == ")" else { return nil }
    return AttributeType(String(rest.dropLast()))
  }
}
