import Foundation
import Testing

/// Undoing saves of earlier runs in files without identifiers, which another program has changed since.
@Suite struct EarlierRecordTests {
  private let folder: TemporaryFolder
  private static let forms = ["csv", "tsv", "json", "jsonl"]
  private static let shop = [
    "sku,name,price,stock", "1001,T-shirt S,9.99,10", "1002,T-shirt M,9.99,5",
    "1003,T-shirt L,9.99,7", "1004,Cap,4.5,3",
  ]

  init() throws { folder = try TemporaryFolder() }

  /// The text of a file in a form.
  private static func text(_ lines: [String], _ form: String) -> String {
    let rows = lines.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let objects = rows.dropFirst().map { row in
      let members = zip(rows[0], row).map { name, value in
        "\"\(name)\": " + (Double(value) == nil ? "\"\(value)\"" : String(value))
      }
      return "{" + members.joined(separator: ", ") + "}"
    }
    switch form {
    case "csv": return lines.joined(separator: "\n") + "\n"
    case "tsv": return lines.joined(separator: "\n").replacing(",", with: "\t") + "\n"
    case "json": return "[\n" + objects.joined(separator: ",\n") + "\n]\n"
    default: return objects.map { $0 + "\n" }.joined()
    }
  }

  /// Saves a change, lets another program write the file, and undoes the save in a later run.
  private func undone(
    _ form: String,
    _ before: [String],
    _ command: String,
    others: [String],
    _ undo: [String] = ["undo", "save"]
  ) throws -> (run: ProgramRun, file: String) {
    let name = "shop.\(form)"
    try folder.write(Self.text(before, form), to: name)
    let saved = try folder.run([name, "-e", command, "-e", "save"])
    #expect(saved.status == 0, "\(saved)")
    try folder.write(Self.text(others, form), to: name)
    return (try folder.run([name] + undo.flatMap { ["-e", $0] }), try folder.read(name))
  }

  private func undoneImport(_ form: String, _ rows: String, by key: String, others: [String]) throws
    -> (run: ProgramRun, file: String)
  {
    try folder.write(rows, to: "in.csv")
    return try undone(form, Self.shop, "import in.csv by \(key)", others: others)
  }

  /// A similar record before the changed one, of which another value has changed.
  @Test(arguments: forms) func theRecordWithTheKeyIsRestored(form: String) throws {
    var others = Self.shop
    others.replaceSubrange(2...2, with: ["1005,T-shirt M,8.49,5", "1002,T-shirt M,8.49,4"])
    let undone = try undoneImport(form, "sku,price\n1002,8.49\n", by: "sku", others: others)
    #expect(undone.run.status == 0, "\(undone.run)")
    others[3] = "1002,T-shirt M,9.99,4"
    #expect(undone.file == Self.text(others, form))
  }

  /// The fields after `by` were forgotten when the program ended.
  @Test(arguments: forms) func theFieldsAfterByDecideInALaterRun(form: String) throws {
    let others = [Self.shop[0], "2002,T-shirt M,9.99,5", "2004,Cap,4.75,9"]
    let undone = try undoneImport(form, "name,stock\nCap,9\n", by: "name", others: others)
    #expect(undone.run.status == 0, "\(undone.run)")
    #expect(undone.file == Self.text(others.dropLast() + ["2004,Cap,4.75,3"], form))
  }

  /// Records that were there when the save was made are not in the way of undoing it, although their values are a key now.
  @Test(arguments: forms) func aRecordThatWasThereBeforeIsNotNew(form: String) throws {
    let before = ["name,qty", "Ann,1", "Ann,2", "Bob,3", "Cyd,4", "Dan,5"]
    let others = ["name,qty", "Ann,2", "Bob,33", "Cyd,4", "Dan,5"]
    let undone = try undone(form, before, "delete 1", others: others)
    #expect(undone.run.status == 0, "\(undone.run)")
    #expect(undone.file == Self.text(others + ["Ann,1"], form))
  }

  /// What another program has added before a save is not new to it.
  @Test(arguments: forms) func aRecordAddedBeforeTheSaveIsNotNew(form: String) throws {
    let name = "shop.\(form)"
    let others = Self.shop.filter { !$0.hasPrefix("1001") } + ["1001,Hat,3,1", "1001,Bag,12,2"]
    try folder.write(Self.text(Self.shop, form), to: name)
    _ = try folder.run([name, "-e", "delete 1", "-e", "save"])
    try folder.write(Self.text(others, form), to: name)
    _ = try folder.run([name, "-e", "delete where name = Hat", "-e", "save"])
    let undo = try folder.run([name, "-e", "undo", "-e", "save"])
    #expect(undo.status == 0, "\(undo)")
    #expect(try folder.read(name).contains("Hat"))
  }

  /// Another record has the key now.
  @Test(arguments: forms) func aKeyWithOtherValuesIsNotTheRecord(form: String) throws {
    var others = Self.shop
    others[2] = "1002,Hoodie,29,1"
    let undone = try undoneImport(form, "sku,price\n1002,8.49\n", by: "sku", others: others)
    #expect(undone.run.status != 0, "\(undone.run)")
    #expect(undone.file == Self.text(others, form))
  }

