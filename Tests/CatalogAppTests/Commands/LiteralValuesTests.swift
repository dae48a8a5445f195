import CatalogApp
import OpenSwiftData
import Testing

/// A value without quotes is the text that it seems to be, or an error says what to write.
@Suite struct LiteralValuesTests {
  private static let schema = Schema(
    Schema.Entity("Maker", attributes: [Schema.Attribute("name", .text)]),
    Schema.Entity(
      "Item",
      attributes: [
        Schema.Attribute("k", .text), Schema.Attribute("note", .text),
        Schema.Attribute("qty", .integer), Schema.Attribute("unit-price", .decimal),
        Schema.Attribute("data", .json), Schema.Attribute("maker", .link("Maker")),
        Schema.Attribute("makers", .links("Maker")),
      ]
    )
  )

  private func fixture() throws -> ScriptFixture {
    let fixture = try ScriptFixture(Self.schema, entityName: "Item")
    try fixture.run("insert Maker name=Ann\ninsert k=a data='{\"n\":1}'")
    return fixture
  }

  /// Assignments, and the error of each.
  static let refused: [(assignment: String, message: String)] = [
    ("note=$nots", "unknown parameter \"$nots\"; use --arg nots VALUE, or '$nots' for the text"),
    (
      "note=${unit price}",
      "unknown parameter \"${unit price}\"; write '${unit price}' for the text"
    ),
    ("note=$5.00", "unknown parameter \"$5\"; write '$5.00' for the text"),
    ("note=$a*2", "unknown parameter \"$a\""), ("qty=$n", "unknown parameter \"$n\""),
    ("data=$n", "unknown parameter \"$n\""), ("data.n=$n", "unknown parameter \"$n\""),
    ("maker=$n", "unknown parameter \"$n\""), ("maker=name:$n", "unknown parameter \"$n\""),
    ("note=\"a\", qty=1", "unexpected \",\" after the value; separate assignments with a space"),
    ("note='a',", "unexpected \",\" after the value"), ("note=$'a',", "unexpected \",\" after"),
    ("note=\"a\",qty=1", "unexpected \",\" after the value"),
    ("note=\"it's\",'b'", "unexpected \",\" after the value"),
    ("qty=1, note=b", "unexpected \",\" after the value"),
    ("note=a, qty=1", "unexpected \",\" after the value"),
    ("note=a, {\"qty\": 1}", "unexpected \",\" after the value"),
    ("data.s=\"a\", qty=1", "unexpected \",\" after the value"),
    ("note=null", "note: write note= for null, or note=\"null\" for the word"),
    ("note=NULL", "note: write note= for null, or note=\"NULL\" for the word"),
    ("note=qty*unit-price", "is not computed; for the text, write note=\"qty*unit-price\""),
    ("note=qty+1", "is not computed"), ("note=QTY/2.5", "is not computed"),
    ("note=-qty", "is not computed"), ("note=(qty-1)*2", "is not computed"),
    ("note=1e3*qty", "is not computed"), ("note=data.n+1", "is not computed"),
    ("data=qty*2", "is not computed"), ("data.s=qty*2", "is not computed"),
    ("note=`unit-price`*2", "is not computed"), ("note=upper(note)", "is not computed"),
    ("note=today()", "is not computed"), ("note=upper(\"x\")", "is not computed"),
    ("note=qty%2", "for the text, write note='qty%2'"),
  ]

  @Test(arguments: refused)
  func aValueThatMeansSomethingElseIsRefused(assignment: String, message: String) throws {
    for command in ["set t2", "insert", "upsert by k k=b", "set where true"] {
      // Paths into JSON can be set only.
      if assignment.contains("data."), assignment.hasPrefix("data."), !command.hasPrefix("set") {
        continue
      }
      let fixture = try fixture()
      let result = try fixture.run("\(command) \(assignment)")
      #expect(result.errors.contains(message), "\(command): \(result)")
      #expect(result.status == 1 && result.output.isEmpty)
      #expect(try fixture.run("count").output == "1\n")
    }
  }

  /// Assignments, and the text that each of them stores in `note`.
  static let texts: [(assignment: String, text: String)] = [
    ("note='$nots'", "$nots"), ("note=\"$nots\"", "$nots"), ("note=\\$nots", "$nots"),
    ("note=US$5", "US$5"), ("note=a$b", "a$b"), ("note=$", "$"), ("note=\"a,\"", "a,"),
    ("note=a,b", "a,b"), ("note=a,", "a,"), ("note=\"null\"", "null"),
    ("note=nullable", "nullable"),
    ("note=\"qty*2\"", "qty*2"), ("note=qty\\*2", "qty*2"), ("note=qty", "qty"),
    ("note=unit-price", "unit-price"), ("note=2*3", "2*3"), ("note=2024-01-02", "2024-01-02"),
    ("note=in-stock", "in-stock"), ("note=qty-low", "qty-low"), ("note=a/b", "a/b"),
    ("note=f(qty)", "f(qty)"), ("note=(qty)", "(qty)"), ("note=5%", "5%"),
    ("note=*qty", "*qty"), ("note=qty*", "qty*"), ("note=--qty", "--qty"),
  ]

  @Test(arguments: texts)
  func anyOtherTextIsStoredAsItIs(assignment: String, text: String) throws {
    let fixture = try fixture()
    let result = try fixture.run("set t2 \(assignment)\nlist fields note")
    #expect(result.output == "note\n\(text)\n", "\(result)")
  }

  @Test func listsOfLinksAndJSONKeepTheirCommas() throws {
    let fixture = try fixture()
    let result = try fixture.run(
      "set t2 makers=\"t1\",'t1' data='[1,\"a\"]'\nset t2 data=null data.x=null",
      keepsGoing: true
    )
    #expect(!result.errors.contains("unexpected \",\""), "\(result)")
  }

  @Test(arguments: ["note:text=null", "note:text=$nots"])
  func aDefaultIsNotAWordThatMeansSomethingElse(field: String) throws {
    let fixture = try fixture()
    for command in ["entity create New \(field)", "field add Maker \(field)"] {
      let result = try fixture.run(command)
      #expect(result.status == 1 && result.errors.contains(" for the "), "\(command): \(result)")
    }
    #expect(try fixture.run("field add Maker note:text='null'").status == 0)
  }
}
