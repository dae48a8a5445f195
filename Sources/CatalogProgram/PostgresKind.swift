import OpenSwiftData
import PostgresStores

extension StoreKind {
  /// A PostgreSQL database; after `#` a schema, a table, or `SCHEMA.TABLE`.
  public static let postgres = StoreKind(
    name: "postgres",
    schemes: ["postgres", "postgresql"],
    open: { url, opening in
      try ModelContainer(
        configurations: PostgresConfiguration(
          url,
          schema: opening.schema,
          allowsSave: !opening.isReadOnly,
          lockTimeoutSeconds: opening.lockTimeoutSeconds ?? 5
        )
      )
    }
  ).naming(.entity)
}
