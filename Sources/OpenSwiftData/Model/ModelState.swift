import Observation
import Synchronization

/// The values of one model, shared by the model, its context and its snapshots.
///
/// Confined to the thread of its context, like the model.
public final class ModelState {
  // Exclusivity is unchecked because the context confines its states to one thread, and each access only
  // reads or replaces a stored value, without calling out.
  /// The entity of the model.
  @exclusivity(unchecked) public internal(set) var entity: Schema.Entity
  /// The identifier of the record.
  @exclusivity(unchecked) public internal(set) var identifier: PersistentIdentifier
  /// The values in the order of the entity's layout; written through `set(_:at:)`.
  public internal(set) var orderedValues: [Value] {
    @inline(__always) get { currentValues }
    @inline(__always) _modify {
      if changedSlot >= 0 { holdAllOriginals() }
      yield &currentValues
    }
  }
  @exclusivity(unchecked) var currentValues: [Value]
  /// The context, which stays alive as long as one of its models.
  @exclusivity(unchecked) var owner: (any ModelOwner)?
  /// The class of the model; nil for `Record`.
  let description: ModelDescription?

  /// The index among the unsaved changes of the context; negative if there is no change.
  @exclusivity(unchecked) var pendingPlace: Int32 = -1
  /// The effect of the next save; valid only if `pendingPlace` is not negative.
  @exclusivity(unchecked) var pendingKind = PendingChange.Kind.updated
  /// The slot of the only value that differs from the stored ones; negative if they are held in `allOriginals`.
  ///
  /// Invariant: while it is not negative, all other values are the stored ones.
  @exclusivity(unchecked) var changedSlot: Int32 = -1
  /// The stored value in `changedSlot`.
  @exclusivity(unchecked) var changedOriginal = Value.null
  @exclusivity(unchecked) var allOriginals: [Value] = []
  /// Keeps a changed object alive that is no longer referenced elsewhere.
  @exclusivity(unchecked) var heldModel: (any PersistentModel)?
  /// True when the record is deleted or will be deleted by the next save.
  @exclusivity(unchecked) var isDeleted = false
  /// The object of these values, while it is referenced.
  var model: (any PersistentModel)? {
    get {
      guard let held = loose?.object else { return nil }
      return withExtendedLifetime(held) { unheldModel }
    }
    set {
      unheldModel = newValue
      loose = newValue.map { LooseReference($0 as AnyObject) }
    }
  }
  /// Valid only if `loose` has an object.
  @exclusivity(unchecked) private unowned(unsafe) var unheldModel: (any PersistentModel)?
  @exclusivity(unchecked) private var loose: LooseReference<AnyObject>?
  /// The observers, retained manually, because reference counting on every read would cost more than the
  /// read.
  @exclusivity(unchecked) @usableFromInline var heldObservers: Unmanaged<Observers>?
  /// State that few models have.
  @exclusivity(unchecked) private var extras: Extras?

  /// State that few models have, stored separately to keep the others small.
  private final class Extras {
    /// The Swift values of properties that are saved as JSON, by slot.
    var decoded: [Int: Any] = [:]
    /// The models that this one refers to while it is in no context.
    var companions: Companions?
    /// The errors of values that could not be converted, by slot; the next save throws them.
    var problems: [Int: PersistenceError] = [:]
    /// As in `PendingChange`.
    var undecided: Set<String> = []
    /// The hash number of the model.
    var hash: Int?
  }

  /// The observers, created when the model is first read.
  private var observers: Observers? {
    get { heldObservers?.takeUnretainedValue() }
    set {
      let old = heldObservers
      heldObservers = newValue.map(Unmanaged.passRetained)
      old?.release()
    }
  }

  /// True when the model has unsaved changes.
  var isDirty: Bool { pendingPlace >= 0 }

  /// True when the state has data that few models have, such as a hash number that must be kept.
  var hasExtras: Bool { extras != nil || heldObservers != nil }

  private func makeExtras() -> Extras {
    if let extras { return extras }
    let new = Extras()
    extras = new
    return new
  }

  /// The Swift values of properties that are saved as JSON, by slot.
  var decoded: [Int: Any] {
    get { extras?.decoded ?? [:] }
    set { makeExtras().decoded = newValue }
  }

  /// Caches or removes the Swift value of a property that is saved as JSON.
  func setDecoded(_ value: Any?, at slot: Int) {
    if value == nil, extras == nil { return }
    makeExtras().decoded[slot] = value
  }

  /// The models that this one refers to while it is in no context.
  var companions: Companions? {
    get { extras?.companions }
    set { if newValue != nil || extras != nil { makeExtras().companions = newValue } }
  }

