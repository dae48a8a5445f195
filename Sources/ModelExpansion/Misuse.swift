import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A use of the macros that cannot work, with its message.
enum Misuse: Equatable, DiagnosticMessage {
  case notAClass(found: String)
  case notAnActor
  case genericClass
  case noInitializer(className: String)
  case severalNames
  case pattern
  case constant
  case unkeptConstant
  case closure
  case mutualInverse(property: String, other: String)
  case lazy
  case weakReference
  case observers
  case conditional
  case transientWithoutValue
  case notAVariable(attribute: String)
  case withoutStorage(attribute: String)
  case twoMeanings(first: String, second: String)
  case relationshipToValue(type: String)
  case countsOutOfOrder(minimum: Int, maximum: Int)
  case unknownProperty(name: String, className: String)
  case nestedProperty(path: String)

  var message: String {
    switch self {
    case .notAClass(let found): "@Model can only be attached to a class, not to \(found)"
    case .notAnActor: "@ModelActor can only be attached to an actor"
    case .genericClass: "a model class cannot be generic: its entity has one name and one layout"
    case .noInitializer(let name): "@Model requires an initializer be provided for '\(name)'"
    case .severalNames: "declare each persisted property with its own 'var'"
    case .pattern: "a persisted property cannot be declared with a pattern"
    case .constant: "a persisted property must be a 'var' so that fetching can set it"
    case .unkeptConstant:
      "a 'let' property is not persisted; use 'var' to persist it"
    case .closure: "a closure cannot be persisted; mark the property @Transient"
    case .mutualInverse(let property, let other):
      "'\(property)' and '\(other)' declare each other as inverse; declare it on one side only"
    case .lazy: "a persisted property cannot be lazy; mark it @Transient or remove 'lazy'"
    case .weakReference:
      "persisted properties cannot be weak or unowned; remove the modifier or mark it @Transient"
    case .observers:
      "property observers of a persisted property are never called; remove them or mark it @Transient"
    case .conditional:
      "@Model cannot read stored properties inside '#if'; move the condition around the class"
    case .transientWithoutValue:
      "a @Transient property needs a default value, because fetching does not set it"
    case .notAVariable(let attribute): "@\(attribute) can only be attached to a property"
    case .withoutStorage(let attribute): "@\(attribute) needs a stored property of an instance"
    case .twoMeanings(let first, let second):
      "a property cannot be both @\(first) and @\(second)"
    case .relationshipToValue(let type):
      "@Relationship requires a model class; '\(type)' is not one, use @Attribute"
    case .countsOutOfOrder(let minimum, let maximum):
      "the minimum of \(minimum) models is greater than the maximum of \(maximum)"
    case .unknownProperty(let name, let className):
      "'\(name)' is not a persisted property of '\(className)'"
    case .nestedProperty(let path):
      "'\(path)' is not a property of the class itself; name a persisted property"
    }
  }

  /// The name of the case.
  var identifier: String { String("\(self)".prefix { $0 != "(" }) }
  var diagnosticID: MessageID { MessageID(domain: "SwiftDataMacros", id: identifier) }
  var severity: DiagnosticSeverity {
    [.observers, .unkeptConstant, .constant].contains(self) ? .warning : .error
  }
}

/// The text of an offered correction.
struct Correction: FixItMessage {
  let message: String
  var fixItID: MessageID { MessageID(domain: "SwiftDataMacros", id: "correction") }

  init(_ message: String) { self.message = message }
}

extension MacroExpansionContext {
  /// Reports the misuse at a node.
  func report(_ misuse: Misuse, at node: some SyntaxProtocol, fixIts: [FixIt] = []) {
    diagnose(Diagnostic(node: node, message: misuse, fixIts: fixIts))
  }
}
