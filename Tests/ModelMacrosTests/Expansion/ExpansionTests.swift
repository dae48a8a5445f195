import Testing

/// The code that replaces the macros.
@Suite struct ExpansionTests {
  @Test func finalClassGetsItsMembersAndConformances() {
    let expansion = Expansion(
      #"""
      @Model final class Trip {
        #Unique<Trip>([\.code], [\Trip.name, \.days])
        #Index<Trip>([\.name])
        var name: String
        @Attribute(.unique, originalName: "cd") var code: String = "x"
        var days = 3
        @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
        @Transient var note = ""
        var title: String { name + "!" }
        init(name: String) { self.name = name }
      }
      """#
    )
    #expect(expansion.messages.isEmpty)
    #expect(expansion.text == Self.finalClass)
  }

  @Test func subclassCountsItsSlotsFromThoseOfItsSuperclass() {
    let expansion = Expansion(
      """
      @Model class Flight: Trip {
        var number: Int
        init(number: Int) { self.number = number; super.init(name: "") }
      }
      """,
      inherits: true
    )
    #expect(expansion.messages.isEmpty)
    #expect(expansion.text == Self.subclass)
  }

  @Test func propertyBecomesAccessorsOfItsSlot() {
    let expansion = Expansion("class Trip {\n  @_PersistedProperty(2) var `in`: Int\n}")
    #expect(
      expansion.text == #"""
        class Trip {
          var `in`: Int {
            @storageRestrictions(accesses: _$state, initializes: _in)
            init(initialValue) {
              _$state.initialize(2, initialValue)
              _in = _SwiftDataNoType()
            }
            get {
              Swift.Unmanaged.passUnretained(_$state)._withUnsafeGuaranteedRef {
                $0.access(self, Trip._$keyPaths.`in`)
              }
              return _$state.get(2)
            }
            set {
              _$state.withMutation(self, Trip._$keyPaths.`in`) {
                _$state.set(2, newValue, of: self)
              }
            }
          }
          private var _in: _SwiftDataNoType
        }
        """#
    )
  }

  @Test func propertyOfAClassThatMayInheritAddsItsFirstSlot() {
    let expansion = Expansion(
      "class Flight: Trip {\n  @_PersistedProperty(2, mayInherit: true) var number: Int\n}"
    )
    #expect(expansion.text.contains("_$state.initialize(Flight._$firstSlot + 2, initialValue)"))
    #expect(expansion.text.contains("return _$state.get(Flight._$firstSlot + 2)"))
    #expect(expansion.text.contains("_$state.set(Flight._$firstSlot + 2, newValue, of: self)"))
  }

  @Test func transientPropertyKeepsItsStorageAndIsObserved() {
    let expansion = Expansion("class Trip {\n  @_ObservedTransient var note: String?\n}")
    #expect(
      expansion.text == #"""
        class Trip {
          var note: String? {
            @storageRestrictions(initializes: _note)
            init(initialValue) {
              _note = initialValue
            }
            get {
              Swift.Unmanaged.passUnretained(_$state)._withUnsafeGuaranteedRef {
                $0.access(self, Trip._$keyPaths.note)
              }
              return _note
            }
            set {
              _$state.withMutation(self, Trip._$keyPaths.note) {
                _note = newValue
              }
            }
          }
          private var _note: String?
        }
        """#
    )
  }

  struct Fragment: CustomTestStringConvertible, Sendable {
    let source: String
    let fragment: String
    var isThere = true

    var testDescription: String { "\(source) \(isThere ? "has" : "has no") \(fragment)" }
  }

  static let fragments: [Fragment] = [
    // The access level is that of the class.
    Fragment(source: "public final class T {}", fragment: "  public var persistentState:"),
    Fragment(source: "public final class T {}", fragment: "  public required init(persistent"),
    Fragment(source: "public final class T {}", fragment: "  public static var schemaMetadata:"),
    Fragment(source: "public final class T {}", fragment: "  public init() {"),
    Fragment(source: "public class T {}", fragment: "  public class var schemaMetadata:"),
    Fragment(source: "open class T {}", fragment: "  open var persistentState:"),
    Fragment(source: "open class T {}", fragment: "  open class var schemaMetadata:"),
    Fragment(source: "open class T {}", fragment: "  public required init(persistentState"),
    Fragment(source: "package class T {}", fragment: "  package var persistentState:"),
    Fragment(source: "class T {}", fragment: "\n  var persistentState:"),
    Fragment(source: "private class T {}", fragment: "\n  var persistentState:"),
    // A class whose properties all have values needs no initializer.
    Fragment(source: "class T { var a = 1; var b: Int? }", fragment: "  init() {"),
    Fragment(
      source: "class T { var a = 1; init() {} }",
      fragment: "  init() {\n  }",
      isThere: false
    ),
    // A protocol can be in the position of a superclass.
    Fragment(source: "class T: P { var a = 1 }", fragment: "static var _$firstSlot: Int {"),
    Fragment(
      source: "class T: P { var a = 1 }",
      fragment: "_PersistedProperty(0, mayInherit: true)"
    ),
    Fragment(source: "class T { var a = 1 }", fragment: "_$firstSlot", isThere: false),
    // Key paths of a class that is not final belong to the class whose metadata is requested.
    Fragment(source: "class T { var a = 1 }", fragment: #"\Root.a as PartialKeyPath<Root>"#),
    Fragment(
      source: #"class T { #Unique<T>([\T.a]); var a = 1 }"#,
      fragment: #"Schema.Unique<Root>([\.a])"#
    ),
    // Defaults keep their types; the defaults of relationships are not created.
    Fragment(source: "class T { var a: Double = 1 }", fragment: "defaultValue: (1 as Double)"),
    Fragment(source: "class T { var a: Tint = .red }", fragment: "(.red as Tint)"),
    Fragment(source: "class T { var a: Int! = 1 }", fragment: "defaultValue: (1 as Int?)"),
    Fragment(source: "class T { var a: Int? = nil }", fragment: "defaultValue", isThere: false),
    Fragment(
      source: "class T { @Relationship var a: [T] = [T()] }",
      fragment: "defaultValue",
      isThere: false
    ),
    Fragment(source: "class T { @Attribute() var a = 1 }", fragment: "metadata:", isThere: false),
    // Properties without storage stay unchanged.
    Fragment(source: "class T { static var a = 1 }", fragment: "PersistedProperty", isThere: false),
    Fragment(source: "class T { var a: Int { 1 } }", fragment: "PersistedProperty", isThere: false),
    Fragment(source: "class T { @Transient let a = 1 }", fragment: "@ModelMacros", isThere: false),
    Fragment(
      source: "class T { @Transient var a = 1 { didSet {} } }",
      fragment: "@ModelMacros",
      isThere: false
    ),
    Fragment(source: "class T { @SwiftData.Transient var a = 1 }", fragment: "._ObservedTransient"),
    Fragment(source: "class T {}", fragment: "nonisolated extension T: OpenSwiftData.Persistent"),
    Fragment(source: "class T {}", fragment: "@available(*, unavailable, message:"),
  ]

  @Test(arguments: fragments)
  func modelHas(_ fragment: Fragment) {
    let expansion = Expansion("@Model \(fragment.source)")
    #expect(expansion.messages.isEmpty)
    #expect(expansion.text.contains(fragment.fragment) == fragment.isThere, "\(expansion.text)")
  }

  @Test func modelActorGetsItsContext() {
    let expansion = Expansion("@ModelActor public actor Importer {}")
    #expect(expansion.messages.isEmpty)
    #expect(
      expansion.text == """
        public actor Importer {
          public nonisolated let modelExecutor: any OpenSwiftData.ModelExecutor
          public nonisolated let modelContainer: OpenSwiftData.ModelContainer
          public init(modelContainer: OpenSwiftData.ModelContainer) {
            self.modelExecutor = OpenSwiftData.DefaultSerialModelExecutor(
              modelContext: OpenSwiftData.ModelContext(modelContainer)
            )
            self.modelContainer = modelContainer
          }
        }
        extension Importer: OpenSwiftData.ModelActor {
        }
        """
    )
  }

  @Test func modelActorKeepsItsOwnInitializer() {
    let expansion = Expansion("@ModelActor actor A {\n  init(modelContainer: ModelContainer) {}\n}")
    #expect(expansion.text.components(of: "init(modelContainer").count == 2)
  }

  @Test func everyMacroThatIsDeclaredIsInThePlugin() throws {
    let provider = MacroProviderNames()
    #expect(try provider.declared() == provider.implemented)
  }
}

extension String {
  fileprivate func components(of part: String) -> [String] {
    var rest = self[...]
    var parts: [String] = []
    while let range = rest.firstRange(of: part) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }
}
