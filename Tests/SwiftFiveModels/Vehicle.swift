import Foundation
import SwiftData

/// A model that other modules may inherit from.
@Model
open class Vehicle {
  /// The number of wheels.
  public var wheels: Int
  /// Readable everywhere, writable here.
  public private(set) var serial: UUID = UUID()
  /// Never overridden.
  @Attribute(.unique) public var plate: String = ""
  /// The owner.
  public var owner: Owner?

  /// Creates a vehicle.
  public init(wheels: Int) {
    self.wheels = wheels
  }

  /// Changes the serial number.
  public func renew() { serial = UUID() }
}

/// A model that other modules use.
@Model
public final class Owner {
  /// The name.
  public var name: String
  /// The owned vehicles.
  @Relationship(deleteRule: .nullify, inverse: \Vehicle.owner) public var vehicles: [Vehicle] = []

  /// Creates an owner.
  public init(name: String) { self.name = name }
}

/// A namespace for a model.
public enum Garage {
  /// A parking place for one vehicle; needs no initializer.
  @Model
  public final class Place {
    /// The number on the wall.
    public var number: Int = 7
    /// A remark.
    public var remark: String?
  }
}

/// A schema version with stored properties, as Swift 5 allows.
public enum VehiclesV1: VersionedSchema {
  /// The models.
  public static var models: [any PersistentModel.Type] = [Vehicle.self]
  /// The version.
  public static var versionIdentifier = Schema.Version(1, 0, 0)
}

/// A plan with stored properties.
public enum VehiclesPlan: SchemaMigrationPlan {
  /// The versions.
  public static var schemas: [any VersionedSchema.Type] = [VehiclesV1.self]
  /// None.
  public static var stages: [MigrationStage] = []
}
