import OpenSwiftData
import Testing

@testable import Stores

/// Which row of another version is a record, as the matcher decides it for small tables.
@Suite struct MatchedRowTests {
  enum Result: Hashable, Sendable {
    /// The record is in this row, counted from 1.
    case row(Int)
    /// It was deleted for certain.
    case gone
    /// It is not certain: a change would be a conflict.
    case unsure
  }

  struct Example: Sendable, CustomTestStringConvertible {
    let before: String
    /// The rows of the other version, of which `…` stands for the heading.
    let theirs: String
    /// The record, counted from 1.
    let row: Int
    let result: Result
    /// The fields by which it was named.
    var by: [String] = []

    init(_ before: String, _ theirs: String, _ row: Int, _ result: Result, by: [String] = []) {
      (self.before, self.theirs, self.row) = (before, theirs, row)
      (self.result, self.by) = (result, by)
    }

    var testDescription: String {
      "\(row) of \(before) in \(theirs)\(by.isEmpty ? "" : " by \(by)")"
    }

    func text(_ rows: String) -> String {
      let heading = before.prefix { $0 != "/" }
      return rows.replacing("…", with: heading).replacing("/", with: "\n") + "\n"
    }
  }

  private static let shop = "sku,name,price,stock/A1,Pen,1.5,10/B2,Ink,4,3"
  private static let names = "id,name/1,Pen/2,Ink"
  private static let goods = "id,name,price/1,Pen,1.5/2,Ink,4/3,Cap,9"
  private static let numbered = "#,name,color/1,Pen,red/2,Ink,blue/3,Cap,gray"
  private static let items = "item,stock,price/Pen,10,1.5/Ink,3,4/Cap,7,9"
  private static let shirts = "size,name,price/S,T-shirt,9/M,T-shirt,9/L,Cap,5"
  private static let lines = "order_id,line,item,qty/7,1,Pen,2/7,2,Ink,1/8,1,Pen,2"
  private static let words = "word,count/the,5/of,3/and,9"
  private static let milk = "item,qty/milk,1/milk,1/milk,1"
  private static let eggs = "item,qty/milk,1/egg,6/milk,1"
  private static let points = "x,y,z,w/1,2,3,7/4,5,6,8/7,8,9,9"

  static let examples: [Example] = [
    // A key wins over likeness.
    .init(shop, "…/C7,Pen,1.5,10/A1,Pen,1.75,10/B2,Ink,4,3", 1, .row(2)),
    .init(shop, "…/C7,Cap,1.5,10/B2,Ink,4,3", 1, .gone),
    .init(shop, "…/A1,Pencil,1.5,10/B2,Ink,4,3", 1, .row(1)),
    .init(shop, "…/A1,Cap,2,7/D4,Pen,1.5,10/B2,Ink,4,3", 1, .unsure),
    .init(shop, "…/B2,Pen,1.5,10/A1,Ink,4,3", 2, .unsure),
    .init(shop, "…/B2,Pen,1.5,10/A1,Ink,4,3", 2, .row(1), by: ["sku"]),
    .init(shop, "…/A1,Pen,1.5,10/A1,Pen,1.5,7/B2,Ink,4,3", 1, .unsure),
    .init(shop, "…/A1,Pen,1.5,10/A1,Pen,1.5,10/B2,Ink,4,3", 1, .row(1)),
    .init(shop, "…/B2,Ink,4,3/A1,Pen,1.50,10", 1, .row(2)),
    .init(shop, "…/B2,Ink,4,3", 1, .gone),
    // A deletion of it is a conflict because a value has changed.
    .init(shop, "…/A1,Pen,1.5,8/B2,Ink,4,3", 1, .row(1)),
    .init(shop, "…/Z9,Pen,1.5,10/B2,Ink,4,3", 1, .unsure),
    // Another program has added a record, which is none of those before.
    .init(shop, "…/A1,Pen,1.5,10/B2,Ink,4,3/C3,Cap,9,1", 2, .row(2)),
    // Numbers that count the rows.
    .init(names, "…/1,Cap/2,Pen/3,Ink", 1, .unsure),
    .init("#,name/1,Pen/2,Ink", "…/1,Cap/2,Pen/3,Ink", 1, .row(2)),
    .init(goods, "…/1,Pen,1.5/3,Cap,9", 3, .row(2)),
    .init(numbered, "…/1,Ink,blue/2,Cap,gray", 1, .gone),
    // Keys that are guessed.
    .init(items, "…/Pen,10,1.5/Mug,3,4/Cap,7,9", 2, .unsure),
    .init(shirts, "…/S,Hoodie,9/M,T-shirt,9/L,Cap,5", 1, .unsure),
    .init(lines, "…/7,1,Pen,2/8,1,Pen,3/7,2,Ink,1", 3, .row(2)),
    .init(words, "…/and,9/of,4/the,5", 2, .row(2)),
    .init(words, "…/the,5/or,3/and,9", 2, .unsure),
    // Equal rows.
    .init(milk, "…/milk,1/milk,1", 2, .unsure),
    .init(milk, "…/milk,1/milk,1/milk,1/milk,1", 2, .row(2)),
    .init(eggs, "…/milk,1/egg,6", 1, .row(1)),
    .init(eggs, "…/milk,1/egg,6", 3, .unsure),
    // Likeness, and where it could be mistaken.
    .init(points, "…/1,2,3,7/4,5,6,1/7,8,9,9", 2, .row(2)),
    .init(points, "…/1,2,3,7/4,5,6,1/4,5,6,2/7,8,9,9", 2, .unsure),
    .init(points, "…/7,8,9,9/4,5,6,8/1,2,3,7", 3, .row(1)),
    .init("x,y/1,2", "…/1,3", 1, .unsure),
    .init("a/x/y/z", "…/x/q/z", 2, .unsure),
    .init("a/x/y/z", "…/z/y/x", 2, .row(2)),
    .init("sku,name,price/A1,Pen,1/B2,Ink,2/C3,Cap,3", "…/A1,Pen,7/B2,Ink,8/C3,Cap,9", 2, .row(2)),
  ]

