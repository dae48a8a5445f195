import OpenSwiftData

extension StoreConformance {
  /// A case for stores that migrate all their records in one step.
  private static func migration(
    _ claim: String,
    needs: Promises = [],
    _ body:
      @escaping @Sendable (ConformanceTrial, any MigratableStore, SchemaMigration) throws ->
      Void
  ) -> Case {
    Case(claim, needs: needs.union(.migration)) { trial in
      guard let store = try trial.filledUntyped() as? any MigratableStore else {
        return trial.note("a store that migrates does not declare MigratableStore")
      }
      guard let migration = try store.migration(to: newSchema) else {
        return trial.note("there is nothing to migrate: \(store.schema)")
      }
      try body(trial, store, migration)
    }
  }

  /// The schema of the cases after several changes at once.
  private static let newSchema: Schema = {
    let kept = Fixture.entity(Fixture.film).fields.filter { !["title", "notes"].contains($0.name) }
    let added: [Schema.Attribute] = [
      .init("name", .text, isOptional: false, originalName: "title"),
      .init("stars", .integer, isOptional: false, defaultValue: .integer(3)),
    ]
    return Schema(
      Schema.Entity(Fixture.film, attributes: kept + added),
      Fixture.entity(Fixture.person),
      Schema.Entity("Award", attributes: [.init("title", .text)])
    )
  }()

  static let migrationCases: [Case] = [
    migration("migrateReplacesTheSchemaAndTheRecords") { trial, store, migration in
      let expected = migration.migrated(try store.all())
      try store.migrate(migration, author: "ann")
      trial.expectEqual(store.schema, migration.schema, "the schema")
      trial.expectEqual(try store.all(), expected, "the films")
      trial.expectEqual(try store.all("Award"), [], "the records of a new entity")
      try store.update(expected[0].persistentIdentifier, ["name": .text("new")])
      let again = try trial.reopened(store)
      trial.expectEqual(again.schema, migration.schema, "the schema after reopening")
      let names = try again.all().map { $0["name"] }
      trial.expectEqual(
        names,
        [.text("new")] + expected.dropFirst().map { $0["name"] },
        "the names after reopening"
      )
    },
    migration("aMigrationIsOneTransaction", needs: .history) { trial, store, migration in
      let last = try store.history(after: nil).last?.token
      try store.migrate(migration, author: "ann")
      let found = try store.history(after: last)
      trial.expectEqual(found.count, 1, "the number of transactions of a migration")
      trial.expect(found.first?.schemaChange != nil, "the transaction has no change of the schema")
      trial.expectEqual(found.map(\.author), ["ann"], "the author")
    },
    migration("aMigrationForAnotherSchemaIsRefused") { trial, store, migration in
      try store.apply(.addAttribute(entity: Fixture.film, .init("remark", .text)), author: nil)
      try trial.expectRefusal(.conflict, of: "a migration for a former schema", by: store) {
        try store.migrate(migration, author: nil)
      }
    },
    migration("aMigrationForOtherRecordsIsRefused") { trial, store, migration in
      guard migration.token != nil else { return }
      try store.update(store.all()[0].persistentIdentifier, ["year": .integer(1)])
      try trial.expectRefusal(.conflict, of: "a migration for former records", by: store) {
        try store.migrate(migration, author: nil)
      }
    },
  ]
}
