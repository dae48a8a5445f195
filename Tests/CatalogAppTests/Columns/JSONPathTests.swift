import DataStoreTesting
import OpenSwiftData
import Testing

@testable import CatalogApp

/// Values inside JSON.
@Suite struct JSONPathTests {
  private static let json =
    #"{"user":{"login":"octo\"cat","ids":[1,2.50,{"x":null}],"a.b":true},"empty":{},"n":1e400,"":"e","ü":[]}"#

  static let read: [(path: String, json: String?)] = [
    (".user.login", #""octo\"cat""#), (".user.ids[0]", "1"), (".user.ids[1]", "2.50"),
    (".user.ids[2].x", "null"), (".user.ids[3]", nil), (".user.ids[-2]", "2.50"),
    (".user.ids[-4]", nil), (".user.ids.x", nil), (".user[0]", nil),
    (#".user["a.b"]"#, "true"), (".empty", "{}"), (".empty.x", nil), (".n", "1e400"),
    (".n.x", nil), (#"[""]"#, #""e""#), (".ü", "[]"), (".ü[0]", nil),
  ]

  @Test(arguments: read)
  func aPathLeadsToAValue(path: String, json: String?) throws {
    let path = try #require(JSONPath(path[...]))
    #expect(path.json(in: Self.json) == json)
    #expect(JSONPath(path.text[...]) == path)
  }

  @Test(arguments: [
    "", "x", ".", "..a", "[", "[x]", "[-]", "[1-]", "[1", ".a.", "[\"a]", ".a[1]b", "[\"a\"x]",
  ])
  func otherTextsAreNoPaths(text: String) { #expect(JSONPath(text[...]) == nil) }

  static let written: [(json: String?, path: String, new: String, result: String?)] = [
    (#"{"a":1,"b":[2,3]}"#, ".b[1]", #""x""#, #"{"a":1,"b":[2,"x"]}"#),
    (#"{"a":1}"#, ".b", "2", #"{"a":1,"b":2}"#), ("{}", ".a.b", "2", #"{"a":{"b":2}}"#),
    (nil, ".a", "2", #"{"a":2}"#), ("null", ".a", "2", #"{"a":2}"#),
    (#"{"a":null}"#, ".a.b", "2", #"{"a":{"b":2}}"#), (#"{"a":[]}"#, ".a[0]", "2", nil),
    (#"{"a":1}"#, ".a.b", "2", nil), ("[1]", ".a", "2", nil), (nil, "[0]", "2", nil),
    (#"{"a\u0062":1}"#, ".ab", "2", #"{"a\u0062":2}"#),
  ]

  @Test(arguments: written)
  func aValueIsReplacedAndTheRestStays(json: String?, path: String, new: String, result: String?)
    throws
  {
    let path = try #require(JSONPath(path[...]))
    if let result {
      #expect(try path.replacing(in: json, with: new) == result)
    } else {
      #expect(throws: CommandError.self) { try path.replacing(in: json, with: new) }
    }
  }

  /// Each value that a reader of JSON finds in a random value is found by its path, and can be replaced alone.
  @Test func pathsAgreeWithTheReader() throws {
    let seed = SeededGenerator.testSeed
    var generator = SeededJSON(seed: seed)
    for _ in 0..<200 {
      let json = generator.value(depth: 4)
      for (path, inner) in try Self.leaves(of: json) where !path.steps.isEmpty {
        #expect(path.json(in: json) == inner, "seed \(seed): \(json) \(path.text)")
        let replaced = try path.replacing(in: json, with: "\"new\"")
        #expect(path.json(in: replaced) == "\"new\"", "seed \(seed)")
        #expect(try path.replacing(in: replaced, with: inner) == json, "seed \(seed)")
      }
    }
  }

  private static func leaves(of json: String) throws -> [(path: JSONPath, json: String)] {
    var reader = JSONReader(Array(json.utf8))
    var found = [(path: JSONPath([]), json: json)]
    func add(_ step: JSONPath.Step, _ inner: String) throws {
      found += try leaves(of: inner).map { (JSONPath([step] + $0.path.steps), $0.json) }
    }
    if reader.isAtObject {
      try reader.forEachMember { name, reader in
        try add(.member(name), try Self.text(reader.next()))
      }
    } else if reader.isAtArray {
      var place = 0
      try reader.forEachElement { reader in
        try add(.element(place), try Self.text(reader.next()))
        place += 1
      }
    }
    return found
  }

  private static func text(_ item: JSONReader.Item) -> String {
    switch item {
    case .null: "null"
    case .boolean(let isTrue): isTrue ? "true" : "false"
    case .number(let text), .container(let text): text
    case .text(let text): JSONText.quoted(text)
    }
  }
}

/// Random JSON without white space.
private struct SeededJSON {
  var state: UInt64

  init(seed: UInt64) { state = seed | 1 }

  private mutating func next(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  mutating func value(depth: Int) -> String {
    switch next(depth > 0 ? 7 : 5) {
    case 0: return "null"
    case 1: return "true"
    case 2: return "\(next(100) - 50)"
    case 3: return JSONText.quoted(["", "a\"]", "}{", "\\", "ü", "x,y"][next(6)])
    case 4: return "\(next(9)).\(next(9))"
    case 5:
      return "[" + (0..<next(4)).map { _ in value(depth: depth - 1) }.joined(separator: ",") + "]"
    default:
      return "{"
        + (0..<next(4)).map {
          JSONText.quoted("\(["k", "a.b", "[0]", "\""][next(4)])\($0)") + ":"
            + value(depth: depth - 1)
        }
        .joined(separator: ",") + "}"
    }
  }
}
