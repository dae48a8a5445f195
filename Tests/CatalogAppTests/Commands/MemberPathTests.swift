import CatalogApp
import OpenSwiftData
import Testing

/// Values inside JSON fields in columns, predicates, orders and `set`.
@Suite struct MemberPathTests {
  private static let schema = Schema(
    Schema.Entity(
      "Repo",
      attributes: [
        Schema.Attribute("name", .text), Schema.Attribute("user", .json),
        Schema.Attribute("tags", .json),
      ]
    ),
    Schema.Entity(
      "Fork",
      attributes: [Schema.Attribute("name", .text), Schema.Attribute("of", .link("Repo"))]
    )
  )

  private func fixture(isSaved: Bool) throws -> ScriptFixture {
    let fixture = try ScriptFixture(Self.schema, entityName: "Repo")
    try fixture.run(
      #"""
      insert Repo name=a user='{"login":"octo","id":1,"site":{"url":"u"}}' tags='["x","y"]'
      insert Repo name=b user='{"login":"pete","id":20.5}' tags='[]'
      insert Repo name=c user='{"login":7,"on":true}' tags='["z"]'
      insert Repo name=d
      insert Fork name=f of=t1
      insert Fork name=g of=t4

      """# + (isSaved ? "save" : "")
    )
    return fixture
  }

  @Test(arguments: [
    (
      "tags[-1]=a tags[1]=b",
      #""tags[1]" may replace "tags[-1]", which is set already; set it with another command"#
    ),
    (
      "tags[0]=a tags[-0]=b",
      #""tags[-0]" may replace "tags[0]", which is set already; set it with another command"#
    ),
    (
      "user.site.url=x user.site=null",
      #""user.site" may replace "user.site.url", which is set already; set it with another command"#
    ),
    ("user.site={} user.site.url=x", nil),
    ("user.id=1 user.id:=2", #"duplicate field "user.id""#),
    ("tags[0]=p tags[1]=q user.id=1 user.login=x", nil),
  ])
  func twoPathsToOneValueAreRefused(assignments: String, message: String?) throws {
    let result = try fixture(isSaved: true).run("set where name = \"a\" \(assignments)")
    #expect(message.map(result.errors.contains) ?? result.errors.isEmpty, "\(result)")
  }

  static let predicates: [(predicate: String, names: String)] = [
    ("user.login = 'octo'", "a"), ("user.login != 'octo'", "b c d"), ("user.login = '7'", "c"),
    ("user.id > 1", "b"), ("user.id = 1", "a"), ("user.id between 1 and 30", "a b"),
    ("user.id is null", "c d"), ("user.id is not null", "a b"), ("user.on = true", "c"),
    ("tags[0] = 'x'", "a"), ("tags[0] in ('x', 'z')", "a c"), ("tags[1] is null", "b c d"),
    ("user.site.url contains[c] 'U'", "a"), ("not user.login beginswith 'o'", "b c d"),
    ("`user.login` = 'pete' or name = 'd'", "b d"), ("user.nothing is null", "a b c d"),
  ]

  @Test(arguments: predicates, [true, false])
  func predicatesReachValuesInsideJSON(
    _ test: (predicate: String, names: String),
    isSaved: Bool
  ) throws {
    let result = try fixture(isSaved: isSaved)
      .run("list where \(test.predicate) fields name sort name")
    #expect(
      result.output == (["name"] + test.names.split(separator: " ").map(String.init)).joined(
        separator: "\n"
      ) + "\n",
      "\(result)"
    )
  }

  static let lines: [(line: String, output: String)] = [
    ("list fields name,user.login,tags[0] sort -user.id", "b,pete,;a,octo,x;c,7,z;d,,"),
    ("list where user.id > 1 fields user.id", "20.5"),
    ("list Fork fields name,of.user.login sort name", "f,octo;g,"),
    ("list Fork where of.user.id = 1 fields name", "f"),
  ]

  @Test(arguments: lines)
  func columnsAndOrdersReachValuesInsideJSON(line: String, output: String) throws {
    let result = try fixture(isSaved: true).run(line)
    let rows = result.output.split(separator: "\n").dropFirst()
      .map { $0.replacing("\t", with: ",") }.joined(separator: ";")
    #expect(rows == output, "\(result)")
  }

  static let changes: [(assignment: String, json: String?)] = [
    ("user.login=x", #"{"login":"x","id":1,"site":{"url":"u"}}"#),
    ("user.login=5", #"{"login":"5","id":1,"site":{"url":"u"}}"#),
    ("user.id=5", #"{"login":"octo","id":5,"site":{"url":"u"}}"#),
    ("user.id=\"5\"", #"{"login":"octo","id":"5","site":{"url":"u"}}"#),
    ("user.id=", #"{"login":"octo","id":null,"site":{"url":"u"}}"#),
    ("user.site.url=v user.new=true", #"{"login":"octo","id":1,"site":{"url":"v"},"new":true}"#),
    ("user.site='[1, 2]'", #"{"login":"octo","id":1,"site":[1,2]}"#),
    ("user.site='{\"a\": 1e400}'", #"{"login":"octo","id":1,"site":{"a":1e400}}"#),
    ("user.site={\"a\": 1}", nil), ("user[0]=1", nil),
    ("user.login=1.10", #"{"login":"1.10","id":1,"site":{"url":"u"}}"#),
    ("user.id=1.10", #"{"login":"octo","id":1.10,"site":{"url":"u"}}"#),
    ("user.site=\(String(repeating: "[", count: 64))\(String(repeating: "]", count: 64))", nil),
    ("user.login.x=1", nil), ("user.login=a user.login=b", nil),
  ]

  @Test(arguments: changes)
  func oneValueInsideJSONIsSet(assignment: String, json: String?) throws {
    let fixture = try fixture(isSaved: false)
    let result = try fixture.run("set t1 \(assignment)")
    #expect((result.status == 0) == (json != nil), "\(result)")
    let wanted = json ?? #"{"login":"octo","id":1,"site":{"url":"u"}}"#
    #expect(try fixture.run("list where name = 'a' fields user").output == "user\n\(wanted)\n")
  }

  static let quotedNames: [(line: String, output: String)] = [
    (#"list where user["a.b"] = 1 fields name"#, "a"),
    (#"list where name = 'a' and (user["a.b"]>0) fields name"#, "a"),
    (#"list where tags[0]["x y"].z in ("q", "r") fields name"#, "a"),
    (#"list where not user["x \" ]"] is null fields name"#, "b"),
    (#"list where `user["a.b"]` = 1 fields name"#, "a"),
    (#"list Fork where of.user["a.b"] = 1 fields name"#, "f"),
    (#"list sort -user["a.b"] fields user["a.b"],name"#, "2,b;1,a"),
    (#"freq user["a.b"] where user["a.b"] is not null"#, "1,1;2,1"),
    (#"freq Fork of.user["a.b"]"#, "1,1"), (#"count where user["a.b"] between 1 and 2"#, "2"),
    (
      #"set where user["a.b"] = 1 user["a.b"]=7"# + "\n" + #"list where user["a.b"]=7 fields name"#,
      "a"
    ),
    (
      #"set where name = 'b' user["x=y"]='it is'"# + "\n"
        + #"list where user["x=y"] = 'it is' fields name"#, "b"
    ),
  ]

  /// Formerly `where`, `freq`, `stats` and `set` took the quotes for quotes of a word.
  @Test(arguments: quotedNames)
  func quotedNamesAreReached(line: String, output: String) throws {
    let fixture = try ScriptFixture(Self.schema, entityName: "Repo")
    try fixture.run(
      #"""
      insert Repo name=a user='{"a.b":1}' tags='[{"x y":{"z":"q"}}]'
      insert Repo name=b user='{"a.b":2,"x \" ]":true}'
      insert Fork name=f of=t1
      save
      """#
    )
    let result = try fixture.run(line)
    let rows = result.output.split(separator: "\n")
      .map { $0.split(separator: "\t").prefix(2).joined(separator: ",") }
    let values = rows.count == 1 ? rows[...] : rows.dropFirst()
    #expect(values.joined(separator: ";") == output, "\(result)")
  }

  @Test func statisticsReachQuotedNames() throws {
    let fixture = try ScriptFixture(Self.schema, entityName: "Repo")
    try fixture.run(#"insert Repo name=a user='{"a.b":3}'"# + "\nsave")
    #expect(try fixture.run(#"stats user["a.b"]"#).output.contains("max\t3"))
  }

  @Test func manyRecordsAreSetAtOnceAndUndone() throws {
    let fixture = try fixture(isSaved: true)
    let result = try fixture.run(
      "set where name != 'd' user.seen=true\ncount where user.seen = true\nundo\ncount where user.seen = true"
    )
    #expect(result.output.split(separator: "\n").suffix(2) == ["3", "0"], "\(result)")
  }

  @Test func aPathIsComparedWithAValueAlone() throws {
    let result = try fixture(isSaved: true).run("count where user.id = name")
    #expect(result.errors.contains("can only be compared with a value"), "\(result)")
  }
}
