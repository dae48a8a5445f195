import Testing

/// Each misuse is reported at its position, with a correction if there is an obvious one.
@Suite struct MisuseTests {
  struct Misuse: CustomTestStringConvertible, Sendable {
    let source: String
    let message: String
    var corrected: String?
    var inherits = false

    var testDescription: String { message }
  }

  static let declarations: [Misuse] = [
    Misuse(
      source: "@Model struct Trip { var name: String }",
      message: "1:8 @Model can only be attached to a class, not to a struct",
      corrected: "@Model class Trip { var name: String }"
    ),
    Misuse(
      source: "@Model enum Trip { case name }",
      message: "1:8 @Model can only be attached to a class, not to an enum"
    ),
    Misuse(
      source: "@Model public actor Trip {}",
      message: "1:15 @Model can only be attached to a class, not to an actor"
    ),
    Misuse(
      source: "@Model final class Trip<T> { var name = \"\" }",
      message: "1:24 a model class cannot be generic: its entity has one name and one layout"
    ),
    Misuse(
      source: "@Model final class Trip {\n  var name: String\n  var days: Int?\n  var stops = 1\n}",
      message: "1:20 @Model requires an initializer be provided for 'Trip'",
      corrected: """
        @Model final class Trip {
          var name: String
          var days: Int?
          var stops = 1

          init(name: String) {
            self.name = name
          }
        }
        """
    ),
    Misuse(
      source: "@Model public class Trip {\n  var `default`: Int, b: Int { 1 }\n}",
      message: "2:23 declare each persisted property with its own 'var'"
    ),
    Misuse(
      source:
        "@Model final class Trip {\n  var name: String\n  convenience init() { self.init() }\n}",
      message: "1:20 @Model requires an initializer be provided for 'Trip'",
      corrected: """
        @Model final class Trip {
          var name: String
          convenience init() { self.init() }

          init(name: String) {
            self.name = name
          }
        }
        """
    ),
    Misuse(
      source: "@Model final class Flight: Trip {\n  var number = 1\n}",
      message: "1:20 @Model requires an initializer be provided for 'Flight'",
      inherits: true
    ),
    Misuse(
      source: "@ModelActor final class Importer {}",
      message: "1:19 @ModelActor can only be attached to an actor",
      corrected: "@ModelActor final actor Importer {}"
    ),
  ]

  static let properties: [Misuse] = [
    Misuse(
      source: "let name: String",
      message: "2:3 a persisted property must be a 'var' so that fetching can set it",
      corrected: "var name: String"
    ),
    Misuse(
      source: "let name = \"x\"",
      message:
        "2:3 a 'let' property is not persisted; use 'var' to persist it",
      corrected: "var name = \"x\""
    ),
    Misuse(
      source: "var action: (@Sendable (Int) -> Void)?",
      message: "2:15 a closure cannot be persisted; mark the property @Transient",
      corrected: "@Transient var action: (@Sendable (Int) -> Void)?"
    ),
    Misuse(
      source: "var action: () -> Void",
      message: "2:15 a closure cannot be persisted; mark the property @Transient",
      corrected: "@Transient var action: () -> Void"
    ),
    Misuse(
      source: "@Relationship(inverse: \\Trip.next) var last: Trip?\n"
        + "  @Relationship(inverse: \\Trip.last) var next: Trip?",
      message: "3:3 'next' and 'last' declare each other as inverse; declare it on one side only"
    ),
    Misuse(
      source: "private lazy var name = \"x\"",
      message: "2:11 a persisted property cannot be lazy; mark it @Transient or remove 'lazy'",
      corrected: "@Transient private lazy var name = \"x\""
    ),
    Misuse(
      source: "weak var owner: Trip?",
      message: "2:3 persisted properties cannot be weak or unowned; remove the modifier or mark it "
        + "@Transient",
      corrected: "@Transient weak var owner: Trip?"
    ),
    Misuse(
      source: "unowned(unsafe) var owner: Trip",
      message: "2:3 persisted properties cannot be weak or unowned; remove the modifier or mark it "
        + "@Transient",
      corrected: "@Transient unowned(unsafe) var owner: Trip"
    ),
    Misuse(
      source: "var name = \"x\" { didSet { print(name) } }",
      message:
        "2:18 property observers of a persisted property are never called; remove them or "
        + "mark it @Transient",
      corrected: "@Transient var name = \"x\" { didSet { print(name) } }"
    ),
    Misuse(
      source: "var (name, code) = (\"x\", 1)",
      message: "2:7 a persisted property cannot be declared with a pattern"
    ),
    Misuse(
      source: "#if os(Linux)\n  var name = \"x\"\n  #endif",
      message: "3:3 @Model cannot read stored properties inside '#if'; move the condition around "
        + "the class"
    ),
    Misuse(
      source: "@Transient var note: String",
      message: "2:18 a @Transient property needs a default value, because fetching does not set it"
    ),
    Misuse(
      source: "@Transient let note: String",
      message: "2:18 a @Transient property needs a default value, because fetching does not set it"
    ),
    Misuse(
      source: "@Attribute(.unique) var title: String { \"x\" }",
      message: "2:3 @Attribute needs a stored property of an instance"
    ),
    Misuse(
      source: "@Attribute(.unique) static var title = \"x\"",
      message: "2:3 @Attribute needs a stored property of an instance"
    ),
    Misuse(
      source: "@Relationship var other: Trip? { nil }",
      message: "2:3 @Relationship needs a stored property of an instance"
    ),
    Misuse(
      source: "@Attribute func title() {}",
      message: "2:3 @Attribute can only be attached to a property"
    ),
    Misuse(
      source: "@Transient func title() {}",
      message: "2:3 @Transient can only be attached to a property"
    ),
    Misuse(
      source: "@Attribute @Relationship var other: Trip?",
      message: "2:3 a property cannot be both @Attribute and @Relationship"
    ),
    Misuse(
      source: "@Attribute(.unique) @Transient var other = 1",
      message: "2:3 a property cannot be both @Attribute and @Transient"
    ),
    Misuse(
      source: "@Transient @Relationship var other: Trip?",
      message: "2:14 a property cannot be both @Relationship and @Transient"
    ),
    Misuse(
      source: "@Relationship(minimumModelCount: 3, maximumModelCount: 2) var others: [Trip] = []",
      message: "2:3 the minimum of 3 models is greater than the maximum of 2"
    ),
    Misuse(
      source: "#Unique<Trip>([\\.name, \\.cod])\n  var name: String = \"x\"",
      message: "2:26 'cod' is not a persisted property of 'Trip'"
    ),
    Misuse(
      source: "#Unique<Trip>([\\Trip.name.count])\n  var name: String = \"x\"",
      message: "2:18 'name.count' is not a property of the class itself; name a persisted property"
    ),
    Misuse(
      source: "#Index<Trip>([\\.title])\n  var title: String { \"x\" }",
      message: "2:17 'title' is not a persisted property of 'Trip'"
    ),
  ]