  /// Two records have the key now; the one that is equal as a whole is meant.
  @Test(arguments: forms, [true, false])
  func ofSeveralRecordsWithTheKeyTheEqualOneIsRestored(form: String, isEqual: Bool) throws {
    var others = Self.shop
    others[1] = "1002,T-shirt M,8.49,\(isEqual ? 5 : 6)"
    others[2] = "1002,T-shirt M,8.49,4"
    let undone = try undone(form, Self.shop, "set where sku = 1002 price=8.49", others: others)
    if isEqual { others[1] = "1002,T-shirt M,9.99,5" }
    #expect((undone.run.status == 0) == isEqual, "\(undone.run)")
    #expect(undone.file == Self.text(others, form))
  }

  /// A copied number in their version would show no key, or a weaker one.
  @Test(arguments: forms) func theKeyOfTheSaveCounts(form: String) throws {
    var others = Self.shop
    others[1] = "1003,T-shirt S,9.99,10"
    others[2] = "1002,T-shirt M,8.49,4"
    let undone = try undone(form, Self.shop, "set where sku = 1002 price=8.49", others: others)
    #expect(undone.run.status == 0, "\(undone.run)")
    others[2] = "1002,T-shirt M,9.99,4"
    #expect(undone.file == Self.text(others, form))
  }

  @Test(arguments: forms) func withoutAKeyOnlyAnEqualRecordIsRestored(form: String) throws {
    let before = ["item,qty", "milk,1", "egg,6", "milk,1"]
    let moved = ["item,qty", "milk,1", "bread,2", "milk,1", "egg,7"]
    let undone = try undone(form, before, "set where item = 'egg' qty=7", others: moved)
    #expect(undone.run.status == 0, "\(undone.run)")
    #expect(undone.file == Self.text(moved.dropLast() + ["egg,6"], form))
    let changed = ["item,qty", "milk,1", "egg,8", "milk,1"]
    let refused = try self.undone(form, before, "set where item = 'egg' qty=7", others: changed)
    #expect(refused.run.status != 0, "\(refused.run)")
    #expect(refused.file == Self.text(changed, form))
  }

  /// An insertion is undone only if the record is as it was saved.
  @Test(arguments: forms) func anInsertedRecordThatOthersChangedStays(form: String) throws {
    let insert = "insert sku=1010 name=Hat price=3 stock=1"
    let others = Self.shop + ["1010,Hat,3,2"]
    let undone = try undone(form, Self.shop, insert, others: others)
    #expect(undone.run.status == 5, "\(undone.run)")
    #expect(undone.file == Self.text(others, form))
  }

  @Test(arguments: forms) func aSingleRecordIsRevertedByItsKey(form: String) throws {
    var others = Self.shop
    others.swapAt(1, 4)
    others[2] = "1002,T-shirt M,8.49,4"
    let undone = try undone(
      form,
      Self.shop,
      "set where sku = 1002 price=8.49",
      others: others,
      ["undo", "redo", "undo", "save"]
    )
    #expect(undone.run.status == 0, "\(undone.run)")
    others[2] = "1002,T-shirt M,9.99,4"
    #expect(undone.file == Self.text(others, form))
  }

  /// The record had another key when the first save was made.
  @Test(arguments: forms) func aRecordIsFoundUnderTheKeyThatItHadThen(form: String) throws {
    var others = Self.shop
    others.swapAt(1, 4)
    others[2] = "1012,T-shirt M,8.49,4"
    let name = "shop.\(form)"
    try folder.write(Self.text(Self.shop, form), to: name)
    for command in ["set where sku = 1002 price=8.49", "set where sku = 1002 sku=1012"] {
      #expect(try folder.run([name, "-e", command, "-e", "save"]).status == 0)
    }
    try folder.write(Self.text(others, form), to: name)
    let undone = try folder.run([name, "-e", "undo", "-e", "undo", "-e", "save"])
    #expect(undone.status == 0, "\(undone)")
    others[2] = "1002,T-shirt M,9.99,4"
    #expect(try folder.read(name) == Self.text(others, form))
  }

  // MARK: Keys that other records have now

  /// Formerly two records had the key after the save.
  @Test(
    arguments: [
      ("delete where sku = 1004", "1004,Hat,8,1", "1004,Cap,4.5,3"),
      ("set where sku = 1004 sku=1009", "1004,Hat,8,1", nil),
    ]
  )
  func aKeyThatAnotherProgramHasUsedSinceIsAConflict(
    command: String,
    added: String,
    mine: String?
  ) throws {
    var others = Array(Self.shop.dropLast())
    if mine == nil { others.append("1009,Cap,4.5,3") }
    others.append(added)
    let refused = try undone("csv", Self.shop, command, others: others)
    #expect(refused.run.status == 5, "\(refused.run)")
    #expect(refused.run.errors.contains("another program has added a record with sku 1004"))
    #expect(refused.file == Self.text(others, "csv"))
    let kept = try undone("csv", Self.shop, command, others: others, ["undo", "save keep mine"])
    #expect(kept.run.status == 0, "\(kept.run)")
    let expected =
      mine.map { others + [$0] } ?? others.map { $0.replacing("1009", with: "1004") }
    #expect(kept.file == Self.text(expected, "csv"))
  }

  /// The key was there twice before, and no other program has changed the file.
  @Test func aRepeatedKeyIsRestored() throws {
    let rows = (1...20).map { "\($0),item \($0)" }
    let before = ["sku,name"] + rows + ["7,copy"]
    let undone = try undone("csv", before, "delete 21", others: before.dropLast())
    #expect(undone.run.status == 0, "\(undone.run)")
    #expect(undone.file == Self.text(before, "csv"))
  }
}
