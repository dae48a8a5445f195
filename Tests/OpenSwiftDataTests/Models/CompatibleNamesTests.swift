import SwiftData
import Testing

/// Names that programs written for SwiftData use, and that have better alternatives here.
struct CompatibleNamesTests {
  @Test func deleteAllDataRemovesEveryRecord() throws {
    let context = try TypedFixture.context()
    context.insert(Book(title: "1"))
    context.insert(Trip(name: "Alps"))
    try context.save()
    (context.container as any DataDeleting).deleteAllData()
    let other = ModelContext(context.container)
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 0)
    #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 0)
  }

  @Test func transformableValuesAreThoseOfTheProperty() throws {
    let context = try TypedFixture.context()
    let sample = Sample(code: "1")
    context.insert(sample)
    var backing = sample.persistentBackingData
    backing.setTransformableValue(forKey: \.note, to: "text")
    backing.setTransformableValue(forKey: \.mood, to: .wild)
    backing.setTransformableValue(forKey: \.tags, to: ["a"])
    backing.setTransformableValue(forKey: \.count, to: 7)
    try context.save()
    let found = try #require(
      try ModelContext(context.container).fetch(FetchDescriptor<Sample>()).first
    )
    #expect(found.note == "text" && found.mood == .wild && found.tags == ["a"] && found.count == 7)
    backing = found.persistentBackingData
    #expect(backing.getTransformableValue(forKey: \.note) == "text")
    #expect(backing.getTransformableValue(forKey: \.mood) == .wild)
    #expect(backing.getTransformableValue(forKey: \.tags) == ["a"])
  }

  @Test func entitiesTakeTheirPropertiesOneByOne() {
    let part = Schema.Entity("Part")
    let entity = Schema.Entity(
      "Machine",
      subentities: part,
      properties: Schema.Attribute(name: "name", valueType: String.self)
    )
    #expect(entity.fields.map(\.name) == ["name"])
    #expect(entity.subentities.map(\.name) == ["Part"])
  }

  @Test func schemasHaveTheTypesOfApple() throws {
    let schema = Schema([Ware.self])
    let ware = try #require(schema.entity(for: Ware.self))
    let attributes: Set<Schema.Attribute> = ware.attributes
    let relationships: Set<Schema.Relationship> = ware.relationships
    let subentities: Set<Schema.Entity> = ware.subentities
    #expect(attributes.map(\.name).sorted() == ["code", "price", "title"])
    #expect(relationships.map(\.name).sorted() == ["badge", "pieces", "producer"])
    #expect(subentities.isEmpty)
    let index = Schema.Index<Ware>([\.code], [\.title, \.price])
    let paths = index.indices.map { type in
      if case .binary(let paths) = type { paths.count } else { 0 }
    }
    #expect(paths == [1, 2])
  }

  @Test func defaultsAreThoseOfTheDeclaration() throws {
    let entity = try #require(Schema([Sample.self]).entity(for: Sample.self))
    let attributes = entity.attributesByName
    #expect(attributes["count"]?.defaultValue as? Int == 0)
    #expect(attributes["flag"]?.defaultValue as? Bool == false)
    #expect(attributes["mood"]?.defaultValue as? Mood == .calm)
    #expect(attributes["address"]?.defaultValue as? Address == Address(street: "", unit: nil))
    for name in ["code", "note", "wish"] {
      let attribute = try #require(attributes[name])
      if let value = attribute.defaultValue { Issue.record("\(name) has the default \(value)") }
    }
  }

  /// A value that can only be read.
  private struct Reading: Decodable { var number: Int }

  /// Compiles: reading needs `Decodable`, writing `Encodable`.
  private func valuesNeedOnlyHalfOfCodable<T: PersistentModel>(
    _ model: T,
    reading: KeyPath<T, Reading>,
    writing: KeyPath<T, Writing>
  ) {
    let value: Reading = model.getValue(forKey: reading)
    model.setValue(forKey: writing, to: Writing(number: value.number))
  }

  private struct Writing: Encodable { var number: Int }

  @Test func hintsOfAFetchChangeNoResult() throws {
    let context = try TypedFixture.context()
    let first = Book(title: "1")
    first.sequel = Book(title: "2")
    context.insert(first)
    try context.save()
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title, comparator: .lexical)])
    descriptor.propertiesToFetch = [\.title]
    descriptor.relationshipKeyPathsForPrefetching = [\.sequel]
    let found = try ModelContext(context.container).fetch(descriptor)
    #expect(found.map(\.title) == ["1", "2"] && found.first?.sequel === found.last)
  }
}

/// Calls the deprecated name without a warning.
private protocol DataDeleting { func deleteAllData() }
extension ModelContainer: DataDeleting {}
