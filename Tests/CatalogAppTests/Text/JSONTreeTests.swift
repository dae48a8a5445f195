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

  /// The path of a node, the JSON without it, and the JSON with a further value there.
  static let changes: [(path: String, removed: String?, added: String)] = [
    ("user", #"{"n":1,"e":{}}"#, #"{"user":{"tags":["a","b"],"new":0},"n":1,"e":{}}"#),
    ("user.tags", #"{"user":{},"n":1,"e":{}}"#, #"{"user":{"tags":["a","b",0]},"n":1,"e":{}}"#),
    (
      "user.tags[0]", #"{"user":{"tags":["b"]},"n":1,"e":{}}"#,
      #"{"user":{"tags":["a",0,"b"]},"n":1,"e":{}}"#
    ),
    (
      "user.tags[1]", #"{"user":{"tags":["a"]},"n":1,"e":{}}"#,
      #"{"user":{"tags":["a","b",0]},"n":1,"e":{}}"#
    ),
    (
      "n", #"{"user":{"tags":["a","b"]},"e":{}}"#,
      #"{"user":{"tags":["a","b"]},"n":1,"new":0,"e":{}}"#
    ),
    (
      "e", #"{"user":{"tags":["a","b"]},"n":1}"#,
      #"{"user":{"tags":["a","b"]},"n":1,"e":{"new":0}}"#
    ),
    ("", nil, #"{"user":{"tags":["a","b"]},"n":1,"e":{},"new":0}"#),
  ]

  @Test(arguments: changes.indices) func partsAreRemovedAndAdded(_ place: Int) throws {
    let change = Self.changes[place]
    let tree = try #require(JSONTree(#"{"user":{"tags":["a","b"]},"n":1,"e":{}}"#))
    let node = try #require(tree.nodes.indices.first { tree.path(of: $0) == change.path })
    #expect(tree.removing(node) == change.removed)
    let container = try #require(tree.container(at: node))
    let json = tree.nodes[container].isObject ? #""new":0"# : "0"
    #expect(tree.adding(json, at: node) == change.added)
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
    let seed = SeededGenerator.testSeed
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let json = Self.random(&generator, depth: 0)
      let tree = try #require(JSONTree(json), "seed \(seed): \(json)")
      #expect(try JSONText.compact(tree.indented) == json, "seed \(seed): \(json)")
      for index in tree.nodes.indices.dropFirst() {
        let removed = try #require(tree.removing(index), "seed \(seed): \(json)")
        let size = tree.nodes[index].end - index
        #expect(JSONTree(removed)?.nodes.count == tree.nodes.count - size, "seed \(seed): \(json)")
      }
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
