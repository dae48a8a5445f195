import Foundation

extension Value {
  /// The value converted to another type; nil if converting it back would not give the same value.
  ///
  /// Null stays null. Whole numbers become numbers, decimals and text, texts become the values that they
  /// represent, days become moments at midnight UTC, a link becomes a list with one link.
  package func converted(to type: AttributeType) -> Value? {
    if isNull { return .null }
    if case .links(let links) = self, case .link = type {
      return links.count < 2 ? links.first.map { .link($0) } ?? .null : nil
    }
    if kind == type.kind { return self }
    if case .link(let link) = self, case .links = type { return .links([link]) }
    guard let own = kind.flatMap(AttributeType.init), let result = translated(to: type),
      result.translated(to: own) == self
    else { return nil }
    return result
  }

  private func translated(to type: AttributeType) -> Value? {
    switch (self, type) {
    case (.link, _), (.links, _), (_, .link), (_, .links): return nil
    case (_, .text): return .text(text)
    case (.text(let text), _):
      // Text that is not a value of the type cannot be converted; the caller reports it.
      return try? Value(parsing: text, as: type)
    case (.boolean(let value), .integer): return .integer(value ? 1 : 0)
    case (.integer(0), .boolean): return .boolean(false)
    case (.integer(1), .boolean): return .boolean(true)
    case (.date(let date), .datetime): return .datetime(date.midnight)
    case (.datetime(let date), .date):
      return .date(CalendarDate(of: date))
    case (.integer, _), (.number, _), (.decimal, _):
      guard type.isNumeric else { return nil }
      let result = coerced(to: type)
      return Schema.Attribute("", type).accepts(result) ? result : nil
    default: return nil
    }
  }
}

extension CalendarDate {
  fileprivate var midnight: Date { Date(timeIntervalSince1970: Double(daysSince1970) * 86_400) }
}
