// The complete expansion, once for each kind of class.
extension ExpansionTests {
  static let finalClass = #"""
    final class Trip {
      @ModelMacros._PersistedProperty(0)
      var name: String
      @ModelMacros._PersistedProperty(1) var code: String = "x"
      @ModelMacros._PersistedProperty(2)
      var days = 3
      @ModelMacros._PersistedProperty(3) var stops: [Stop] = []
      @ModelMacros._ObservedTransient var note = ""
      var title: String { name + "!" }
      init(name: String) { self.name = name }
      private static let _$model = ModelMacros._ModelDescription.of(Trip.self)
      @exclusivity(unchecked) private var _$state = ModelMacros._ModelState(Trip._$model)
      private struct _$KeyPaths: @unchecked Swift.Sendable {
        let name = \Trip.name
        let code = \Trip.code
        let days = \Trip.days
        let stops = \Trip.stops
        let note = \Trip.note
      }
      private static let _$keyPaths = _$KeyPaths()
      var persistentState: ModelMacros._ModelState {
        get {
          _$state
        }
        set {
          _$state = newValue
        }
      }
      required init(persistentState: ModelMacros._ModelState) {
        _$state = persistentState
        _name = _SwiftDataNoType()
        _code = _SwiftDataNoType()
        _days = _SwiftDataNoType()
        _stops = _SwiftDataNoType()
      }
      static var schemaMetadata: [OpenSwiftData.Schema.PropertyMetadata] {
        [
        OpenSwiftData.Schema.PropertyMetadata(name: "name", keypath: \Trip.name as PartialKeyPath<Trip>),
        OpenSwiftData.Schema.PropertyMetadata(name: "code", keypath: \Trip.code as PartialKeyPath<Trip>, defaultValue: ("x" as String), metadata: OpenSwiftData.Schema.Attribute(.unique, originalName: "cd")),
        OpenSwiftData.Schema.PropertyMetadata(name: "days", keypath: \Trip.days as PartialKeyPath<Trip>, defaultValue: 3),
        OpenSwiftData.Schema.PropertyMetadata(name: "stops", keypath: \Trip.stops as PartialKeyPath<Trip>, metadata: OpenSwiftData.Schema.Relationship(deleteRule: .cascade, inverse: OpenSwiftData.Schema.Relationship._inverse(\Stop.trip))),
        OpenSwiftData.Schema.PropertyMetadata(name: "SwiftData.Schema.Unique", keypath: \Trip.self as PartialKeyPath<Trip>, defaultValue: OpenSwiftData.Schema.Unique<Trip>([\.code], [\.name, \.days])),
        OpenSwiftData.Schema.PropertyMetadata(name: "SwiftData.Schema.Index", keypath: \Trip.self as PartialKeyPath<Trip>, defaultValue: OpenSwiftData.Schema.Index<Trip>([\.name])),
        ]
      }
      internal func access<_M>(keyPath: KeyPath<Trip, _M>) {
        _$state.access(self, keyPath)
      }
      internal func withMutation<_M, _R>(
        keyPath: KeyPath<Trip, _M>,
        _ mutation: () throws -> _R
      ) rethrows -> _R {
        try _$state.withMutation(self, keyPath, mutation)
      }
      private struct _SwiftDataNoType {
      }
    }
    nonisolated extension Trip: OpenSwiftData.PersistentModel {
    }
    @available(*, unavailable, message: "models can only be used on their context's thread; pass the persistentModelID, or use a ModelActor")
    extension Trip: Swift.Sendable {
    }
    """#

  static let subclass = #"""
    class Flight: Trip {
      @ModelMacros._PersistedProperty(0, mayInherit: true)
      var number: Int
      init(number: Int) { self.number = number; super.init(name: "") }
      private static let _$model = ModelMacros._ModelDescription.of(Flight.self)
      @exclusivity(unchecked) private var _$state = ModelMacros._ModelState(Flight._$model)
      private struct _$KeyPaths: @unchecked Swift.Sendable {
        let number = \Flight.number
      }
      private static let _$keyPaths = _$KeyPaths()
      override var persistentState: ModelMacros._ModelState {
        get {
          let inherited = super.persistentState
          if inherited !== _$state {
            _$state.takeValues(from: inherited)
            super.persistentState = _$state
          }
          return _$state
        }
        set {
          _$state = newValue
          super.persistentState = newValue
        }
      }
      required init(persistentState: ModelMacros._ModelState) {
        _$state = persistentState
        _number = _SwiftDataNoType()
        super.init(persistentState: persistentState)
      }
      override class var schemaMetadata: [OpenSwiftData.Schema.PropertyMetadata] {
        super.schemaMetadata + _$metadata(for: Self.self)
      }
      private static func _$metadata<Root: Flight>(
        for root: Root.Type
      ) -> [OpenSwiftData.Schema.PropertyMetadata] {
        [
        OpenSwiftData.Schema.PropertyMetadata(name: "number", keypath: \Root.number as PartialKeyPath<Root>),
        ]
      }
      private static let _$firstSlot =
        ModelMacros._ModelDescription.of(Trip.self).entity.fields.count
      internal func access<_M>(keyPath: KeyPath<Flight, _M>) {
        _$state.access(self, keyPath)
      }
      internal func withMutation<_M, _R>(
        keyPath: KeyPath<Flight, _M>,
        _ mutation: () throws -> _R
      ) rethrows -> _R {
        try _$state.withMutation(self, keyPath, mutation)
      }
      private struct _SwiftDataNoType {
      }
    }
    """#
}
