import CatalogApp
import Foundation
import OpenSwiftData
import Testing

/// Lists with computed columns, groups and limits for each value, with the rows that a separate implementation has
/// computed.
@Suite struct ListVectorTests {
  /// One line of the file: the records, a command, and the rows or the error that it gives.
  struct Vector: Decodable, Sendable, CustomTestStringConvertible {
    let fields: [[String]]
    let rows: [[String?]]
    let command: String
    let result: [String]?
    let error: String?

    var testDescription: String { command }

    var entity: Schema.Entity {
      get throws {
        Schema.Entity(
          "Row",
          attributes: try fields.map {
            Schema.Attribute($0[0], try #require(AttributeType($0[1])))
          }
        )
      }
    }
  }

  static let lines: [Substring] = {
    let folder = (#filePath as NSString).deletingLastPathComponent
    let path = (folder as NSString).deletingLastPathComponent + "/Fixtures/lists.jsonl"
    return ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
  }()

  static let vectors = lines.compactMap {
    try? JSONDecoder().decode(Vector.self, from: Data($0.utf8))
  }

  @Test func allLinesAreRead() {
    #expect(Self.vectors.count == Self.lines.count)
    #expect(Self.vectors.count > 60)
  }

  @Test(arguments: vectors) func givesTheExpectedRows(vector: Vector) throws {
    let fixture = try ScriptFixture(Schema(vector.entity), entityName: "Row")
    for row in vector.rows {
      let values = zip(vector.fields, row).compactMap { field, text in
        text.map { "\(field[0])='\($0)'" }
      }
      _ = try fixture.session.perform("insert " + values.joined(separator: " "))
    }
    do {
      var outcome = try fixture.session.perform(vector.command)
      if vector.command.hasPrefix("set ") {
        let fields = vector.fields.map { "\($0[0]) as \($0[0])" }.joined(separator: ", ")
        outcome = try fixture.session.perform("list fields \(fields)")
      }
      guard case .table(let table) = outcome else {
        Issue.record("no table")
        return
      }
      let rows = table.rows.map { row in
        row.map { $0.isNull ? "∅" : $0.text }.joined(separator: "\t")
      }
      #expect(rows == vector.result)
    } catch {
      #expect("\(error)".hasSuffix(vector.error ?? "no error"), "\(error)")
    }
  }

  // MARK: What vectors do not tell

  /// Lines that are refused, and their messages.
  static let refused: [(command: String, message: String)] = [
    ("list fields title, nope * 2", "column 20: Film has no field \"nope\"; available: title"),
    (
      "list fields title foo",
      "expected where, join, by, having, sort, limit, per, offset, sample, fields, distinct, missing or skip"
    ),
    ("list fields title,", "invalid field list \"title,\"; use A,B,C"),
    ("list fields uper(title)", "column 13: unknown function \"uper\"; did you mean \"upper\"?"),
    ("list fields title, title", "duplicate field \"title\""),
    ("list fields title as t, director as t", "duplicate column \"t\"; add as NAME"),
    ("list sort title -releaseYear", "column 17: write sort a,-b, or a - b"),
    ("list by director offset 1 limit 1 per director", "offset cannot be used with per"),
    ("list fields title as", "expected a name after \"as\""),
    ("list where sum(rating) > 1", "sum belongs to groups: list by … having sum(rating) > 1"),
    ("list by director fields director, row()", "row needs records in order"),
    ("list limit 1 per row() fields title", "row needs records in order; use it in the fields"),
    ("list fields title per fill(title)", "fill needs records in order"),
    ("list limit 1 per n fields title, prev(title) as n", "prev needs records in order"),
    ("list having running(releaseYear) > 1 fields title", "running needs records in order"),
    ("list fields sum(title)", "sum needs a number, found text; write number(title)"),
    ("list by director having title = \"a\"", "title is neither a key nor in a function"),
    ("list fields percentile(rating, 101)", "percentile: p must be 0 to 100"),
    ("list fields title skip", "are about columns that are computed"),
    ("list by director sort director[l]", "director[l] cannot be used with groups"),
    ("set where true rating:=sum(rating)", "sum belongs to groups"),
    ("list per director prev(title)", "found \"prev(title)\"; write columns after fields"),
    (
      "list fields days(released-2020-02-29)",
      "column 18: Film has no field \"released-2020-02-29\"; write the minus with spaces: released - 2020-02-29"
    ),
    ("list sample", "missing number after \"sample\""),
    ("list sample 1 seed x", "seed: \"x\" is not a whole number"),
    ("list sample 2 sample 3", "duplicate \"sample\""),
    ("list fields random(rating)", "random: the seed must be a whole number"),
    ("list by director fields random(1)", "random needs records in order"),
    ("list by title[*] fields count()", "expected json before [*], found text"),
    (
      "insert title=a rating:=row()",
      "row needs records in order; use it in the fields of a list, or in set"
    ),
    (
      "set sort title rating:=row()",
      "which record? write \"set where P sort …\"; \"where true\" means all"
    ),
    ("set where true sort nope rating:=row()", "has no field \"nope\""),
    ("set where true sort title rating:=row() where seen", "found \"where\""),
    ("pivot director", "pivot: expected by after the fields of the rows"),
    ("pivot director by seen", "pivot: missing what to compute, such as count()"),
    ("pivot director by seen, title count()", "pivot: expected one field after by, found 2"),
    ("pivot director by seen title", "title is neither a key nor in a function"),
    (
      "pivot director by seen count() by title",
      "expected where, join, sort, limit or offset, found \"by\""
    ),
    ("pivot director, director by seen count()", "duplicate field \"director\""),
    ("unpivot title", "unpivot: expected as NAME,VALUE after the fields"),
    ("unpivot title as a", "unpivot: expected a comma and a second name after a"),
    ("unpivot title as a,director", "unpivot: \"director\" is a name already"),
    ("unpivot title as a,a", "unpivot: \"a\" is a name already"),
    ("freq length(titel)", "has no field \"titel\""),
    ("freq length(title), rating", "expected one field or expression, found 2"),
  ]

  @Test(arguments: refused) func wrongClausesAreRefused(command: String, message: String) throws {
    let fixture = try ScriptFixture()
    #expect {
      try fixture.session.perform(command)
    } throws: { error in
      "\(error)".contains(message)
    }
  }

