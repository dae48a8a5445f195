/// The type of a to-many relationship: an array of models, or an optional array.
public protocol RelationshipCollection {
  /// The class of the models.
  associatedtype PersistentElement: PersistentModel
  /// Creates the collection from models in order.
  init(relatedModels: [PersistentElement])
  /// The models in order.
  var relatedModels: [PersistentElement] { get }
}

extension Array: RelationshipCollection where Element: PersistentModel {
  /// The class of the models.
  public typealias PersistentElement = Element
  /// Creates the collection from models in order.
  public init(relatedModels: [Element]) { self = relatedModels }
  /// The models themselves.
  public var relatedModels: [Element] { self }
}

extension Optional: RelationshipCollection where Wrapped: RelationshipCollection {
  /// The class of the models.
  public typealias PersistentElement = Wrapped.PersistentElement
  /// Creates the collection from models in order.
  public init(relatedModels: [Wrapped.PersistentElement]) {
    self = Wrapped(relatedModels: relatedModels)
  }
  /// The models; none for nil.
  public var relatedModels: [Wrapped.PersistentElement] { self?.relatedModels ?? [] }
}
