import OpenSwiftData

/// Evaluates an operand that is a text or a number; nil without a value.
typealias Operand<Value> = @Sendable (ExpressionRow) throws(ExpressionFailure) -> Value?

extension ExpressionCompiler {
  /// A call of a function.
  func call(_ node: ValueExpression, _ function: ExpressionFunction, _ values: [CompiledPart])
    throws(SyntaxProblem) -> CompiledPart
  {
    let call = ExpressionCall(compiler: self, node: node, function: function, values: values)
    switch function {
    case .trim, .clean, .lower, .upper, .title, .fold, .length, .left, .right, .mid, .replace,
      .split,
      .join, .concat, .pad, .repeat:
      return try call.text()
    case .sub, .extract: return try call.pattern()
    case .abs, .round, .floor, .ceil, .min, .max, .sqrt, .log, .pow, .sign: return try call.number()
    case .text, .integer, .decimal, .number, .boolean, .date, .datetime, .json, .format, .try:
      return try call.conversion()
    case .year, .month, .day, .hour, .minute, .second, .quarter, .weekday, .week, .start, .days,
      .unix,
      .unixms, .today, .now:
      return try call.day()
    case .keys, .type, .has: return try call.json()
    case .hash, .uuid: return call.identity()
    }
  }

  /// The text of an operand.
  ///
  /// - Throws: `SyntaxProblem` for values of other types.
  func textOperand(_ part: CompiledPart, of name: String) throws(SyntaxProblem) -> Operand<
    String
  > {
    guard [.text, .json, .null].contains(part.type) else {
      throw error(
        "\(name) needs text, found \(part.type.rawValue); write text(\(source(part.node)))",
        at: part.node.source.lowerBound
      )
    }
    return { [evaluation = part.evaluation] row throws(ExpressionFailure) in
      switch try evaluation(row) {
      case .value(.text(let text)): return text
      case .value(.null): return nil
      case let other:
        throw ExpressionFailure(
          "\(Value.quoted(other.text)) is \(other.type.rawValue); \(name) needs text"
        )
      }
    }
  }
}

/// A call of a function whose values have known types.
struct ExpressionCall {
  let compiler: ExpressionCompiler
  let node: ValueExpression
  let function: ExpressionFunction
  let values: [CompiledPart]

  var name: String { function.rawValue }

  func error(_ message: String, _ place: Int) -> SyntaxProblem {
    compiler.error(message, at: values[place].node.source.lowerBound)
  }

  func result(_ type: ExpressionType, _ evaluation: @escaping Evaluation) -> CompiledPart {
    compiler.failing(node, type, evaluation)
  }

  // MARK: Operands

  func text(_ place: Int) throws(SyntaxProblem) -> Operand<String> {
    try compiler.textOperand(values[place], of: name)
  }

  func whole(_ place: Int) throws(SyntaxProblem) -> Operand<Int> {
    let part = values[place]
    guard [.integer, .json, .null].contains(part.type) else {
      throw error("\(name) needs a whole number, found \(part.type.rawValue)", place)
    }
    return { [name] row throws(ExpressionFailure) in
      switch try part.evaluation(row) {
      case .value(.integer(let number)): return Int(number)
      case .value(.null): return nil
      case let other:
        throw ExpressionFailure(
          "\(Value.quoted(other.text)) is \(other.type.rawValue); \(name) needs a whole number"
        )
      }
    }
  }

  func number(_ place: Int) throws(SyntaxProblem) -> Operand<Value> {
    let part = values[place]
    guard part.type.isNumeric || part.type == .json || part.type == .null else {
      let source = compiler.source(part.node)
      let hint = part.type == .text ? "; write number(\(source)) or decimal(\(source))" : ""
      throw error("\(name) needs a number, found \(part.type.rawValue)\(hint)", place)
    }
    return { [name] row throws(ExpressionFailure) in
      let computed = try part.evaluation(row)
      guard case .value(let value) = computed, computed.type.isNumeric || computed.isNull else {
        throw ExpressionFailure(
          "\(Value.quoted(computed.text)) is \(computed.type.rawValue); \(name) needs a number"
        )
      }
      return value.isNull ? nil : value
    }
  }

  /// The operand of a value that is not given.
  func always<Value: Sendable>(_ value: Value) -> Operand<Value> {
    { _ throws(ExpressionFailure) in value }
  }

  /// A word in quotes that is known before any record is read; nil if it is not given.
  func option(_ place: Int, among words: [String]) throws(SyntaxProblem) -> String? {
    guard values.count > place else { return nil }
    let option = try literal(place)
    guard words.contains(option) else {
      throw error(
        "\(name): unknown option \(Value.quoted(option)); use \(words.joined(separator: " or "))",
        place
      )
    }
    return option
  }

  /// A text in quotes or a parameter.
  func literal(_ place: Int) throws(SyntaxProblem) -> String {
    guard let text = values[place].node.literalText else {
      throw error("\(name) needs a text in quotes or a $NAME", place)
    }
    return text
  }

  /// A result that is computed of all values, and null if one of them is.
  func strict(
    _ type: ExpressionType,
    _ body: @escaping @Sendable ([Computed]) throws(ExpressionFailure) -> Computed
  )
    -> CompiledPart
  {
    result(type) { [values] row throws(ExpressionFailure) in
      var computed: [Computed] = []
      for value in values {
        let next = try value.evaluation(row)
        computed.append(next)
      }
      return computed.contains { $0.isNull } ? .null : try body(computed)
    }
  }

  // MARK: JSON

  fileprivate func json() throws(SyntaxProblem) -> CompiledPart {
    switch function {
    case .keys:
      return strict(.json) { values throws(ExpressionFailure) in
        guard case .value(.json(let text)) = values[0], text.utf8.first == UInt8(ascii: "{") else {
          throw ExpressionFailure("is not an object")
        }
        return .value(
          .json(JSONElements.array(JSONElements(text).members.map { JSONText.quoted($0.name) }))
        )
      }
    case .type:
      let type = values[0].type
      return strict(.text) { values throws(ExpressionFailure) in
        guard case .value(.json(let text)) = values[0] else {
          return .value(.text((type == .json ? values[0].type : type).rawValue))
        }
        return .value(.text(text.utf8.first == UInt8(ascii: "{") ? "object" : "array"))
      }
    default:
      return strict(.boolean) { values throws(ExpressionFailure) in
        guard case .value(.json(let text)) = values[0] else { return .value(.boolean(false)) }
        let content = JSONElements(text)
        let wanted = values[1]
        if content.isObject {
          return .value(.boolean(content.members.contains { $0.name == wanted.text }))
        }
        let order = ComputedOrder(.equal, [], areFields: false)
        for element in content.elements where try order(.value(Value(element)), wanted) {
          return .value(.boolean(true))
        }
        return .value(.boolean(false))
      }
    }
  }
}

/// The elements of a JSON array, or the members of an object.
struct JSONElements {
  var isObject = false
  var members: [(name: String, value: JSONReader.Item)] = []
  var elements: [JSONReader.Item] = []

  /// Reads the text of an array or an object, which is valid.
  init(_ text: String) {
    var reader = JSONReader(Array(text.utf8))
    isObject = reader.isAtObject
    if isObject {
      try? reader.forEachMember { members.append(($0, try $1.next())) }
    } else {
      try? reader.forEachElement { elements.append(try $0.next()) }
    }
  }

  /// The text of an array.
  static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }
}
