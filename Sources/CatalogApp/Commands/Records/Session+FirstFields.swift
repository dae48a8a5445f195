import OpenSwiftData

/// The first record of an entity without fields, in a file that has values but no types: it brings its fields with it, as
/// an import does.
extension Session {
  /// The entity of a record to add; in a new file of one entity, that of the file, without fields.
  ///
  /// - Throws: `CommandError` for an entity that is not known.
  func takeEntityOfFirstRecord(_ arguments: inout Arguments) throws -> Schema.Entity {
    guard let name = store.nameOfOnlyEntity else { return try takeEntity(&arguments) }
    var values = arguments
    // The file has the name of its only entity.
    _ = values.take(name)
    let isBeginning = values.startsObject || values.peek?.assignment != nil
    guard isBeginning || values.peek?.isKeyword("by") == true else {
      return try takeEntity(&arguments)
    }
    arguments = values
    return Schema.Entity(name, attributes: [])
  }

  /// The entity with the fields that are assigned to its first record; nil if it has fields or records, or if its fields
  /// have to be declared.
  ///
  /// - Throws: `CommandError` for invalid JSON, or the error of a store that cannot be read.
  func describing(_ entity: Schema.Entity, by arguments: Arguments) throws -> Schema.Entity? {
    guard try context.describedEntity(entity.name) == nil else { return nil }
    var arguments = arguments
    var order: [String] = []
    if arguments.take("by") { _ = try arguments.requireKeys() }
    // In JSON and in quotes, a number in text is text.
    var texts = FirstValues()
    var typed = FirstValues()
    while let word = arguments.peek {
      if arguments.startsObject {
        try arguments.takeObject { name, item in
          order.append(name)
          typed.add(name, ImportCell(item))
        }
      } else if let assignment = word.assignment {
        _ = arguments.next()
        order.append(assignment.name)
        if let parameter = script.parameter(assigned: word) {
          texts.add(assignment.name, parameter.firstCell)
        } else if word.isValueQuoted {
          typed.add(assignment.name, .text(assignment.value))
        } else {
          texts.add(assignment.name, assignment.value.isEmpty ? .null : .text(assignment.value))
        }
      } else {
        break
      }
    }
    var inference = TypeInference()
    inference.add(texts.row(hasTypedValues: false))
    inference.add(typed.row(hasTypedValues: true))
    let inferred = inference.entity(entity.name, omitsIdentifiers: false).fieldsByName
    var names: Set<String> = []
    let fields = order.filter { names.insert($0).inserted }.compactMap { inferred[$0] }
    return fields.isEmpty ? nil : Schema.Entity(entity.name, attributes: fields)
  }

  /// Gives the entity its first fields, if it has none yet.
  ///
  /// - Throws: The error of a store that refuses them.
  func describeFirst(_ entity: Schema.Entity?) throws {
    guard let entity, try context.describedEntity(entity.name) == nil else { return }
    try describe(entity)
    // The save tells what the file does not keep.
    notes.warning = nil
  }
}

extension CurrentStore {
  /// The name that the first entity of a new file has when it is opened again; nil for a store that names its entities.
  var nameOfOnlyEntity: String? {
    context.schema.entities.isEmpty && context.infersTypes ? nameOfFile : nil
  }

  /// Checks that a new file of one entity keeps the name of its entity.
  ///
  /// - Throws: `CommandError` with the name that it has.
  func requireLastingName(_ entity: Schema.Entity) throws {
    guard let needed = nameOfOnlyEntity, entity.name != needed else { return }
    throw CommandError(
      "\(name) holds one entity, which is named after the file: use "
        + "\(Value.quoted(needed)) instead of \(Value.quoted(entity.name)), or a .json file",
      code: .unsupported
    )
  }

  /// The name of the file without its folder and its ending; nil without a file.
  private var nameOfFile: String? {
    guard let file = shownLocation?.split(separator: "/").last else { return nil }
    let name = file.lastIndex(of: ".").map { file[..<$0] } ?? file
    return name.isEmpty ? nil : String(name)
  }
}

/// Values of the first record, by the names of their fields.
private struct FirstValues {
  private var names: [String] = []
  private var cells: [ImportCell] = []

  mutating func add(_ name: String, _ cell: ImportCell) {
    names.append(name)
    cells.append(cell)
  }

  func row(hasTypedValues: Bool) -> ImportRow {
    ImportRow(line: 0, columns: names, cells: cells, hasTypedValues: hasTypedValues)
  }
}

extension ScriptState.Parameter {
  /// The value before the type of its field is known.
  fileprivate var firstCell: ImportCell {
    guard let text else { return .null }
    return isJSON ? .container(text) : .text(text)
  }
}
