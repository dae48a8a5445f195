import OpenSwiftData
import Testing

@testable import Stores

/// The identity cases as saves that a later run undoes, after another program has changed the file.
///
/// The records beside the changed one are not known then: its key decides, or a record that is equal as a whole.
@Suite struct EarlierIdentityTests {
  /// What a later run does otherwise than a save of the same change, by the place of the case in the fixture.
  private enum Otherwise {
    /// Nothing is undone: the record was known by a guess, by its neighbors or by a field that is gone.
    case refused
    /// The file, in comma-separated values: the key, or an equal record, is enough.
    case undone(String)
  }

  private static let shirts = "sku,name,size,color,price,stock\n"
  private static let others: [Int: Otherwise] = [
    11: .undone(
      shirts + "1002,T-shirt,S,white,8.49,10\n1001,T-shirt,M,white,9.99,10\n"
        + "1003,T-shirt,L,white,9.99,10\n1004,Hoodie,M,gray,29.99,4\n"
    ),
    14: .undone(
      shirts + "1001,T-shirt,S,white,9.99,10\n1002,T-shirt,M,white,8.49,10\n"
        + "1002,T-shirt,M,white,9.99,7\n1003,T-shirt,L,white,9.99,10\n1004,Hoodie,M,gray,29.99,4\n"
    ),
    21: .refused,
    50: .refused,
    72: .refused,
    80: .refused,
    86: .refused,
    94: .refused,
    95: .refused,
  ]

  @Test(arguments: IdentityForm.allCases, IdentityCase.all.indices)
  func undoGoesToTheSameRecordOrIsRefused(form: IdentityForm, place: Int) throws {
    let example = IdentityCase.all[place]
    let folder = try TemporaryFolder()
    let name = "products.\(form)"
    try folder.put(name, form.text(example.beforeTheSave))
    let first = try context(folder, name)
    // A number with decimals cannot be set back in a column of whole numbers.
    guard try make(example, in: first) else { return }
    try first.save()
    let theirs = form.text(example.theirs)
    try folder.put(name, theirs)
    let later = try context(folder, name)
    // Nothing is undone if a field is gone or the record is not found, and nothing is saved with a conflict.
    _ = try? later.undoEarlierSave(by: nil)
    _ = try? later.save()
    let expected =
      switch Self.others[place] {
      case .refused: example.theirs
      case .undone(let file): file
      case nil: example.expect.file
      }
    try folder.put("expected.\(form)", form.text(expected))
    #expect(try folder.rows(name) == folder.rows("expected.\(form)"))
    if form.text(expected) == theirs { #expect(try folder.text(name) == theirs) }
  }

  private func context(_ folder: TemporaryFolder, _ name: String) throws -> ModelContext {
    var configuration = JSONStoreConfiguration(
      path: folder.file(name),
      form: name.hasSuffix("sv") ? .delimited : .json
    )
    configuration.historyPath = folder.file("history")
    return ModelContext(try ModelContainer(configurations: configuration))
  }

  /// Makes the change that leads to the former version of the file.
  ///
  /// - Returns: False if a value does not fit in its field.
  private func make(_ example: IdentityCase, in context: ModelContext) throws -> Bool {
    let entity = try #require(context.schema.entities.first)
    let all = try context.fetchIdentifiers(matching: Query(entity.name))
    if example.edit.insert != nil {
      _ = try context.delete(all.suffix(1)) { _ in }
      return true
    }
    let values = example.cells(ofRow: example.edit.row ?? 0)
    let record: Record
    if example.edit.delete == true {
      record = Record(entity: entity)
      context.insert(record)
    } else {
      let identifier = all[(example.edit.row ?? 0) - 1]
      record = try #require(try context.records(for: [identifier]).first)
      if let by = example.by { context.identify([identifier], of: entity.name, by: by) }
    }
    for (name, text) in values where example.edit.set?.keys.contains(name) ?? true {
      guard let value = try? Value(parsing: text, as: try entity.attribute(named: name).type)
      else { return false }
      try record.set(value, for: name)
    }
    return true
  }
}

extension IdentityCase {
  private var rows: [[String]] {
    before.split(separator: "\n").map { row in
      row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// The values of a record, by name.
  fileprivate func cells(ofRow row: Int) -> [(String, String)] {
    Array(zip(rows[0], rows[row])).filter { !$0.1.isEmpty }
  }

  /// The file before a save of which the edit is the opposite.
  fileprivate var beforeTheSave: String {
    var rows = rows
    if let insert = edit.insert { rows.append(rows[0].map { insert[$0] ?? "" }) }
    if let row = edit.row, edit.delete == true { rows.remove(at: row) }
    for (name, value) in edit.set ?? [:] {
      guard let row = edit.row, let column = rows[0].firstIndex(of: name) else { continue }
      rows[row][column] = value
    }
    return rows.map { $0.joined(separator: ",") + "\n" }.joined()
  }
}