  @Test(arguments: examples) func theRecordIsFoundOnlyWhereItIsCertain(example: Example) throws {
    let old = try RandomMergeTests.table(example.text(example.before), "products")
    let new = try RandomMergeTests.table(example.text(example.theirs), "products")
    let named = RowMatching.NamedRows(fields: example.by, rows: [example.row - 1])
    let matching = RowMatching(
      old,
      old.rowsInOrder(),
      new,
      new.rowsInOrder(),
      named: example.by.isEmpty ? [] : [named]
    )
    let result: Result =
      switch matching.fates[example.row - 1] {
      case .same(let place): .row(place + 1)
      case .gone: .gone
      case .unsure: .unsure
      }
    #expect(result == example.result, "\(matching.fates) by \(matching.keyFields)")
  }

  // MARK: Records that were named by fields

  private func fates(
    _ before: String,
    _ theirs: String,
    _ named: [(fields: [String], rows: Set<Int>)]
  ) throws -> [RecordFate] {
    let example = Example(before, theirs, 1, .unsure)
    let old = try RandomMergeTests.table(example.text(before), "products")
    let new = try RandomMergeTests.table(example.text(theirs), "products")
    return RowMatching(
      old,
      old.rowsInOrder(),
      new,
      new.rowsInOrder(),
      named: named.map { RowMatching.NamedRows(fields: $0.fields, rows: $0.rows) }
    ).fates
  }

  /// Formerly a name for one record decided about all others: the first one was found in the third row.
  @Test func aNamedRecordDoesNotDecideAboutOthers() throws {
    let theirs = "…/A1,Biro,1.5,10/B2,Ink,4,3/C3,Pen,7,1"
    let fates = try fates(Self.shop, theirs, [(["name"], [1])])
    #expect(fates == [.same(0), .same(1)])
  }

  @Test func aNamedRecordTakesItsRowFromAnother() throws {
    let theirs = "…/A1,Ink,1.5,10/B2,Pen,4,3"
    let fates = try fates(Self.shop, theirs, [(["name"], [0])])
    #expect(fates == [.same(1), .unsure(.keysDisagree, 1)])
  }

  @Test func twoNamesMustLeadToTheSameRecord() throws {
    let theirs = "…/A1,Ink,1.5,10/B2,Pen,4,3"
    let both: [(fields: [String], rows: Set<Int>)] = [(["name"], [0]), (["sku"], [0])]
    #expect(try fates(Self.shop, theirs, both)[0] == .unsure(.keysDisagree, 1))
    #expect(try fates(Self.shop, "…/B2,Ink,4,3/A1,Pen,2,2", both)[0] == .same(1))
  }

  @Test func aFieldOfANameThatIsGoneLeavesTheOthersAlone() throws {
    let fates = try fates(Self.shop, "sku,price,stock/A1,2,10/B2,4,3", [(["name"], [0])])
    #expect(fates == [.unsure(.keyFieldGone, nil), .same(1)])
  }
}
