import Foundation
import OpenSwiftData
import Stores
import Testing

/// One edit of a file with one line per member changes one line.
@Suite struct JSONOneLineTests {
  /// Records as in Debian's package iso-codes: one key, members sorted by name, some of them in few
  /// records, characters of many scripts.
  private static let samples: [String: [[(String, String)]]] = [
    "3166-1": [
      [("alpha_2", "AW"), ("flag", "🇦🇼"), ("name", "Aruba"), ("numeric", "533")],
      [
        ("alpha_2", "AF"), ("flag", "🇦🇫"), ("name", "Afghanistan"), ("numeric", "004"),
        ("official_name", "Islamic Republic of Afghanistan"),
      ],
      [
        ("alpha_2", "BO"), ("common_name", "Bolivia"), ("flag", "🇧🇴"),
        ("name", "Bolivia, Plurinational State of"), ("numeric", "068"),
      ],
    ],
    "3166-2": [
      [("code", "AD-06"), ("name", "Sant Julià de Lòria"), ("type", "Parish")],
      [("code", "AZ-BAB"), ("name", "Babək"), ("parent", "NX"), ("type", "Rayon")],
      [("code", "VN-26"), ("name", "Thừa Thiên-Huế"), ("type", "Province")],
    ],
    "4217": [
      [("alpha_3", "ALL"), ("name", "Lek"), ("numeric", "008")],
      [("alpha_3", "NIO"), ("name", "Córdoba Oro"), ("numeric", "558")],
      [("alpha_3", "XXX"), ("name", #"no \"currency\" \\ none"#), ("numeric", "999")],
    ],
    "639-3": [
      [("alpha_3", "aaa"), ("name", "Ghotuo"), ("scope", "I"), ("type", "L")],
      [
        ("alpha_3", "aae"), ("inverted_name", "Albanian, Arbëreshë"),
        ("name", "Arbëreshë Albanian"), ("scope", "I"), ("type", "L"),
      ],
      [("alpha_3", "nmn"), ("name", #"\u01C3X\u00F3\u00F5"#), ("scope", "I"), ("type", "L")],
      [("alpha_3", "zza"), ("name", "Zaza; Dimili"), ("scope", "M"), ("type", "L")],
    ],
  ]

  private static func text(of standard: String) -> String {
    let records = (samples[standard] ?? []).map { record in
      let members = record.map { "      \"\($0.0)\": \"\($0.1)\"" }.joined(separator: ",\n")
      return "    {\n\(members)\n    }"
    }
    return "{\n  \"\(standard)\": [\n\(records.joined(separator: ",\n"))\n  ]\n}\n"
  }

  @Test(arguments: samples.keys.sorted())
  func oneEditChangesOneLine(standard: String) throws {
    let text = Self.text(of: standard)
    for place in 0..<(Self.samples[standard]?.count ?? 0) {
      try expectOneLine(editing: text, of: standard, at: place)
    }
  }

  private static let folder = "/usr/share/iso-codes/json"
  private static let isThere = FileManager.default.fileExists(atPath: folder)

  /// The same for the files themselves, if they are installed.
  @Test(
    .enabled(if: isThere, "Debian's package iso-codes is not installed"),
    arguments: ["3166-1", "3166-2", "4217", "639-2", "639-3", "15924"]
  )
  func oneEditInAFileOfIsoCodesChangesOneLine(standard: String) throws {
    let path = "\(Self.folder)/iso_\(standard).json"
    let data = try #require(FileManager.default.contents(atPath: path))
    try expectOneLine(editing: String(decoding: data, as: UTF8.self), of: standard, at: nil)
  }

  /// Edits the record at an index, by default the one in the middle.
  private func expectOneLine(editing before: String, of standard: String, at place: Int?) throws {
    let fixture = try JSONFixture(before, name: "iso.json")
    let store = try fixture.open()
    let records = try store.records(standard)
    try store.commit(
      [.set(place ?? records.count / 2, "name", .text("Ærø"))],
      entity: standard
    )
    let lines = zip(
      before.split(separator: "\n", omittingEmptySubsequences: false),
      try fixture.text.split(separator: "\n", omittingEmptySubsequences: false)
    )
    #expect(lines.filter { $0 != $1 }.map(\.1).map { $0.contains("\"Ærø\"") } == [true])
    #expect(before.split(separator: "\n").count == (try fixture.text).split(separator: "\n").count)
    #expect(try store.check() == [])
  }
}
