import DataStoreTesting
import Testing

@testable import CatalogApp

/// Drawing on cells.
@Suite struct CanvasTests {
  private func canvas(_ columns: Int = 8, _ rows: Int = 2) -> Canvas {
    Canvas(size: Size(columns: columns, rows: rows))
  }

  @Test func textIsDrawnWhereItIsPut() {
    var canvas = canvas()
    let next = canvas.write("abc", at: Point(x: 2, y: 1), role: .title)
    #expect(next == 5)
    #expect(canvas.plainText() == "\n  abc")
    #expect(canvas.role(at: Point(x: 2, y: 1)) == .title)
    #expect(canvas.role(at: Point(x: 5, y: 1)) == .normal)
  }

  @Test(arguments: [
    (-2, 0, "cdefgh"), (6, 0, "      ab"), (8, 0, ""), (-20, 0, ""), (0, -1, ""), (0, 2, ""),
    (Int.max - 100, 0, ""), (-8, 0, ""),
  ])
  func whatLiesOutsideIsCutOff(x: Int, y: Int, line: String) {
    var canvas = canvas()
    canvas.write("abcdefgh", at: Point(x: x, y: y), role: .normal)
    #expect(canvas.plainText() == line + "\n")
  }

  @Test(arguments: [
    (0, "漢字漢字"), (1, " 漢字漢"), (-1, " 字漢字"), (-2, "字漢字"), (7, ""), (6, "      漢"),
  ])
  func wideClustersNeverStraddleAnEdge(x: Int, line: String) {
    var canvas = canvas()
    canvas.write("漢字漢字", at: Point(x: x, y: 0), role: .normal)
    #expect(canvas.plainLines()[0] == line)
  }

  @Test func widthClipsButDoesNotPad() {
    var canvas = canvas()
    #expect(canvas.write("abcdef", at: Point(x: 0, y: 0), width: 4, role: .normal) == 4)
    #expect(canvas.write("ab", at: Point(x: 0, y: 1), width: 4, role: .normal) == 2)
    #expect(canvas.plainText() == "abc…\nab")
  }

  @Test(arguments: [
    (0, "x 字"), (1, " x字"), (2, "漢x"), (3, "漢 x"),
  ])
  func overwritingHalfOfAWideClusterBlanksTheOther(x: Int, line: String) {
    var canvas = canvas()
    canvas.write("漢字", at: Point(x: 0, y: 0), role: .normal)
    canvas.write("x", at: Point(x: x, y: 0), role: .normal)
    #expect(canvas.plainLines()[0] == line)
    checkInvariants(canvas)
  }

  @Test func fillingBlanksHalvesAndTakesOnlyNarrowCharacters() {
    var canvas = canvas()
    canvas.write("漢字漢字", at: Point(x: 0, y: 0), role: .normal)
    canvas.fill(Rect(x: 1, y: 0, width: 2, height: 5), role: .bar, character: "█")
    #expect(canvas.plainText() == " ██ 漢字\n ██")
    canvas.fill(Rect(x: 0, y: 0, width: 8, height: 1), role: .bar, character: "漢")
    canvas.fill(Rect(x: 0, y: 1, width: 8, height: 1), role: .bar, character: "\u{1B}")
    #expect(canvas.plainText() == "\n")
  }

  @Test func rolesChangeWithoutTheText() {
    var canvas = canvas()
    canvas.write("漢a", at: Point(x: 0, y: 0), role: .normal)
    canvas.setRole(.cursorCell, Rect(x: -3, y: -3, width: 5, height: 4))
    #expect(canvas.role(at: Point(x: 1, y: 0)) == .cursorCell)
    #expect(canvas.role(at: Point(x: 2, y: 0)) == .normal)
    #expect(canvas.plainText() == "漢a\n")
  }

  @Test func rowsAreComparedByWhatTheyShow() {
    var left = canvas()
    var right = canvas()
    right.write("e\u{301}", at: Point(x: 0, y: 1), role: .normal)
    left.write("xe\u{301}", at: Point(x: 0, y: 0), role: .normal)
    left.write("e\u{301}", at: Point(x: 0, y: 1), role: .normal)
    #expect(!left.row(0, equals: right))
    #expect(left.row(1, equals: right))
    left.setRole(.error, Rect(x: 0, y: 1, width: 1, height: 1))
    #expect(!left.row(1, equals: right))
  }

  @Test func screensWithoutCellsAreHarmless() {
    for size in [Size(columns: 0, rows: 0), Size(columns: -5, rows: 3), Size(columns: 1, rows: 1)] {
      var canvas = Canvas(size: size)
      canvas.write("漢字", at: Point(x: 0, y: 0), role: .normal)
      canvas.fill(Rect(x: -1, y: -1, width: 9, height: 9), role: .bar)
      #expect(canvas.plainLines().allSatisfy { $0.isEmpty })
    }
  }

  // Covers H08.
  @Test func anyDrawingKeepsClustersWhole() {
    let seed = SeededGenerator.testSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var canvas = canvas(20, 4)
    for _ in 0..<20_000 {
      let point = Point(x: Int(random.next() % 30) - 5, y: Int(random.next() % 6) - 1)
      if random.next() % 4 == 0 {
        let size = Size(columns: Int(random.next() % 8), rows: Int(random.next() % 3))
        canvas.fill(Rect(origin: point, size: size), role: .bar)
      } else {
        canvas.write(DisplayText(random.text()), at: point, role: .normal)
      }
    }
    checkInvariants(canvas)
  }

  /// Each cluster occupies exactly the cells of its width.
  private func checkInvariants(_ canvas: Canvas) {
    for y in 0..<canvas.size.rows {
      var expected = 0
      for x in 0..<canvas.size.columns {
        let cell = canvas.cells[y * canvas.size.columns + x]
        #expect(cell.isContinuation == (expected > 0))
        expected = cell.isContinuation ? expected - 1 : Int(cell.width) - 1
        let text = canvas.text(of: cell)
        let own = text.unicodeScalars.reduce(0) { $0 + TextWidth.width(of: $1) }
        #expect(own == Int(cell.width))
      }
      #expect(expected == 0)
    }
  }
}
