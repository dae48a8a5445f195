import Foundation
import SwiftData

/// A model that other modules may inherit from.
@Model
open class Vehicle {
  /// How many wheels there are.
  public var wheels: Int
  /// Read by everyone, written here.
  public private(set) var serial: UUID = UUID()
  /// Overridden by nobody.
  @Attribute(.unique) public var plate: String = ""
  /// The owner.
  public var owner: Owner?

  /// Creates a vehicle.
  public init(wheels: Int) {
    self.wheels = wheels
  }

  /// Gives it another serial number.
  public func renew() { serial = UUID() }
}

/// A model that other modules use.
@Model
public final class Owner {
  /// The name.
  public var name: String
  /// What is owned.
  @Relationship(deleteRule: .nullify, inverse: \Vehicle.owner) public var vehicles: [Vehicle] = []

  /// Creates an owner.
  public init(name: String) { self.name = name }
}

/// A model within the package, below an empty name.
public enum Garage {
  /// A place for one vehicle; needs no initializer.
  @Model
  public final class Place {
    /// The number on the wall.
    public var number: Int = 7
    /// A remark.
    public var remark: String?
  }
}

/// A version with stored properties, as Swift 5 allows them.
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
