/// The cases that tests say they cover.
///
/// The line directly above `@Test`, or above a suite, names them: `/// Covers A01, C04.`, or with
/// two slashes where there is no doc comment.
struct CaseMarkers {
  /// The names of the tests and suites, by case.
  private(set) var tests: [String: Set<String>] = [:]
  /// The lines that cannot be read, each with what to do.
  private(set) var problems: [String] = []

  /// Reads the markers of a source.
  mutating func read(_ source: String, file: String) {
    var suite = ""
    var marker: (text: Substring, line: Int)?
    var isAttached = false
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = line.drop { $0 == " " }
      if let cases = Self.marker(text) {
        if let marker { problems.append(Self.misplaced(file, marker.line)) }
        marker = (cases, index + 1)
        isAttached = false
        continue
      }
      let type = text.startIndex == line.startIndex ? Self.typeName(text) : nil
      if let type { suite = type }
      guard let (cases, number) = marker else { continue }
      isAttached = isAttached || type != nil || text.hasPrefix("@Test") || text.hasPrefix("@Suite")
      guard isAttached else {
        problems.append(Self.misplaced(file, number))
        marker = nil
        continue
      }
      guard let name = type ?? Self.name(in: text, after: "func ").map({ "\(suite).\($0)" })
      else { continue }
      add(cases, name: name, place: "\(file):\(number)")
      marker = nil
    }
    if let marker { problems.append(Self.misplaced(file, marker.line)) }
  }

  private static func misplaced(_ file: String, _ line: Int) -> String {
    "\(file):\(line): move \"Covers\" directly above @Test or a suite"
  }

  private mutating func add(_ cases: Substring, name: String, place: String) {
    let names = cases.dropLast().split(separator: ",").map { $0.drop { $0 == " " } }
    guard cases.hasSuffix("."), !names.isEmpty, names.allSatisfy(Self.isCase) else {
      problems.append("\(place): write the cases as \"Covers A01, C04.\", not \"Covers \(cases)\"")
      return
    }
    for covered in names { tests[String(covered), default: []].insert(name) }
  }

  /// True for a capital letter and two digits.
  static func isCase(_ text: some StringProtocol) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.count == 3 && bytes[0] &- 65 < 26 && bytes[1] &- 48 < 10 && bytes[2] &- 48 < 10
  }

  /// The text after `Covers` in a comment that begins with a case.
  private static func marker(_ line: Substring) -> Substring? {
    guard line.hasPrefix("//") else { return nil }
    let words = line.drop { $0 == "/" }.drop { $0 == " " }
    guard words.hasPrefix("Covers ") else { return nil }
    let cases = words.dropFirst("Covers ".count)
    return isCase(cases.prefix(3)) ? cases : nil
  }

  /// The type that a line at the left margin declares or extends.
  private static func typeName(_ line: Substring) -> String? {
    guard line.first?.isLetter == true || line.first == "@" else { return nil }
    return name(in: line, after: "struct ") ?? name(in: line, after: "extension ")
  }

  private static func name(in line: Substring, after keyword: String) -> String? {
    guard let range = line.firstRange(of: keyword) else { return nil }
    let name = line[range.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return name.isEmpty ? nil : String(name)
  }
}
