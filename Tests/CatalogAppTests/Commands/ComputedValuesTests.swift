import CatalogApp
import OpenSwiftData
import Testing

/// Values that `set`, `insert` and `upsert` compute from the record as it was before.
@Suite struct ComputedValuesTests {
  private static let schema = Schema(
    Schema.Entity(
      "Item",
      attributes: [
        Schema.Attribute("name", .text), Schema.Attribute("qty", .integer),
        Schema.Attribute("price", .decimal), Schema.Attribute("weight", .number),
        Schema.Attribute("day", .date), Schema.Attribute("sold", .boolean),
        Schema.Attribute("data", .json), Schema.Attribute("total:", .decimal),
      ]
    )
  )

  private func fixture() throws -> ScriptFixture {
    let fixture = try ScriptFixture(Self.schema, entityName: "Item")
    try fixture.run(
      """
      insert name=Pen qty=3 price=9.99 weight=0.5 day=2024-01-31 data='{"n": 2, "tags": ["a", "b"]}'
      insert name="Red ink" qty=0 price=2.50 day=2024-02-29 sold=true
      insert name=Cup price=4
      save
      """
    )
    return fixture
  }

  /// Commands, and the values of a field afterwards, in order.
  static let computed: [(command: String, field: String, values: [String])] = [
    ("set where true price:=price * 1.1", "price", ["10.989", "2.75", "4.4"]),
    ("set where true price:=round(price * 1.075, 2)", "price", ["10.74", "2.69", "4.3"]),
    ("set where true price := price + 1", "price", ["10.99", "3.5", "5"]),
    ("set where true name:=upper(name)", "name", ["PEN", "RED INK", "CUP"]),
    (
      "set where true name:=concat(name, \" (\", qty ?? 0, \")\")", "name",
      [
        "Pen (3)", "Red ink (0)", "Cup (0)",
      ]
    ),
    ("set where true name:='it''s'", "name", ["its", "its", "its"]),
    ("set where true qty:=price qty2=1", "qty", ["3", "0", ""]),
    ("set where qty > 0 qty:=qty * 2 - 1 expect 1", "qty", ["5", "0", ""]),
    ("set where true qty:=if sold then 1 else qty", "qty", ["3", "1", ""]),
    ("set where true day:=day + 1mo", "day", ["2024-02-29", "2024-03-29", ""]),
    ("set where true qty:=days(2024-03-01 - day)", "qty", ["30", "1", ""]),
    ("set where true sold:=(price > 3)", "sold", ["true", "false", "true"]),
    ("set where true name:=data.tags[0]", "name", ["a", "", ""]),
    (
      "set where true data.n:=data.n + 1 name=x", "data",
      [
        "{\"n\":3,\"tags\":[\"a\",\"b\"]}", "", "",
      ]
    ),
    (
      "set where data.tags[-1] = \"b\" name:=data.tags[-1]", "name",
      [
        "b", "Red ink", "Cup",
      ]
    ),
    (
      "set where name = \"Pen\" data.tags[-1]=z", "data",
      [
        "{\"n\":2,\"tags\":[\"a\",\"z\"]}", "", "",
      ]
    ),
    ("set where name endswith right(name, 2) qty=7", "qty", ["7", "7", "7"]),
    ("set where true weight:=price", "weight", ["9.99", "2.5", "4"]),
    ("set where true qty:=qty + price missing", "qty", ["", "", ""]),
    ("set where true qty:=12 / qty skip", "qty", ["4", "0", ""]),
    ("set where true qty:=12 / qty name=Sold skip", "name", ["Sold", "Red ink", "Sold"]),
    ("set where true qty:=12 / qty expect 3 missing", "qty", ["4", "", ""]),
    ("set where true name:=weight {\"qty\": 7}", "qty", ["7", "7", "7"]),
    ("set where true price:=qty, qty:=1 # both see the record before", "price", ["3", "0", ""]),
    ("set where true `total:`=5", "total:", ["5", "5", "5"]),
  ]

  @Test(arguments: computed)
  func setComputes(command: String, field: String, values: [String]) throws {
    let fixture = try fixture()
    let result = try fixture.run(command)
    guard !command.contains("qty2") else {
      #expect(result.errors.contains("no field \"qty2\""), "\(result)")
      return
    }
    #expect(result.status == 0, "\(result)")
    let records = try fixture.session.context.fetchSnapshots(matching: Query("Item"))
    #expect(records.map { $0[field]?.text ?? "" } == values)
    // One step, which is undone as a whole, and compared when it is saved.
    try fixture.run("save\nundo\nsave")
    let undone = try fixture.session.context.fetchSnapshots(matching: Query("Item"))
    #expect(undone.map { $0["name"]?.text } == ["Pen", "Red ink", "Cup"])
    #expect(undone.map { $0["qty"]?.text } == ["3", "0", ""])
  }

