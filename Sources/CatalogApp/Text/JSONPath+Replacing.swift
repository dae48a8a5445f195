package import OpenSwiftData

extension JSONPath {
  /// The JSON with another value at the end of the path; objects that are missing on the way are added.
  ///
  /// - Throws: `CommandError` for an element that an array does not have, and for a step into another kind of value.
  package func replacing(in json: String?, with new: String) throws(CommandError) -> String {
    try Self.replacing(steps[...], in: json, with: new)
  }

  private static func replacing(_ steps: ArraySlice<Step>, in json: String?, with new: String)
    throws(CommandError) -> String
  {
    guard let step = steps.first else { return new }
    let json = json == "null" ? nil : json
    var scanner = JSONMemberScanner(json ?? "{}")
    if json != nil || step.isMember, scanner.enter(step) {
      let inner = try replacing(steps.dropFirst(), in: scanner.value, with: new)
      return scanner.replacingValue(with: inner)
    }
    let inner = try replacing(steps.dropFirst(), in: nil, with: new)
    guard case .member(let name) = step else {
      throw CommandError("the array has no element \(JSONPath([step]).text)", code: .invalidValue)
    }
    let object = json ?? "{}"
    guard object.first == "{" else {
      throw CommandError(
        "\(Value.quoted(Value.shortened(object))) is not an object with a member \(Value.quoted(name))",
        code: .invalidValue
      )
    }
    let isEmpty = object.dropFirst().first == "}"
    return "\(object.dropLast())\(isEmpty ? "" : ",")\(JSONText.quoted(name)):\(inner)}"
  }
}

extension JSONPath.Step {
  fileprivate var isMember: Bool {
    if case .member = self { true } else { false }
  }
}
