import OpenSwiftData

extension StoreConformance {
  /// A case for stores that promise schema changes; other stores do not declare them, or refuse
  /// them.
  private static func schemaCase(
    _ claim: String,
    _ body: @escaping @Sendable (ConformanceTrial, any SchemaChangingStore) throws -> Void
  ) -> Case {
    Case(claim, needs: .schemaChanges, isRefusedOtherwise: true) { trial in
      guard trial.promises(.schemaChanges) else {
        guard let store = try trial.filled() as? any SchemaChangingStore else { return }
        let change = SchemaChange.dropAttribute(entity: Fixture.film, name: "notes")
        return try trial.expectRefusal(.unsupported, of: "changing the schema", by: store) {
          try store.apply(change, author: nil)
        }
      }
      guard let store = try trial.filledUntyped() as? any SchemaChangingStore else {
        return trial.note("a store whose schema can change does not declare SchemaChangingStore")
      }
      try body(trial, store)
    }
  }

  static let schemaCases: [Case] = [
    schemaCase("aNewEntityTakesRecords") { trial, store in
      let entity = Schema.Entity(
        "Award",
        attributes: [.init("title", .text, isOptional: false), .init("film", .link(Fixture.film))]
      )
      try store.apply(.createEntity(entity), author: nil)
      trial.expectEqual(store.schema.entities.map(\.name), ["Film", "Person", "Award"], "entities")
      trial.expectEqual(try store.all("Award"), [], "the awards")
      let film = try store.all()[0].persistentIdentifier
      let award = Fixture.new(
        "Award",
        1,
        Fixture.title("Best", ["film": .link(film)]),
        in: store.schema
      )
      try store.commit(ChangeSet(inserted: [award]), author: nil).check()
      let again = try trial.reopened(store)
      trial.expectEqual(try again.all("Award").map { $0["film"] }, [.link(film)], "the awards")
    },
    schemaCase("aNewAttributeGivesEveryRecordItsDefault") { trial, store in
      let attribute = Schema.Attribute(
        "stars",
        .integer,
        isOptional: false,
        defaultValue: .integer(3)
      )
      let before = try store.all()
      try store.apply(.addAttribute(entity: Fixture.film, attribute), author: nil)
      try store.apply(.addAttribute(entity: Fixture.film, .init("remark", .text)), author: nil)
      let expected = before.map { $0.orderedValues + [.integer(3), .null] }
      trial.expectEqual(try store.all().map(\.orderedValues), expected, "the values")
      try trial.compare(store, filter: .compare("stars", .greater, .integer(2)))
      try store.update(before[0].persistentIdentifier, ["stars": .integer(5)])
      let again = try trial.reopened(store)
      trial.expectEqual(again.schema, store.schema, "the schema after reopening")
      trial.expectEqual(try again.all()[0]["stars"], .integer(5), "a changed value")
      trial.expectEqual(try again.all()[1]["stars"], .integer(3), "a default")
    },
    schemaCase("aRenamedAttributeKeepsItsValues") { trial, store in
      let before = try store.all()
      try store.apply(
        .renameAttribute(entity: Fixture.film, from: "title", to: "name"),
        author: nil
      )
      let after = try store.all()
      trial.expectEqual(after.map { $0["name"] }, before.map { $0["title"] }, "the values")
      trial.expectEqual(after.first?["title"], nil, "the value under the former name")
      try store.update(before[0].persistentIdentifier, ["name": .text("renamed")])
      let again = try trial.reopened(store)
      trial.expectEqual(again.schema, store.schema, "the schema after reopening")
      trial.expectEqual(try again.all()[0]["name"], .text("renamed"), "a changed value")
    },
    schemaCase("aDroppedAttributeIsGone") { trial, store in
      let before = try store.all()
      try store.apply(.dropAttribute(entity: Fixture.film, name: "year"), author: nil)
      let after = try store.all()
      trial.expectEqual(after.map { $0["year"] }, before.map { _ in nil }, "the dropped values")
      trial.expectEqual(after.map { $0["gross"] }, before.map { $0["gross"] }, "other values")
      try trial.expectRefusal(.unknownAttribute, of: "a filter over it", by: store) {
        _ = try store.snapshots(matching: Query(Fixture.film, filter: .isNull("year")))
      }
      try store.apply(
        .addAttribute(entity: Fixture.film, .init("year", .text)),
        author: nil
      )
      let again = try trial.reopened(store)
      trial.expectEqual(try again.all().map { $0["year"] }, before.map { _ in .null }, "a new one")
    },
    schemaCase("impossibleChangesOfTheSchemaAreRefused") { trial, store in
      let film = Fixture.film
      let changes: [(PersistenceError.Code, SchemaChange)] = [
        (.invalidSchema, .createEntity(Fixture.entity(film))),
        (.invalidSchema, .createEntity(.init("A", attributes: [.init("b", .link("Nothing"))]))),
        (.invalidSchema, .createEntity(.init("", attributes: []))),
        (.unknownEntity, .addAttribute(entity: "Nothing", .init("a", .text))),
        (.invalidSchema, .addAttribute(entity: film, .init("title", .text))),
        (.invalidSchema, .addAttribute(entity: film, .init("a", .text, isOptional: false))),
        (.unknownAttribute, .renameAttribute(entity: film, from: "nothing", to: "a")),
        (.invalidSchema, .renameAttribute(entity: film, from: "title", to: "year")),
        (.unknownAttribute, .dropAttribute(entity: film, name: "nothing")),
      ]
      for (code, change) in changes {
        try trial.expectRefusal(code, of: "\(change)", by: store) {
          try store.apply(change, author: nil)
        }
      }
    },
    schemaCase("changesOfTheSchemaStandInTheHistory") { trial, store in
      guard trial.promises(.history) else { return }
      let last = try store.history(after: nil).last?.token
      let change = SchemaChange.renameAttribute(entity: Fixture.film, from: "notes", to: "remarks")
      try store.apply(change, author: "ann")
      let found = try store.history(after: last)
      trial.expectEqual(found.map(\.schemaChange), [change], "the change")
      trial.expectEqual(found.map(\.author), ["ann"], "the author")
      guard trial.promises(.lastingHistory) else { return }
      let again = try trial.reopened(store).history(after: last)
      trial.expectEqual(again.map(\.schemaChange), [change], "the change after reopening")
    },
  ]
}
