import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import ModelExpansion

/// The output of the plugin for a source text, without a compiler.
struct Expansion {
  /// The text with every macro expanded.
  let text: String
  /// The messages in the order of their positions, as `line:column message`.
  let messages: [String]
  /// The texts of the corrections, in the same order.
  let corrections: [String]
  /// The source with the first correction of each message; nil if there are no corrections.
  let corrected: String?

  /// Expands the macros of a source text.
  ///
  /// The compiler tells `@Model` which conformances a class lacks. With `inherits` it lacks none,
  /// as in a subclass of a model class.
  init(_ source: String, inherits: Bool = false) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(sourceFiles: [
      file: .init(moduleName: "Test", fullFilePath: "Test.swift")
    ])
    let conformances: [TypeSyntax] =
      inherits ? [] : ["OpenSwiftData.PersistentModel", "Swift.Sendable"]
    let expanded = file.expand(
      macroSpecs: Self.specifications(conformances: conformances),
      contextGenerator: { node in
        BasicMacroExpansionContext(
          sharingWith: context,
          lexicalContext: node.allMacroLexicalContexts()
        )
      },
      indentationWidth: .spaces(2)
    )
    text = expanded.description.trimmingLines
    let diagnostics = context.diagnostics.sorted {
      $0.location(in: context) < $1.location(in: context)
    }
    messages = diagnostics.map { diagnostic in
      let place = diagnostic.location(in: context)
      return "\(place.line):\(place.column) \(diagnostic.message)"
    }
    corrections = diagnostics.flatMap(\.fixIts).map(\.message.message)
    corrected = Self.apply(diagnostics.compactMap(\.fixIts.first), to: source, in: context)
  }

  private static func specifications(conformances: [TypeSyntax]) -> [String: MacroSpec] {
    let names = [
      "Model": "PersistentModelMacro",
      "_PersistedProperty": "PersistedPropertyMacro",
      "_ObservedTransient": "ObservedTransientMacro",
      "Attribute": "AttributePropertyMacro",
      "Relationship": "RelationshipPropertyMacro",
      "Transient": "TransientPropertyMacro",
      "Unique": "ConstraintMacro",
      "Index": "ConstraintMacro",
      "ModelActor": "PersistentModelActorMacro",
    ]
    return names.compactMapValues { name in
      MacroProvider.macros[name].map { MacroSpec(type: $0, conformances: conformances) }
    }
  }

  private static func apply(
    _ fixIts: [FixIt],
    to source: String,
    in context: BasicMacroExpansionContext
  ) -> String? {
    let edits = fixIts.flatMap(\.changes).compactMap {
      change -> (range: Range<Int>, text: String)? in
      guard case .replace(let old, let new) = change else { return nil }
      let start = context.location(for: old.position, anchoredAt: old, fileName: "").offset
      return (start..<start + old.totalLength.utf8Length, new.description)
    }
    guard !edits.isEmpty else { return nil }
    var bytes = Array(source.utf8)
    for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      bytes.replaceSubrange(edit.range, with: edit.text.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Diagnostic {
  fileprivate func location(in context: BasicMacroExpansionContext) -> Place {
    let found = context.location(for: position, anchoredAt: node, fileName: "Test.swift")
    return Place(line: found.line, column: found.column)
  }
}

private struct Place: Comparable {
  let line: Int
  let column: Int

  static func < (lhs: Place, rhs: Place) -> Bool {
    (lhs.line, lhs.column) < (rhs.line, rhs.column)
  }
}

extension String {
  /// Removes white space at the ends of lines, and empty lines.
  var trimmingLines: String {
    split(separator: "\n").map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }.filter { !$0.isEmpty }.joined(separator: "\n")
  }
}