  /// True when a value could not be converted.
  var hasProblems: Bool { extras.map { !$0.problems.isEmpty } ?? false }

  /// The errors of values that could not be converted, by slot; the next save throws them.
  var problems: [Int: PersistenceError] {
    get { extras?.problems ?? [:] }
    set { if !newValue.isEmpty || extras != nil { makeExtras().problems = newValue } }
  }

  /// As in `PendingChange`.
  var undecided: Set<String> {
    get { extras?.undecided ?? [] }
    set { if !newValue.isEmpty || extras != nil { makeExtras().undecided = newValue } }
  }

  private static let count = Atomic<UInt64>(0)

  /// Creates the state of a record that is in no context yet, with the defaults of its entity.
  public init(entity: Schema.Entity) {
    self.entity = entity
    description = nil
    identifier = entity.temporaryScope.temporaryIdentifier(0, context: 0)
    currentValues = entity.defaultValues
  }

  /// Creates the state of a new object of a model class, with the defaults of the class.
  public init(_ description: ModelDescription) {
    self.description = description
    entity = description.entity
    identifier = description.temporaryScope.temporaryIdentifier(
      Self.count.wrappingAdd(1, ordering: .relaxed).newValue,
      context: 0
    )
    currentValues = description.defaultValues
  }

  /// Creates the state of a new object of a model class, with the defaults of the class.
  public convenience init<T: PersistentModel>(for type: T.Type) {
    self.init(ModelDescription.of(type) as ModelDescription)
  }

  /// Creates the state of a fetched record, in the layout of its class.
  init(_ description: ModelDescription, _ snapshot: DefaultSnapshot) {
    self.description = description
    entity = description.entity
    identifier = snapshot.persistentIdentifier
    currentValues = snapshot.orderedValues
  }

  /// Creates the state of a record that is known by its identifier.
  convenience init(entity: Schema.Entity, identifier: PersistentIdentifier) {
    if let description = entity.modelDescription {
      self.init(description)
    } else {
      self.init(entity: entity)
    }
    self.identifier = identifier
  }

  init(entity: Schema.Entity, snapshot: DefaultSnapshot) {
    description = entity.modelDescription
    self.entity = description?.entity ?? entity
    identifier = snapshot.persistentIdentifier
    currentValues = snapshot.orderedValues
  }

  /// Creates the state of a new record.
  init(entity: Schema.Entity, identifier: PersistentIdentifier, values: [Value]) {
    self.entity = entity
    description = nil
    self.identifier = identifier
    currentValues = values
  }

  /// The identifier and the values as they are now.
  public var snapshot: DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: identifier,
      layout: entity.layout,
      orderedValues: orderedValues
    )
  }

  /// Attaches the object of these values, unless one is already attached.
  public func attach<T: PersistentModel>(_ model: T) { attach(any: model) }

  func attach(any model: any PersistentModel) {
    if loose?.object == nil { self.model = model }
  }

  /// Sets a value and notifies the context.
  ///
  /// Not validated here: the caller ensures the type, and the save checks the rules.
  public func set(_ value: Value, at slot: Int) {
    let old = orderedValues[slot]
    guard old != value else { return }
    setDecoded(nil, at: slot)
    if let owner {
      owner.setValue(value, at: slot, of: self)
    } else {
      orderedValues[slot] = value
    }
  }

  /// Adopts the values of the superclass part of the same object, which was created separately.
  public func takeValues(from base: ModelState) {
    for slot in base.orderedValues.indices { orderedValues[slot] = base.orderedValues[slot] }
    if !base.decoded.isEmpty { decoded.merge(base.decoded) { own, _ in own } }
    if let theirs = base.companions {
      companions = companions.map { $0.merging(theirs) } ?? theirs
    }
    problems.merge(base.problems) { own, _ in own }
    observers = observers ?? base.observers
    if model == nil { model = base.model }
  }

  /// A number that does not change with the identifier and is equal for all states of the same record.
  func stableHash() -> Int {
    let extras = makeExtras()
    if let hash = extras.hash { return hash }
    let new = owner?.hashes.hash(of: identifier) ?? identifier.hashValue
    extras.hash = new
    return new
  }

  /// Replaces the temporary identifier by the permanent one.
  func become(_ permanent: PersistentIdentifier) {
    if let hash = extras?.hash { owner?.hashes.keep(hash, for: permanent) }
    identifier = permanent
  }

  deinit { heldObservers?.release() }

  // MARK: Observation

  /// Notifies the observers that a property is read.
  ///
  /// The state of the model may change with the first call: if the model has a superclass, its levels then
  /// share one state.
  @inlinable @inline(__always)
  public func access<M: PersistentModel, V>(_ model: M, _ keyPath: KeyPath<M, V>) {
    let observers = heldObservers ?? Self.makeObservers(for: model)
    observers._withUnsafeGuaranteedRef { $0.access(model, keyPath) }
  }

  /// Changes a property and notifies the observers before and after the change.
  public func withMutation<M: PersistentModel, V, Result>(
    _ model: M,
    _ keyPath: KeyPath<M, V>,
    _ change: () throws -> Result
  ) rethrows -> Result {
    guard let observers else { return try change() }
    return try observers.registrar.withMutation(of: model, keyPath: keyPath, change)
  }

  @usableFromInline
  static func makeObservers<M: PersistentModel>(for model: M) -> Unmanaged<Observers> {
    let state = model.persistentState
    if let made = state.heldObservers { return made }
    let new = Observers()
    state.observers = new
    state.attach(model)
    return Unmanaged.passUnretained(new)
  }

  /// Notifies the observers before and after a change that bypasses the properties.
  func notifying(_ changed: [Int], _ change: () -> Void) {
    guard let observers, let description, let model, !changed.isEmpty else { return change() }
    let registrar = observers.registrar
    let keyPaths = description.observedKeyPaths
    for slot in changed { registrar.tell(model, keyPaths[slot], isBefore: true) }
    change()
    for slot in changed { registrar.tell(model, keyPaths[slot], isBefore: false) }
  }

  /// Replaces the values and notifies the observers of those that differ.
  func replaceValues(_ values: [Value]) {
    guard observers != nil || !decoded.isEmpty else {
      orderedValues = values
      return
    }
    let changed = values.indices.filter {
      !orderedValues.indices.contains($0) || orderedValues[$0] != values[$0]
    }
    notifying(changed) {
      orderedValues = values
      for slot in changed { setDecoded(nil, at: slot) }
    }
  }
}

