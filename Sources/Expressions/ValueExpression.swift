package import OpenSwiftData

/// What a value is computed from: fields, literals, arithmetic, functions and conditions.
///
/// `ExpressionParser` makes it of a text such as `round(price * 1.1, 2)`, and `CompiledExpression` checks its types and
/// evaluates it. Names of fields are those of the entity, and every part knows its place in the text.
package struct ValueExpression: Sendable {
  /// A part with its own parts.
  package indirect enum Kind: Sendable {
    case literal(Literal)
    /// A field, by its number among those of the scope.
    case field(Int)
    /// The identifier of the record.
    case identifier
    /// A value inside JSON.
    case path(ValueExpression, JSONPath)
    /// What is at a path in each element of a JSON array: `items[*].price`.
    case elements(ValueExpression, JSONPath)
    case negated(ValueExpression)
    case arithmetic(Arithmetic, ValueExpression, ValueExpression)
    /// The left side, or without a value the right one.
    case fallback(ValueExpression, ValueExpression)
    /// The value after the first condition that is true, or the last value.
    case conditional([Branch], otherwise: ValueExpression)
    case comparison(Filter.Comparison, TextMatch.Options, ValueExpression, ValueExpression)
    case isNull(ValueExpression)
    case isIn(ValueExpression, [ValueExpression])
    case isInFile(ValueExpression, ListedColumn)
    case between(ValueExpression, ValueExpression, ValueExpression)
    case text(TextMatch.Operation, TextMatch.Options, ValueExpression, ValueExpression)
    case not(ValueExpression)
    case and([ValueExpression])
    case or([ValueExpression])
    case call(ExpressionFunction, [ValueExpression])
    /// A function of several records.
    case summary(SummaryFunction, [ValueExpression])
    /// What a list calls by a name, by its number among the names of the scope.
    case named(Int)
  }

  /// A condition and the value that it leads to.
  package struct Branch: Sendable {
    let condition: ValueExpression
    let value: ValueExpression
  }

  /// A value that is written in the text.
  package enum Literal: Sendable {
    case null
    case boolean(Bool)
    /// An integer or a decimal, as it is written.
    case number(Value, text: String)
    /// A text in quotes or a parameter: beside a value of another type it is read as one of that type.
    case text(String)
    case date(CalendarDate)
    case datetime(Value)
    case duration(CalendarDuration)
  }

  /// An operator of numbers, days and durations.
  package enum Arithmetic: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case divideDown = "//"
    case remainder = "%"
  }

  package let kind: Kind
  /// The place in the text, in bytes.
  package let source: Range<Int>
  /// The place of the operator, where an error of its types is; the start for other parts.
  let mark: Int

  init(_ kind: Kind, _ source: Range<Int>, mark: Int? = nil) {
    (self.kind, self.source) = (kind, source)
    self.mark = mark ?? source.lowerBound
  }

  /// True if a part is computed: by an operator, a function or a condition.
  package var isComputed: Bool {
    switch kind {
    case .negated, .arithmetic, .fallback, .conditional, .call, .summary, .isInFile, .elements: true
    default: parts.contains(where: \.isComputed)
    }
  }

  /// True for a comparison or anything else that is true or false.
  package var isCondition: Bool {
    switch kind {
    case .comparison, .isNull, .isIn, .isInFile, .between, .text, .not, .and, .or: true
    default: false
    }
  }

  /// True if something is computed from fields, or by a function.
  package var isComputation: Bool { isComputed && usesRecord }

  /// The fields that it uses, by their numbers among those of the scope.
  package var usedFields: Set<Int> {
    if case .field(let place) = kind { return [place] }
    return parts.reduce(into: []) { $0.formUnion($1.usedFields) }
  }

  private var usesRecord: Bool {
    switch kind {
    case .field, .identifier, .call, .summary: true
    default: parts.contains(where: \.usesRecord)
    }
  }

  /// The parts that it is made of.
  var parts: [ValueExpression] {
    switch kind {
    case .literal, .field, .identifier, .named: []
    case .path(let part, _), .elements(let part, _), .negated(let part), .isNull(let part),
      .not(let part),
      .isInFile(let part, _):
      [part]
    case .arithmetic(_, let left, let right), .fallback(let left, let right),
      .comparison(_, _, let left, let right), .text(_, _, let left, let right):
      [left, right]
    case .conditional(let branches, let otherwise):
      branches.flatMap { [$0.condition, $0.value] } + [otherwise]
    case .isIn(let left, let items): [left] + items
    case .between(let left, let low, let high): [left, low, high]
    case .and(let parts), .or(let parts), .call(_, let parts), .summary(_, let parts): parts
    }
  }

  /// True for `tags[*]`, which has several values.
  var hasElements: Bool { if case .elements = kind { true } else { false } }

  /// The text of a literal text; nil for anything else.
  var literalText: String? {
    if case .literal(.text(let text)) = kind { text } else { nil }
  }
}

/// What the names in an expression mean.
package struct ExpressionScope: Sendable {
  /// A field of the records.
  package struct Field: Sendable {
    let name: String
    let type: ExpressionType

    /// Creates a field.
    package init(_ name: String, _ type: ExpressionType) { (self.name, self.type) = (name, type) }
  }

  /// The name of the entity, for messages.
  package var entityName: String
  /// The fields, in the order of the values of a record.
  package var fields: [Field]
  /// The values beside the text, by name; nil for null.
  package var parameters: [String: String?]
  /// The moment of the command, the same for all records.
  package var now: Value
  /// The day of the user at that moment.
  package var today: CalendarDate
  /// What the random values of the command are made from.
  package var randomNumber: UInt64 = 0

  /// True if `id` is the identifier of a record.
  package var hasIdentifier = true
  /// The names that a list gives to its keys and columns, which hide fields of the same name.
  package var names: [String] = []
  /// The columns of files that conditions may ask for, by how they are written: `FILE:COLUMN`.
  package var columns: [String: ListedColumn] = [:]

  /// Creates a scope.
  package init(
    entityName: String,
    fields: [Field],
    parameters: [String: String?] = [:],
    now: Value,
    today: CalendarDate
  ) {
    (self.entityName, self.fields, self.parameters) = (entityName, fields, parameters)
    (self.now, self.today) = (now, today)
  }

  /// The number of the field with exactly this name.
  package func place(ofField name: String) -> Int? { fields.firstIndex { $0.name == name } }

  /// The name of a field, by its number.
  package func fieldName(at place: Int) -> String { fields[place].name }

  /// The number of the field with exactly this name, or with it in other letters if there is only one.
  func field(named name: String) -> Int? {
    if let exact = place(ofField: name) { return exact }
    let lowered = name.lowercased()
    let alike = fields.indices.filter { fields[$0].name.lowercased() == lowered }
    return alike.count == 1 ? alike[0] : nil
  }
}

/// The type of an expression, known before any record is read.
package enum ExpressionType: String, Sendable {
  case null
  case boolean
  case integer
  case decimal
  case number
  case text
  case date
  case datetime
  case uuid
  /// JSON, whose content takes part: the type is known for each record.
  case json
  case link
  case links
  /// A length of time; no field has it.
  case duration

  /// The type of values of a kind.
  package init(_ kind: ValueKind) {
    self =
      switch kind {
      case .text: .text
      case .integer: .integer
      case .number: .number
      case .decimal: .decimal
      case .boolean: .boolean
      case .date: .date
      case .datetime: .datetime
      case .uuid: .uuid
      case .json: .json
      case .link: .link
      case .links: .links
      }
  }

  var isNumeric: Bool { self == .integer || self == .decimal || self == .number }
}