  /// A name hides the field of the same name, except in its own expression.
  @Test func aColumnMayHaveTheNameOfItsField() throws {
    let fixture = try ScriptFixture()
    let result = try fixture.run(
      """
      insert title=Up director=Docter rating=4
      insert title=Brave director=Docter rating=2
      list sort -rating fields upper(title) as title, rating * 2 as rating
      list by director having rating > 5 fields director, sum(rating) as rating
      list by upper(director) as director fields director, count()
      """
    )
    let expected = ["title\trating", "UP\t8", "BRAVE\t4", "director\trating", "Docter\t6"]
    let last = ["director\tcount()", "DOCTER\t2"]
    #expect(result.output.split(separator: "\n").suffix(7).map(String.init) == expected + last)
    #expect(result.errors.isEmpty)
  }

  /// Lines over five records with k from 1 to 5, and what they print after the heading.
  static let windows: [(line: String, rows: [String])] = [
    ("list limit 2 offset 1 fields k, k * 1 as x", ["2\t2", "3\t3"]),
    ("list offset 3 fields k as x", ["4", "5"]),
    ("list limit 2 offset 1 sort -k fields k as x", ["4", "3"]),
    ("list limit 2 fields -k as x, k", ["-1\t1", "-2\t2"]), ("list limit 1 fields -k", ["-1"]),
    ("list sort -`t` limit 2 fields -k + 0 as `t`, k", ["-1\t1", "-2\t2"]),
    ("list by k // 3 as `a b` fields `a b`, count() as n", ["0\t2", "1\t3"]),
    ("list by k // 3 as k fields k, sum(k) as s, min(k) as t", ["0\t3\t1", "1\t12\t3"]),
    ("list by length(t) as t fields t, count() as n", ["1\t5"]),
    ("list fields id as id limit 1", ["t1"]),
    ("list fields max(k) as k, min(k) as lo", ["5\t1"]),
    ("list sort 1 / (k - 2) fields k skip", ["1", "5", "4", "3"]),
    ("list by (k > 3) fields (k > 3), count() as n", ["false\t3", "true\t2"]),
    ("list by k // 4 sort count() - count() fields k // 4 as q", ["0", "1"]),
  ]