  /// Commands that change nothing, and their errors.
  static let refused: [(command: String, message: String)] = [
    ("set where true qty:=qty + name", "column 25: + needs numbers, found integer and text"),
    (
      "set where true qty:=" + String(repeating: "qty+", count: 3000) + "1",
      "an expression has at most 500 operators"
    ), ("set where true name:=pad(name, -9223372036854775807, 1)", "pad needs text"),
    ("set where true sold:=(1 / 0 in ())", "1 / 0: division by zero"),
    ("set where true name:=left(null, 1 / 0)", "left needs a whole number, found decimal"),
    ("set where true name:=left(null, 1 // 0)", "1 // 0: division by zero"),
    ("set where true qty:=nope", "column 21: Item has no field \"nope\"; available: name, qty"),
    (
      "set where true qty:=qty *",
      "column 26: expected a field, a value or a function, found the end"
    ),
    (
      "set where true qty:=uper(name)",
      "column 21: unknown function \"uper\"; did you mean \"upper\"?"
    ),
    (
      "set where true qty:=name",
      "column 21: qty has type integer, the expression is text; write integer(…)"
    ),
    (
      "set where true day:=day - 2024-01-01", "the expression is duration; write days(…) or text(…)"
    ),
    ("set where true qty:=12 / qty", "12 / qty: division by zero"),
    (
      "set where true qty:=price",
      "qty: \"9.99\" is not a whole number; write round(…), floor(…) or ceil(…)"
    ),
    ("set where true qty:=qty qty:=2", "duplicate field \"qty\""),
    ("set where true qty:=qty,price:=1", "expected a space after \",\""),
    (
      "set where true total:=5", "Item has a field \"total:\"; write `total:`=… for it or total :=…"
    ),
    ("set where true qty=1 skip", "column 22: \"skip\" is about values that are computed"),
    ("set where name = \"Pen\" data.tags[-3]=z", "the array has no element [-3]"),
    ("set where true qty:=qty expect 2", "expected 2 records, found 3"),
    ("set where true name=qty+1", "to compute it, name:=qty+1"),
    ("insert name:=day + 1", "+ cannot be used with date and integer"),
    ("insert qty:=1 / 0", "1 / 0: division by zero"),
  ]

  @Test(arguments: refused)
  func aFailureChangesNothing(command: String, message: String) throws {
    let fixture = try fixture()
    let before = try fixture.session.context.fetchSnapshots(matching: Query("Item"))
    let result = try fixture.run(command)
    #expect(result.status == 1 && result.errors.contains(message), "\(result)")
    #expect(try fixture.session.context.fetchSnapshots(matching: Query("Item")) == before)
    #expect(!fixture.session.context.hasChanges)
  }

  @Test func aFailureNamesTheFirstRecords() throws {
    let fixture = try ScriptFixture(Self.schema, entityName: "Item")
    try fixture.run((1...7).map { "insert name=n\($0)" }.joined(separator: "\n") + "\nsave")
    let result = try fixture.run("set where true qty:=integer(name)")
    #expect(result.errors.contains("7 of 7 records: "), "\(result)")
    #expect(result.errors.contains("integer(name): \"n5\" is not a whole number; …"))
    #expect(!result.errors.contains("n6"))
  }

  @Test func newRecordsSeeTheirOwnValues() throws {
    let fixture = try fixture()
    try fixture.run(
      """
      insert name=Box qty=4 price:=qty * 1.5 day:=today()
      upsert by name name=Pen price:=price * 2
      upsert by name name=Ink qty=2 price:=qty + 0.5
      """
    )
    let records = try fixture.session.context.fetchSnapshots(matching: Query("Item"))
    let prices = records.map { "\($0["name"]?.text ?? "") \($0["price"]?.text ?? "")" }
    #expect(prices == ["Pen 19.98", "Red ink 2.5", "Cup 4", "Box 6", "Ink 2.5"])
    #expect(records[3]["day"]?.text.count == 10)
  }