  @Test(arguments: declarations)
  func misusedDeclarationIsReportedInPlace(_ misuse: Misuse) {
    let expansion = Expansion(misuse.source, inherits: misuse.inherits)
    #expect(expansion.messages == [misuse.message])
    #expect(expansion.corrected == misuse.corrected)
    #expect(expansion.corrections.count == (misuse.corrected == nil ? 0 : 1))
  }

  @Test(arguments: properties)
  func misusedPropertyIsReportedInPlace(_ misuse: Misuse) {
    func model(_ property: String) -> String {
      "@Model final class Trip {\n  \(property)\n  init() {}\n}"
    }
    let expansion = Expansion(model(misuse.source))
    #expect(expansion.messages == [misuse.message])
    #expect(expansion.corrected == misuse.corrected.map(model))
  }

  @Test(arguments: ["[String?]", "Int", "Date?", "[UUID]", "[String: Trip]"])
  func relationshipToAValueIsReportedAtItsType(_ type: String) {
    let expansion = Expansion("class Trip {\n  @Relationship var other: \(type)\n}")
    #expect(
      expansion.messages == [
        "2:28 @Relationship requires a model class; '\(type)' is not one, use @Attribute"
      ]
    )
  }

  @Test func everyMisuseOfAClassIsReported() {
    let expansion = Expansion(
      "@Model class Trip {\n  let a: Int\n  lazy var b = 1\n  var c: Int\n}"
    )
    #expect(expansion.messages.map { $0.prefix(4) } == ["1:14", "2:3 ", "3:3 "])
  }

  @Test func misusedClassGetsAnInitializerThatLeadsToNoMoreMessages() {
    let expansion = Expansion("@Model class Trip {\n  lazy var a = 1\n  init() {}\n}")
    #expect(expansion.text.contains("required init(persistentState: ModelMacros._ModelState) {"))
    #expect(!expansion.text.contains("_$state = persistentState\n"))
  }

  /// Declarations that must be accepted.
  @Test(
    arguments: [
      "static let shared = 1", "static var count = 0", "class var size: Int { 1 }",
      "var title: String { \"x\" }", "var title: String { get { \"x\" } set {} }",
      "@Transient var note = \"\"", "@Transient var note: String?", "@Transient let note = \"\"",
      "@Transient lazy var note = \"\"", "@Transient weak var owner: Trip?",
      "@Transient var note = \"\" { didSet {} }", "@Transient var (a, b) = (1, 2)",
      "private(set) var name = \"\"", "@available(*, deprecated) var name = \"\"",
      "@Relationship var stop: Stop?", "@Relationship var stops: [Stop] = []",
      "@Attribute(originalName: \"n\") var name = \"\"",
      "@Relationship(minimumModelCount: 2, maximumModelCount: 0) var stops: [Stop] = []",
      "#Unique<Trip>([\\.name], [\\Trip.stop, \\.name])\n  var name = \"\"\n  var stop: Stop?",
      "#if os(Linux)\n  func f() {}\n  #endif",
    ]
  )
  func properUseIsNotReported(property: String) {
    let expansion = Expansion("@Model final class Trip {\n  \(property)\n  init() {}\n}")
    #expect(expansion.messages.isEmpty)
  }
}