  @Test(arguments: windows) func namesAndLimitsAreThoseOfTheList(line: String, rows: [String])
    throws
  {
    let entity = Schema.Entity(
      "Row",
      attributes: [Schema.Attribute("k", .integer), Schema.Attribute("t", .text)]
    )
    let fixture = try ScriptFixture(Schema(entity), entityName: "Row")
    for k in 1...5 { _ = try fixture.session.perform("insert k=\(k) t=x") }
    let result = try fixture.run(line)
    #expect(result.output.split(separator: "\n").dropFirst().map(String.init) == rows, "\(result)")
  }

  @Test func namesThatStandForTooMuchAreRefused() throws {
    let fixture = try ScriptFixture()
    let names = (1...40).map { "c\($0 - 1) + c\($0 - 1) as c\($0)" }.joined(separator: ", ")
    #expect {
      try fixture.session.perform("list fields rating as c0, \(names)")
    } throws: { error in
      "\(error)".contains("the names of a list stand for at most 1000 expressions")
    }
  }

  @Test func recordsWithoutAValueAreNamedLeftOutOrEmpty() throws {
    let fixture = try ScriptFixture()
    let result = try fixture.run(
      """
      insert title=Up rating=4
      insert title=Brave rating=0
      list fields title, 8 / rating as part skip
      list fields title, 8 / rating as part missing
      list fields sum(8 / rating) as s skip
      list fields title, 8 / rating as part
      """
    )
    let lines = ["title\tpart", "Up\t2", "title\tpart", "Up\t2", "Brave\t", "s", "2"]
    #expect(result.output.split(separator: "\n").suffix(7).map(String.init) == lines)
    #expect(result.errors.contains("1 of 2 records: "))
    #expect(result.errors.contains(": 8 / rating: division by zero"))
  }

  /// The store sorts, in an order that expressions do not have.
  @Test func theFirstOfEachValueAreThoseOfTheStoresOrder() throws {
    let fixture = try ScriptFixture()
    let result = try fixture.run(
      """
      insert title="part 10" director=a
      insert title="Part 9" director=a
      insert title="part 8" director=b
      list sort title[l] limit 1 per director fields title, row() as n
      """
    )
    let lines = ["title\tn", "part 8\t1", "Part 9\t1"]
    #expect(result.output.split(separator: "\n").suffix(3).map(String.init) == lines, "\(result)")
  }

  @Test func fieldsOfLinkedRecordsAreKeysAndOperands() throws {
    let fixture = try ScriptFixture(ScriptFixture.linked, entityName: "Film")
    let result = try fixture.run(
      """
      insert Studio name=Pixar
      insert title=Up studio=t1 notes='{"n": 3}'
      insert title=Brave studio=t1 notes='{"n": 4}'
      insert title=Alone
      list by studio.name fields studio.name, count() as n, sum(notes.n) as s
      list sort title fields concat(title, "/", studio.name) as both, notes.n + 1 as next
      """
    )
    let lines = [
      "studio.name\tn\ts", "Pixar\t2\t7", "\t1\t0", "both\tnext", "Alone/\t",
      "Brave/Pixar\t5",
      "Up/Pixar\t4",
    ]
    #expect(result.output.split(separator: "\n").suffix(7).map(String.init) == lines, "\(result)")
  }

  @Test func anExportHasTheComputedRows() throws {
    let fixture = try ScriptFixture()
    let result = try fixture.run(
      """
      insert title=Up director=Docter rating=4
      insert title=Brave rating=2
      export out.csv by director fields director, mean(rating) as "mean rating"
      """
    )
    #expect(result.status == 0, "\(result)")
    #expect(fixture.services.text("out.csv") == "director,mean rating\r\nDocter,4\r\n,2\r\n")
  }

  @Test func sumsDoNotDependOnTheOrder() throws {
    let fixture = try ScriptFixture()
    let numbers = ["1e16", "1", "-1e16", "0.1", "1e-3"]
    for number in numbers { _ = try fixture.session.perform("insert title=x rating=\(number)") }
    for order in ["rating", "-rating", "title"] {
      let outcome = try fixture.session.perform("list sort \(order) fields running(rating) as r")
      guard case .table(let table) = outcome else { return }
      #expect(table.rows.last == [.number(1.101)])
    }
  }
}
