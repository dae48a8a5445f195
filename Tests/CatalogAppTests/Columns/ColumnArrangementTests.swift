import CatalogApp
import OpenSwiftData
import Testing

/// The order of columns as a value.
@Suite struct ColumnArrangementTests {
  private static func names(_ columns: ColumnArrangement) -> String {
    columns.columns.map { $0.isHidden ? "(\($0.name))" : $0.name }.joined(separator: " ")
  }

  private static func entity(_ names: String) -> Schema.Entity {
    Schema.Entity(
      "E",
      attributes: names.split(separator: " ").map { Schema.Attribute(String($0), .text) }
    )
  }

  @Test func theFieldThatNamesARecordIsFrozen() {
    let columns = ColumnArrangement(of: Self.entity("code full_name note"))
    #expect(columns.columns.filter(\.isFrozen).map(\.name) == ["full_name"])
    #expect(ColumnArrangement(of: Self.entity("a b")).columns.allSatisfy { !$0.isFrozen })
  }

  static let moves: [(name: String, place: Int, result: String)] = [
    ("a", 0, "a b (c) d e"), ("a", 1, "b (c) a d e"), ("a", 9, "b (c) d e a"),
    ("e", 0, "e a b (c) d"), ("e", -5, "e a b (c) d"), ("d", 1, "a d b (c) e"),
    ("x", 1, "a b (c) d e"),
  ]

  @Test(arguments: moves)
  func aColumnMovesAmongTheShownOnes(name: String, place: Int, result: String) {
    var columns = ColumnArrangement(of: Self.entity("a b c d e"))
    columns.change("c") { $0.isHidden = true }
    columns.move(name, to: place)
    #expect(Self.names(columns) == result)
  }

  @Test func columnsFollowTheFieldsOfTheEntity() {
    var columns = ColumnArrangement(of: Self.entity("a b c"))
    columns.move("c", to: 0)
    columns.change("a") { $0.isHidden = true }
    columns.show(
      [TableColumn("b.x", path: TableColumn.Path(field: "b", type: .text))],
      after: "b"
    )
    #expect(Self.names(columns) == "c (a) b b.x")
    let without = ColumnArrangement(columns, adoptedFor: Self.entity("a c new"))
    #expect(Self.names(without) == "c new (a)")
    let hidden = ColumnArrangement(columns, adoptedFor: Self.entity("a"))
    #expect(Self.names(hidden) == "a", "some column is always shown")
  }

  @Test(arguments: [
    ("title", "title"), ("TITLE", "title"), ("ti", "title"), ("t", nil), ("x", nil), ("tag", "tag"),
    ("", nil),
  ])
  func namesCanBeShortened(typed: String, name: String?) {
    #expect(ColumnArrangement(of: Self.entity("title tag tags")).name(typed: typed) == name)
  }
}
