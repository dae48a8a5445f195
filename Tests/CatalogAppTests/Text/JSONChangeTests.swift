import OpenSwiftData
import Testing

@testable import CatalogApp

/// The parts in which two versions of a JSON value differ.
@Suite struct JSONChangeTests {
  static let cases: [(before: String, after: String, changes: [String])] = [
    (#"{"a":1,"b":{"c":2,"d":3}}"#, #"{"a":1,"b":{"c":2,"d":4}}"#, [".b.d 3 4"]),
    (#"{"a":1}"#, #"{"b":1}"#, [".a 1 -", ".b - 1"]),
    (#"{"a":[1,2,3]}"#, #"{"a":[1,9,3]}"#, [".a[1] 2 9"]),
    (#"["x","y","z"]"#, #"["y","z"]"#, [#"[0] "x" -"#]),
    (#"[1,2]"#, #"[1,2,{"k":3}]"#, [#"[2] - {"k":3}"#]),
    (#"[{"k":1},{"k":2}]"#, #"[{"k":1},{"k":null}]"#, ["[1].k 2 null"]),
    (#"{"a":{"b":1}}"#, #"{"a":[1]}"#, [#".a {"b":1} [1]"#]),
    (#"{"a.b":1,"":2}"#, #"{"a.b":2,"":3}"#, [#"["a.b"] 1 2"#, #"[""] 2 3"#]),
    (#"{"n":1.0}"#, #"{"n":1.00}"#, [".n 1.0 1.00"]),
    // Nothing to tell apart, or nothing in common.
    (#"{"a":1}"#, #"{"a":1}"#, []), (#"{"a":1,"a":2}"#, #"{"a":1,"a":3}"#, []),
    ("1", "2", []), (#"{"a":1}"#, "[1]", []), ("null", #"{"a":1}"#, []),
  ]

  @Test(arguments: cases)
  func theSmallestPartsAreNamed(before: String, after: String, changes: [String]) {
    let found = JSONChange.all(from: before, to: after)
    #expect(found.map { "\($0.path.text) \($0.before ?? "-") \($0.after ?? "-")" } == changes)
  }

  @Test func manyDifferencesAreNotListed() {
    func array(_ offset: Int) -> String {
      "[" + (0..<200).map { String($0 + offset) }.joined(separator: ",") + "]"
    }
    #expect(JSONChange.all(from: array(0), to: array(1000)).isEmpty)
    #expect(JSONChange.all(from: array(0), to: array(0) + "").isEmpty)
  }
}
