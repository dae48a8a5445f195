import DataStoreTesting
import OpenSwiftData
import Testing

@testable import CatalogApp

@Suite struct JSONTreeTests {
  static let value = #"{"user":{"login":"ada","tags":["a","b\"c"]},"n":1.50,"e":{},"x":null}"#

  @Test func nodesHavePathsAndTexts() throws {
    let tree = try #require(JSONTree(Self.value))
    #expect(
      tree.nodes.indices.map { tree.path(of: $0) }
        == ["", "user", "user.login", "user.tags", "user.tags[0]", "user.tags[1]", "n", "e", "x"]
    )
    #expect(tree.text(of: tree.nodes[5]) == "b\"c")
    #expect(tree.json(of: tree.nodes[6]) == "1.50")
    #expect(tree.nodes.map(\.count) == [4, 2, nil, 2, nil, nil, nil, 0, nil])
    #expect(tree.nodes[1].end == 6)
  }

  @Test func replacingAPartKeepsTheOthers() throws {
    let tree = try #require(JSONTree(Self.value))
    #expect(
      tree.replacing(tree.nodes[4], with: "[]")
        == #"{"user":{"login":"ada","tags":[[],"b\"c"]},"n":1.50,"e":{},"x":null}"#
    )
  }

  @Test func indentedTextHasALineForEachValue() throws {
    let tree = try #require(JSONTree(Self.value))
    #expect(
      tree.indented == """
        {
          "user": {
            "login": "ada",
            "tags": [
              "a",
              "b\\"c"
            ]
          },
          "n": 1.50,
          "e": {},
          "x": null
        }
        """
    )
  }

  @Test(arguments: ["", "{", "[1,", "{\"a\"}", "{\"a\":}", "[1]]", "\"a", "{a:1}", "[\"\\"])
  func otherTextIsNoTree(text: String) { #expect(JSONTree(text) == nil) }

  /// Indenting changes white space only, and each part can be replaced by itself.
  @Test func randomValuesStayTheSame() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let json = Self.random(&generator, depth: 0)
      let tree = try #require(JSONTree(json), "seed \(seed): \(json)")
      #expect(try JSONText.compact(tree.indented) == json, "seed \(seed): \(json)")
      for node in tree.nodes {
        #expect(tree.replacing(node, with: tree.json(of: node)) == json, "seed \(seed): \(json)")
      }
    }
  }

  private static func random(_ generator: inout SeededGenerator, depth: Int) -> String {
    let count = Int.random(in: 0...3, using: &generator)
    switch Int.random(in: 0...(depth > 4 ? 3 : 7), using: &generator) {
    case 0: return "null"
    case 1: return "-1.5e3"
    case 2: return JSONText.quoted(NastyText.random(&generator))
    case 3: return "true"
    case 4, 5:
      let parts = (0..<count).map { _ in random(&generator, depth: depth + 1) }
      return "[" + parts.joined(separator: ",") + "]"
    default:
      let parts = (0..<count).map { place in
        JSONText.quoted("\(place)" + NastyText.random(&generator)) + ":"
          + random(&generator, depth: depth + 1)
      }
      return "{" + parts.joined(separator: ",") + "}"
    }
  }
}
