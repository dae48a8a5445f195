import Foundation
public import OpenSwiftData

extension ModelContainer {
  /// Opens the default store for these models and all models that they refer to.
  ///
  /// Without a configuration, the store is in the program's data folder; see `ModelConfiguration`.
  ///
  /// - Throws: The error of a configuration or a store.
  public convenience init(
    for types: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: Schema(types),
      migrationPlan: migrationPlan,
      configurations: configurations
    )
  }

  /// Opens the default store for a schema.
  ///
  /// - Throws: The error of a configuration or a store.
  public convenience init(
    for schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the default store for a schema.
  ///
  /// - Throws: `SwiftDataError.duplicateConfiguration` if two have the same file; the error of a
  ///   store.
  public convenience init(
    for schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    let all = configurations.isEmpty ? [ModelConfiguration()] : configurations
    try Self.checkPlaces(of: all)
    try self.init(
      for: schema,
      migrationPlan: migrationPlan,
      configurations: all as [any DataStoreConfiguration]
    )
  }

  /// The configurations of the default stores; `allConfigurations` also includes those of other
  /// stores.
  public var configurations: Set<ModelConfiguration> {
    Set(allConfigurations.compactMap { $0 as? ModelConfiguration })
  }

  private static func checkPlaces(of configurations: [ModelConfiguration]) throws {
    var names: [String: String] = [:]
    for configuration in configurations where !configuration.isStoredInMemoryOnly {
      let path = configuration.url.standardizedFileURL.path
      if let other = names.updateValue(configuration.name, forKey: path) {
        throw SwiftDataError.duplicateConfiguration.about(
          "configurations \(Value.quoted(other)) and \(Value.quoted(configuration.name)): "
            + "both use the file \(path); give one of them a different name or URL"
        )
      }
    }
  }
}
