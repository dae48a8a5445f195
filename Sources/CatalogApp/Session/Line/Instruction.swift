package import OpenSwiftData

/// A command with its arguments: one operation, as a value.
///
/// A line of a script, a `:` line, a key and an answer to a question all become instructions, and
/// `Session.perform(_:)` runs all of them in the same way. Text is one way to write an instruction;
/// only `Session.instruction(from:)` parses it. Screens create the value directly from their record and
/// field.
///
/// To add a command, write a type that conforms to this protocol in a file of its own, and add its
/// `command` to `Command.all`.
package protocol Instruction: Hashable, Sendable {
  /// The entry in the list of commands.
  static var command: Command { get }

  /// The name of the instruction in its undo step and in messages; usually the name of the command.
  var title: String { get }

  /// True if the cursor moves to the first record that the instruction adds or restores.
  var showsNewRecord: Bool { get }

  /// True if it takes about as long as its line takes to read, and writes nothing.
  var isQuick: Bool { get }

  /// Performs the instruction.
  ///
  /// Called only by `Session.perform(_:)`, which groups the changes into one undo step.
  ///
  /// - Throws: A one-line error for users: `CommandError`, `FilterSyntaxError`, `PersistenceError`,
  ///   `SaveFailure`.
  func perform(in session: Session) throws -> Outcome
}

extension Instruction {
  package var title: String { Self.command.name }
  package var showsNewRecord: Bool { false }
  package var isQuick: Bool { false }
}

/// An instruction that changes records, which may be those selected on the screen.
package protocol RecordInstruction: Instruction {
  /// The records.
  var target: Target { get set }
  /// Its verb in a question about several records: `delete`, `set title of`.
  var verb: String { get }
  /// True if it asks before it changes more than one record.
  var asksAboveOne: Bool { get }
}

extension RecordInstruction {
  package var verb: String { Self.command.name }
  package var asksAboveOne: Bool { false }
}

/// The records that an instruction applies to.
package enum Target: Hashable, Sendable {
  /// The records with these identifiers.
  case records([PersistentIdentifier])
  /// All records that match a query when the instruction is performed.
  case query(Query)
  /// The records selected on the screen: the marked ones, or else the one under the cursor.
  case selection

  /// True for a record that was named.
  var isOneRecord: Bool { if case .records(let named) = self { named.count == 1 } else { false } }
}

/// An instruction of any kind, for values that need to be compared.
package struct AnyInstruction: Hashable, Sendable {
  /// The instruction.
  package let value: any Instruction

  package init(_ value: any Instruction) { self.value = value }

  package static func == (left: AnyInstruction, right: AnyInstruction) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(value)) }

  /// The entry in the list of commands.
  var command: Command { type(of: value).command }
}