/// The observers of one model, in a class whose layout is known in this module.
@usableFromInline
final class Observers {
  let registrar = ObservationRegistrar()

  // Not inlined, because from another module the registrar would be copied first.
  @usableFromInline
  @inline(never)
  func access<M: PersistentModel, V>(_ model: M, _ keyPath: KeyPath<M, V>) {
    registrar.access(model, keyPath: keyPath)
  }
}

extension ObservationRegistrar {
  /// Notifies of a property by its key path in the class of the model or in a superclass.
  fileprivate func tell(_ model: any PersistentModel, _ keyPath: AnyKeyPath, isBefore: Bool) {
    func tell<M: PersistentModel>(_ type: M.Type) {
      guard let model = model as? M else { return }
      func tell<V>(_ type: V.Type) {
        guard let typed = keyPath as? KeyPath<M, V> else { return }
        if isBefore { willSet(model, keyPath: typed) } else { didSet(model, keyPath: typed) }
      }
      _openExistential(Swift.type(of: keyPath).valueType, do: tell)
    }
    guard let declaring = type(of: keyPath).rootType as? any PersistentModel.Type else { return }
    tell(declaring)
  }
}

/// The hash numbers that objects used before their records got permanent identifiers.
final class HashTable: Sendable {
  private let kept = Mutex<[PersistentIdentifier: Int]>([:])
  private let isUsed = Atomic<Bool>(false)

  func hash(of identifier: PersistentIdentifier) -> Int {
    guard isUsed.load(ordering: .acquiring) else { return identifier.hashValue }
    return kept.withLock { $0[identifier] } ?? identifier.hashValue
  }

  func keep(_ hash: Int, for identifier: PersistentIdentifier) {
    kept.withLock { $0[identifier] = hash }
    isUsed.store(true, ordering: .releasing)
  }
}

/// The models that a model in no context refers to.
///
/// Models that were set are retained; automatic back references are not, so a pair of models does not keep
/// itself alive.
struct Companions {
  private struct Reference {
    var held: (any PersistentModel)?
    weak var other: (any PersistentModel)?
  }

  private var references: [PersistentIdentifier: Reference] = [:]

  subscript(identifier: PersistentIdentifier) -> (any PersistentModel)? {
    references[identifier]?.other
  }

  var all: [any PersistentModel] { references.values.compactMap(\.other) }

  mutating func add(_ model: any PersistentModel, isHeld: Bool) {
    let identifier = model.persistentState.identifier
    var reference = references[identifier] ?? Reference(other: model)
    if isHeld { reference.held = model }
    references[identifier] = reference
  }

  mutating func remove(_ identifier: PersistentIdentifier) {
    references[identifier] = nil
  }

  func merging(_ other: Companions) -> Companions {
    var merged = self
    merged.references.merge(other.references) { own, _ in own }
    return merged
  }
}
