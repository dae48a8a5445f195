import Foundation
import OpenSwiftData
import SwiftData
import Testing

/// Every type of attribute is read back unchanged.
struct AttributeTests {
  private func filled() -> Sample {
    let sample = Sample(code: "ä1")
    sample.flag = true
    sample.tiny = .min
    sample.small = .max
    sample.medium = .min
    sample.large = .max
    sample.count = -5
    sample.byte = .max
    sample.word = .max
    sample.unsigned = .max
    sample.huge = .max
    sample.ratio = 0.1
    sample.narrow = 0.1
    sample.price = Decimal(string: "12345678901234567890.12") ?? 0
    sample.moment = Date(timeIntervalSinceReferenceDate: 12345.678901)
    sample.token = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? UUID()
    sample.link = URL(string: "https://example.org/a?b=c#d")
    sample.bytes = Data([0, 255, 128])
    sample.note = "line\nbreak"
    sample.limit = 0
    sample.tags = ["b", "a", "a"]
    sample.scores = ["x": 1, "": -1]
    sample.address = Address(street: "Nørregade", unit: nil)
    sample.former = Address(street: "s", unit: "u")
    sample.mood = .wild
    sample.wish = .calm
    return sample
  }

  private func check(_ sample: Sample) {
    let expected = filled()
    #expect(sample.code == expected.code)
    #expect(sample.flag == expected.flag)
    #expect(sample.tiny == .min && sample.small == .max && sample.medium == .min)
    #expect(sample.large == .max && sample.count == -5)
    #expect(sample.byte == .max && sample.word == .max)
    #expect(sample.unsigned == .max && sample.huge == .max)
    #expect(sample.ratio == 0.1 && sample.narrow == 0.1)
    #expect(sample.price == expected.price)
    #expect(sample.moment == expected.moment)
    #expect(sample.token == expected.token)
    #expect(sample.link == expected.link)
    #expect(sample.bytes == expected.bytes)
    #expect(sample.note == expected.note && sample.limit == 0)
    #expect(sample.tags == expected.tags && sample.scores == expected.scores)
    #expect(sample.address == expected.address && sample.former == expected.former)
    #expect(sample.mood == .wild && sample.wish == .calm)
  }

  @Test func attributesOfAModelWithoutContextReadAsWritten() { check(filled()) }

  @Test func attributesReadAsWrittenInAnotherContext() throws {
    let container = try TypedFixture.container()
    let context = ModelContext(container)
    context.insert(filled())
    try context.save()
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Sample>())
    #expect(found.count == 1)
    for sample in found { check(sample) }
  }

  @Test func optionalsCanBeTakenBackToNil() throws {
    let container = try TypedFixture.container()
    let context = ModelContext(container)
    let sample = filled()
    context.insert(sample)
    try context.save()
    sample.note = nil
    sample.limit = nil
    sample.former = nil
    sample.wish = nil
    sample.link = nil
    try context.save()
    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Sample>()).first)
    #expect(found.note == nil && found.limit == nil && found.former == nil)
    #expect(found.wish == nil && found.link == nil)
  }

  @Test func transientValuesStayInTheirObject() throws {
    let container = try TypedFixture.container()
    let context = ModelContext(container)
    let sample = filled()
    sample.scratch = "kept"
    context.insert(sample)
    try context.save()
    #expect(sample.scratch == "kept")
    #expect(try context.fetch(FetchDescriptor<Sample>()).first?.scratch == "kept")
    #expect(try ModelContext(container).fetch(FetchDescriptor<Sample>()).first?.scratch == "fresh")
  }
}