  @Test func parametersAreValues() throws {
    let fixture = try fixture()
    fixture.session.script.parameters = ["rate": "1.5", "none": nil]
    try fixture.run("set where true price:=price * decimal($rate)\nset where true qty:=$none ?? 9")
    let records = try fixture.session.context.fetchSnapshots(matching: Query("Item"))
    #expect(records.map { $0["price"]?.text } == ["14.985", "3.75", "6"])
    #expect(records.map { $0["qty"]?.text } == ["9", "9", "9"])
  }

  /// Conditions with computed operands, and the names of the records that meet them.
  static let conditions: [(condition: String, names: String)] = [
    ("qty * price > 20", "Pen"), ("length(name) = 3", "Pen,Cup"),
    ("price * 2 between 5 and 10", "Red ink,Cup"),
    ("upper(name) = \"CUP\" or qty = 0", "Red ink,Cup"), ("day + 1mo = 2024-02-29", "Pen"),
    ("not (qty ?? 0) + 1 > 1", "Red ink,Cup"),
    ("year(day) = 2024 and name contains[c] \"PEN\"", "Pen"),
    ("length(data.tags) = 2", "Pen"), ("(if sold then 1 else 0) = 1", "Red ink"),
    ("qty * 0 is null", "Cup"), ("split(name, \" \")[1] = \"ink\"", "Red ink"),
  ]

  @Test(arguments: conditions) func operandsOfConditionsAreComputed(
    condition: String,
    names: String
  ) throws {
    let fixture = try fixture()
    let expected = names.split(separator: ",").map(String.init)
    #expect(try fixture.run("count where \(condition)").output == "\(expected.count)\n")
    let listed = try fixture.run("list where \(condition) sort qty fields name")
    #expect(
      Set(listed.output.split(separator: "\n").dropFirst().map(String.init)) == Set(expected),
      "\(listed)"
    )
    #expect(try fixture.run("expect \(expected.count) where \(condition)").status == 0)
    try fixture.run("set where \(condition) name:=concat(name, \"!\")")
    let changed = try fixture.session.context.fetchSnapshots(matching: Query("Item"))
      .compactMap { $0["name"]?.text }.filter { $0.hasSuffix("!") }
    #expect(changed == expected.map { $0 + "!" })
    try fixture.run(
      "delete where \(condition.replacing("CUP", with: "CUP!").replacing("= 3", with: "= 4"))"
    )
    #expect(fixture.session.context.hasChanges)
  }

  @Test(arguments: [
    ("count where qty * > 5", "column 19: expected a field, a value or a function, found \">\""),
    ("count where 12 / qty > 5", "1 of 3 records: "),
    ("count where qty * name > 5", "column 17: * needs numbers"),
    ("count where 1 = 2", "one side of a comparison must be a field"),
    ("count where data > 1", "whose numbers have no order"),
    ("count where qty >", "found the end"),
    ("count where nope > 5", "column 13: Item has no field \"nope\""),
    ("delete where uper(name) = \"X\"", "unknown function \"uper\"; did you mean \"upper\"?"),
    (
      "count where price * 2",
      "expected a condition, found decimal; write a comparison such as = or <"
    ),
  ])
  func aWrongConditionIsToldInItsPlace(command: String, message: String) throws {
    let result = try fixture().run(command)
    #expect(result.status == 1 && result.errors.contains(message), "\(result)")
  }

  @Test func notesTellWhatWasLeftOut() throws {
    let fixture = try fixture()
    #expect(
      try fixture.run("set where true qty:=12 / qty missing", echoesNotes: true).errors
        .contains("values of 1 record are missing now")
    )
    #expect(
      try fixture.run("set where true qty:=1 / (qty - qty) skip", echoesNotes: true).errors
        .contains("1 record was left as before")
    )
  }
  /// A value may be the one from before: of the records that lack one, none has a value to fill in.
  @Test func aComputationThatChangesNothingSaysSo() throws {
    let fixture = try fixture()
    let same = try fixture.run("set where qty > 0 qty:=qty", echoesNotes: true)
    #expect(same.errors.contains("nothing changed") && same.status == 0, "\(same)")
    let other = try fixture.run("set where qty > 0 qty:=qty + 1", echoesNotes: true)
    #expect(!other.errors.contains("nothing changed"), "\(other)")
    let typed = try fixture.run("set where qty > 0 name=x qty:=qty", echoesNotes: true)
    #expect(!typed.errors.contains("nothing changed"), "\(typed)")
    let new = try fixture.run("insert name=x qty:=null", echoesNotes: true)
    #expect(!new.errors.contains("nothing changed") && new.status == 0, "\(new)")
  }
}
