import Foundation
import OpenSwiftData

extension ListReader {
  /// The maximum number of values to choose from that are shown.
  private static let offeredValues = 100

  /// The first values of a field that contain a text, ignoring case, and the number of all that do.
  ///
  /// The current value is among them, or before them. The values are those of all records of the entity.
  ///
  /// - Complexity: O(n) in the records whose value may contain the text.
  func values(of name: String, containing text: String, current: String?) throws
    -> ListChoices.Reply
  {
    var meter = WorkMeter()
    var first = FirstValues(limit: Self.offeredValues)
    var currentValue: Value?
    let wanted = text.lowercased()
    for value in try distinctValues(of: name, containing: text) where !value.isNull {
      try meter.count()
      let own = value.text
      guard wanted.isEmpty || own.lowercased().contains(wanted) else { continue }
      first.add(value)
      if let current, own == current { currentValue = value }
    }
    var offered = first.sorted
    if let currentValue, !offered.contains(currentValue) {
      offered = [currentValue] + offered.dropLast()
    }
    let choices = offered.map {
      ListChoices.Choice(answer: $0.text, text: ValueText($0, clippedTo: 200).text.plain)
    }
    return ListChoices.Reply(choices: choices, total: first.count)
  }

  /// The values of a field, of which the store need not find those that cannot contain a text.
  private func distinctValues(of name: String, containing text: String) throws -> [Value] {
    guard let spec = list.spec else { return [] }
    let context = session.context
    let entity = try context.schema.entity(named: spec.entityName)
    guard let path = try FieldPath(name, of: entity, in: context.schema) else {
      let isText = entity.fieldsByName[name]?.type == .text && !text.isEmpty
      let match = TextMatch(.contains, text, options: .caseInsensitive)
      let query = Query(
        spec.entityName,
        filter: isText ? .text(name, match) : .not(.isNull(name))
      )
      return Array(try context.valueCounts(of: name, matching: query).keys)
    }
    let field = path.fields.first ?? name
    let known = Query(spec.entityName, filter: .not(.isNull(field)))
    let own = try context.valueCounts(of: field, matching: known).keys
    return Array(Set(try context.values(at: path, in: Array(own))))
  }
}

/// The smallest of many values.
private struct FirstValues {
  let limit: Int
  /// The number of values that were added.
  private(set) var count = 0
  /// Up to twice the limit, of which the first are in order once there are more than that.
  private var kept: [Value] = []
  /// A value that is not smaller than this one is not among the first.
  private var bound: Value?

  init(limit: Int) { self.limit = limit }

  /// - Complexity: O(1) for most of many values in any order.
  mutating func add(_ value: Value) {
    count += 1
    if let bound, value.compare(bound) != .orderedAscending { return }
    kept.append(value)
    guard kept.count == 2 * limit else { return }
    kept = sorted
    bound = kept.last
  }

  /// The first values, in order.
  var sorted: [Value] {
    Array(kept.sorted { $0.compare($1) == .orderedAscending }.prefix(limit))
  }
}
