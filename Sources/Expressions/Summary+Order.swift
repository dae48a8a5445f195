import OpenSwiftData

/// Functions of records in their order.
extension Summary {
  /// What the function gives for each record.
  func results(of values: [Computed]) -> [Result<Computed, ExpressionFailure>] {
    switch function {
    case .row: values.indices.map { .success(.value(.integer(Int64($0 + 1)))) }
    case .prev: values.indices.map { .success($0 > 0 ? values[$0 - 1] : .null) }
    case .next: values.indices.map { .success($0 + 1 < values.count ? values[$0 + 1] : .null) }
    case .fill: filled(values)
    case .share: shares(values)
    case .random:
      values.indices.map { place in
        .success(.value(.number(RandomRow.number(seed: seed, row: place + 1))))
      }
    default: totals(values)
    }
  }

  private func filled(_ values: [Computed]) -> [Result<Computed, ExpressionFailure>] {
    var last = Computed.null
    return values.map { value in
      if !value.isNull { last = value }
      return .success(last)
    }
  }

  /// The sum of the values up to each of them.
  private func totals(_ values: [Computed]) -> [Result<Computed, ExpressionFailure>] {
    var sum = empty
    return values.map { value in
      Result { () throws(ExpressionFailure) in
        try add(value, to: &sum)
        return try result(sum)
      }
    }
  }

  /// The part that each value has of the sum; null if that is 0.
  private func shares(_ values: [Computed]) -> [Result<Computed, ExpressionFailure>] {
    let total = totals(values).last ?? .success(.null)
    return values.map { value in
      total.flatMap { total in
        Result { () throws(ExpressionFailure) in
          total.groupKey == .integer(0)
            ? .null : try ValueExpression.Arithmetic.divide(value, total)
        }
      }
    }
  }
}
