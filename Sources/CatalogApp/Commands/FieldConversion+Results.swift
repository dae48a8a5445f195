import OpenSwiftData

extension Session {
  /// How former values of fields whose type has changed are restored.
  var valueConversion: ValueConversion {
    let today = services.clock.today
    return ValueConversion(
      convert: { FieldConversion.converted($0, to: $1, today: today) },
      isResult: { FieldConversion.mayMake($1, of: $0, as: $2, today: today) }
    )
  }
}

extension FieldConversion {
  /// True if `field type` may have made a value of a former one, by some convention.
  ///
  /// Values that did not fit became missing.
  static func mayMake(
    _ new: Value,
    of former: Value,
    as type: AttributeType,
    today: CalendarDate
  ) -> Bool {
    if new.isNull || former.isNull {
      return (converted(former, to: type, today: today) ?? .null) == new
    }
    // The text of a number can have the spelling of a file.
    let own = former.kind.flatMap { AttributeType($0) }
    if let own, converted(new, to: own, today: today) == former { return true }
    return EntryConvention.all.contains { convention in
      let reader = EntryReader(today: today, convention: convention)
      if case .value(let made) = reader.read(text(of: former), as: type) { return made == new }
      return false
    }
  }
}

extension EntryConvention {
  /// All ways to write dates and numbers, beginning with none.
  fileprivate static var all: [EntryConvention] {
    let orders: [DateOrder?] = [nil] + DateOrder.allCases
    let marks: [Character?] = [nil, ",", "."]
    return orders.flatMap { order in
      marks.map { mark in
        var convention = EntryConvention()
        (convention.dateOrder, convention.decimalMark) = (order, mark)
        return convention
      }
    }
  }
}
