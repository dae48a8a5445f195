import CatalogApp
import OpenSwiftData
import Testing

/// Values that reach commands beside their text, and JSON objects as values.
@Suite struct SafeValuesTests {
  /// Values that would change the command if they were read as a part of it.
  static let values = [
    "plain", "", " two  spaces ", "line\nend", "\"; delete where true", "' or true or '", "$other",
    "title", "{\"a\": 1}", "#", "\\", "null", "é👩‍👩‍👧", "`", "x\" director=\"y", "=1",
  ]

  @Test(arguments: values) func aParameterIsTheWholeValueWhateverItHolds(_ value: String) throws {
    let fixture = try ScriptFixture()
    fixture.session.script.parameters = ["v": value, "other": "wrong", "title": "wrong"]
    let result = try fixture.run(
      "insert title=$v director=$v\ncount where title = $v\ncount where $v = director and title = $v\n"
        + "count where title in ($v) and director contains $v\nset where title = $v director=done"
    )
    #expect(result == ScriptResult(output: "t1\n1\n1\n1\n", errors: "", status: 0))
    let film = try fixture.session.context.fetchSnapshots(matching: Query("Film"))
    #expect(film.map { $0["title"] } == [.text(value)])
    #expect(film.map { $0["director"] } == [.text("done")])
  }

  @Test func parametersAreConvertedByTheTypeOfTheField() throws {
    let fixture = try ScriptFixture.withFilms()
    fixture.session.script.parameters = ["year": "2009", "half": "2008.5", "no": nil, "bad": "x"]
    let result = try fixture.run(
      """
      count where releaseYear = $year
      count where releaseYear > $half and releaseYear < 2010
      set where title = "Up" releaseYear=$no director=$no
      count where releaseYear = $no
      list where title = "Up" fields title,releaseYear,director
      """
    )
    #expect(result.output == "1\n1\n1\ntitle\treleaseYear\tdirector\nUp\t\t\n")
    let wrong = try fixture.run("set where true releaseYear=$bad")
    #expect(wrong.errors == "1: column 28: releaseYear: \"x\" is not a whole number\n", "\(wrong)")
  }

