import Foundation
import SwiftData
import SwiftFiveModels

enum Tint: String, Codable { case red, green }
enum Payload: Codable, Hashable { case text(String), number(Int) }
struct Point: Codable, Hashable { var x = 0.0, y = 0.0 }

/// Every way to write a property.
@Model
final class Shape {
  #Unique<Shape>([\.code], [\Shape.name, \.count])
  #Index<Shape>([\.name], [\.count, \.name])

  var name: String
  @Attribute(.unique, originalName: "cd") var code: String = "x"
  var count = 3
  var ratio: Double = 1
  var tint: Tint = .green
  var payload: Payload = .text("p")
  var corner: Point = .init(x: 1)
  private(set) var `default`: Int = 4
  var choice: Tint?
  var spelledOptional: Optional<Int> = nil
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  var forced: String!
  @Attribute(
    .externalStorage,  // a comment
    originalName: "blob"
  )
  var picture: Data?
  private var secret = "s"
  @Transient var note = "fresh"
  @Transient var mark: String?
  @Transient lazy var later = 5
  @Transient weak var friend: Shape?
  @Transient let constant = 6
  @Transient var watched = 0 { didSet { changes += 1 } }
  @Transient var changes = 0
  static let shared = 8
  var computed: String {
    get { name + "!" }
    set { name = newValue }
  }

  init(name: String) { self.name = name }

  convenience init(numbered number: Int) { self.init(name: "\(number)") }

  func setDefault(_ value: Int) { self.default = value }
  func keepSecret(_ value: String) { secret = value }
  var told: String { secret }
}

/// A class that refers to itself.
@Model
final class Node {
  var name: String
  @Relationship(inverse: \Node.children) var parent: Node?
  @Relationship(deleteRule: .cascade) var children: [Node] = []

  init(name: String, parent: Node? = nil) {
    self.name = name
    self.parent = parent
  }
}

protocol Named { var name: String { get } }

/// Declared before its superclass, with two levels below it.
@Model
class Truck: Machine, Named {
  #Unique<Truck>([\.name, \Truck.load])
  var load: Double = 1.5
  var crew: [Node] = []

  init(name: String, load: Double) {
    self.load = load
    super.init(name: name)
  }
}

@Model
final class Crane: Truck {
  var reach: Int

  init(reach: Int) {
    self.reach = reach
    super.init(name: "crane", load: 2)
  }
}

@Model
class Machine {
  #Unique<Machine>([\.name])
  var name: String
  var operator1: Node?
  @Transient var isRunning = false

  init(name: String) { self.name = name }

  var label: String { "<\(name)>" }
}

/// A class without `@Model`: its objects belong to the entity of the superclass.
class NamelessMachine: Machine {
  var extra = 1
}

/// A subclass of a class in another module with another language mode.
@Model
final class Bus: Vehicle {
  var seats: Int

  init(seats: Int) {
    self.seats = seats
    super.init(wheels: 4)
  }
}

enum Outer {
  @Model
  final class Inner {
    var value = 1
  }
}

extension Outer {
  @Model
  fileprivate class Hidden: Named {
    var name = "hidden"
  }

  /// A model that is private to its file.
  static func hiddenName() -> String { Hidden().name }
}

/// A class without stored values.
@Model
final class Empty {}