  @Test func withoutAParameterADollarIsAnErrorUnlessItIsQuotedOrInsideAText() throws {
    let fixture = try ScriptFixture()
    fixture.session.script.parameters = ["v": "x"]
    let result = try fixture.run(
      #"""
      insert title='$none'
      insert title="$v"
      insert title=\$v
      insert title=a$other
      list fields title
      count where title = $none
      insert title=$none
      """#,
      keepsGoing: true
    )
    #expect(result.output == "t1\nt2\nt3\nt4\ntitle\n$none\n$v\n$v\na$other\n")
    let hints = ["", ", or '$none' for the text"]
    #expect(
      result.errors
        == zip(["6: column 21", "7: column 14"], hints).map { place, hint in
          "\(place): unknown parameter \"$none\"; use --arg none VALUE\(hint)\n"
        }.joined(),
      "\(result)"
    )
  }

  @Test func aParameterNamesARecord() throws {
    let fixture = try ScriptFixture()
    fixture.session.script.parameters = ["id": "t1", "empty": ""]
    let result = try fixture.run(
      "insert title=A\nset $id title=B\nshow $id\ndelete $id\ncount\nshow $empty"
    )
    #expect(result.output.hasPrefix("t1\nid\tt1\ntitle\tB\n"), "\(result)")
    #expect(result.errors == "6: \"$empty\": missing identifier\n")
  }

  @Test func aJSONObjectSetsItsFields() throws {
    let fixture = try ScriptFixture()
    let result = try fixture.run(
      #"""
      insert Film {"title": "He said \"no\" \u00e9 \ud83d\ude00 {}", "releaseYear": 3, "seen": true}
      set t1 {"releaseYear": null, "boxOffice": 1.50} director="x y"
      set where title beginswith "He" {"rating":1e2,"released":"2009-05-29"} expect 1
      list fields title,releaseYear,boxOffice,rating,seen,released,director
      """#
    )
    #expect(result.errors == "")
    #expect(
      result.output == "t1\ntitle\treleaseYear\tboxOffice\trating\tseen\treleased\tdirector\n"
        + "He said \"no\" é 😀 {}\t\t1.5\t100\ttrue\t2009-05-29\tx y\n"
    )
  }

  @Test func anEmptyObjectSetsNothing() throws {
    let lines = ["insert {}", "set t1 { \"title\": \"A\" }", "list fields title"]
    let result = try ScriptFixture().run(lines.joined(separator: "\n"))
    #expect(result.output == "t1\ntitle\nA\n" && result.errors == "", "\(result)")
    let missing = try ScriptFixture().run("insert Film {}\nsave")
    #expect(
      missing.errors.hasPrefix("2: not saved: Film.title: a value is required (record t1)"),
      "\(missing)"
    )
  }

  @Test(arguments: [
    (#"insert {"titel": 1}"#, "1: column 18: Film has no field \"titel\"; did you mean \"title\"?"),
    (#"insert {"title": 1}"#, "1: column 18: title: 1 is not a valid text"),
    (
      #"insert {"title": "a", "title": "b"}"#,
      "1: column 23: invalid JSON: duplicate key \"title\""
    ),
    (#"insert title=a {"title": "b"}"#, "1: column 26: duplicate field \"title\""),
    (#"insert {"title": "a"}x"#, "1: column 22: expected a space after }"),
    (#"insert {"title": }"#, "1: column 18: invalid JSON"),
    (#"insert {"title": "a""#, "1: column 21: invalid JSON"),
    (#"insert {"releaseYear": "x"}"#, "1: column 24: releaseYear: \"x\" is not a whole number"),
  ])
  func aWrongObjectIsNamedWithItsColumn(line: String, message: String) throws {
    let result = try ScriptFixture().run(line)
    #expect(result.errors.hasPrefix(message), "\(result)")
    #expect(result.status == 1 && result.output == "")
  }

  @Test func theRestOfAValueWithALineEndIsNoCommand() throws {
    let fixture = try ScriptFixture.withFilms()
    let result = try fixture.run("insert title=\"a\ndelete where true\nb\"\n", keepsGoing: true)
    #expect(result == ScriptResult(output: "", errors: "1: column 14: unclosed \"\n", status: 1))
    #expect(try fixture.run("count").output == "3\n")
    let prompt = try fixture.run("insert title='a\ncount", keepsGoing: true, echoesNotes: true)
    #expect(prompt.output == "3\n")
  }

  /// Values, and the parameter that each of them has a part of.
  @Test(arguments: [
    ("x$v", "$v"), ("$v$w", "$v"), ("$v.$w", "$v"), ("a${v}", "${v}"), ("\"a\"$w", "$w"),
    ("x=$v", "$v"), ("${old name}s", "${old name}"), ("author:$v", "$v"),
    ("a${old name}", "${old name}"),
  ])
  func aParameterIsNoPartOfAValue(_ value: String, _ name: String) throws {
    let fixture = try ScriptFixture()
    fixture.session.script.parameters = ["v": "1", "w": "2", "old name": "3"]
    let result = try fixture.run("insert title=\(value)\ncount", keepsGoing: true)
    let name = name == "${v}" ? "$v" : name
    #expect(
      result.errors.hasPrefix("1: column 14: \"\(name)\" must be the whole value, not a part of"),
      "\(result)"
    )
    #expect(result.output == "0\n")
  }

  @Test(arguments: [
    "'x$v'", "\"x$v\"", "x\\$v", "x$", "a$vx", "a${vx}", "$v-", "'$'v", "x${v",
  ])
  func aTextWithADollarIsThatText(_ value: String) throws {
    let fixture = try ScriptFixture()
    fixture.session.script.parameters = ["v": "1"]
    let result = try fixture.run("insert title=\(value)\nlist fields title")
    let text = value.filter { !"'\"\\".contains($0) }
    let isPart = ["$v-", "x${v"].contains(value)
    #expect(isPart == !result.errors.isEmpty && (isPart || result.output == "t1\ntitle\n\(text)\n"))
  }

  @Test func anyColumnIsAParameter() throws {
    let fixture = try ScriptFixture()
    fixture.services.files["a.csv"] = Array(
      "old name,it's,größe,a-b,a=b,2nd\nUp,P. Docter,1,2,3,4\n".utf8
    )
    fixture.services.files["b.jsonl"] = Array("{\"x y\": \"Soul\"}\n{\"z\": 1}\n".utf8)
    let result = try fixture.run(
      """
      each a.csv insert title=${old name} director=${it's}
      each a.csv expect 1 where title = ${old name} and director = ${it's}
      each a.csv set where title=${old name} director=$größe releaseYear=${a-b}
      each a.csv insert title=${a=b} director=$2nd
      each b.jsonl insert title=${x y}
      list fields title,director,releaseYear
      """
    )
    #expect(
      result.output
        == "t1\nt2\nt3\nt4\ntitle\tdirector\treleaseYear\nUp\t1\t2\n3\t4\t\nSoul\t\t\n\t\t\n",
      "\(result)"
    )
  }

  @Test func aNameThatNeedsBracesIsRefusedWithoutThem() throws {
    let fixture = try ScriptFixture()
    fixture.services.files["a.csv"] = Array("old name,a-b\nUp,2\n".utf8)
    let result = try fixture.run(
      """
      each a.csv insert title=$old name
      each a.csv insert title=$a-b
      each a.csv insert title=${old nam}
      each a.csv count where title = ${none}
      """,
      keepsGoing: true
    )
    let lines = result.errors.split(separator: "\n").map(String.init)
    try #require(lines.count == 4, "\(result)")
    #expect(lines[0].contains("unknown parameter \"$old\""), "\(result)")
    #expect(lines[1].contains("write ${a-b}"), "\(result)")
    #expect(lines[2].contains("unknown parameter \"${old nam}\"; did you mean \"${old name}\"?"))
    #expect(lines[3].contains("unknown parameter \"${none}\""), "\(result)")
  }

  @Test func eachRunsACommandForEachRow() throws {
    let fixture = try ScriptFixture.withFilms()
    fixture.services.files["a.csv"] = Array(
      "old,new\nUp,\"Up; \"\"again\"\"\"\nSoul,\nNone,x\n".utf8
    )
    fixture.services.files["b.jsonl"] = Array(
      "{\"t\": \"a\\nb\", \"y\": 3}\n{\"t\": \"$t\", \"y\": null}\n".utf8
    )
    let result = try fixture.run(
      """
      each a.csv set where title = $old director=$new
      each b.jsonl insert title=$t releaseYear=$y
      list sort title fields title,releaseYear,director
      """
    )
    #expect(
      result.output
        == "t4\nt5\ntitle\treleaseYear\tdirector\n$t\t\t\nFinding Nemo\t2003\tAndrew Stanton\n"
        + "Soul\t2020\t\nUp\t2009\tUp; \"again\"\na\\nb\t3\t\n",
      "\(result)"
    )
  }

  @Test func aRowThatFailsUndoesTheWholeCommand() throws {
    let fixture = try ScriptFixture()
    fixture.services.files["a.csv"] = Array("t,y\nA,1\nB,x\n".utf8)
    let result = try fixture.run(
      "each a.csv insert title=$t releaseYear=$y\ncount\neach a.csv save\neach a.csv",
      keepsGoing: true
    )
    #expect(result.output == "0\n")
    #expect(
      result.errors == """
        1: a.csv:3: releaseYear: "x" is not a whole number
        3: each: cannot run "save" for each row
        4: missing command after the file name

        """,
      "\(result)"
    )
  }

  @Test func theIdentifierCanBeComparedAndSortedBy() throws {
    let fixture = try ScriptFixture.withFilms()
    let identifiers = try fixture.session.context.fetchIdentifiers(matching: Query("Film"))
      .map(\.description)
    fixture.session.script.parameters = ["id": identifiers[1]]
    let result = try fixture.run(
      """
      list where id = $id fields title
      list where id in ("\(identifiers[0])", "none") fields title
      count where id != $id and title != "Up"
      count where id beginswith "\(identifiers[2].prefix(6))"
      set where id = $id title=Found expect 1
      list sort -id limit 1 offset 1 fields id
      stats releaseYear where id = $id
      """
    )
    let second = identifiers.sorted()[1]
    #expect(
      result.output.hasPrefix("title\nFinding Nemo\ntitle\nUp\n1\n1\nid\n\(second)\n"),
      "\(result)"
    )
    #expect(result.output.contains("sum\t2003\n"), "\(result)")
  }
}
