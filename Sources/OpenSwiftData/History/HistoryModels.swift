/// Converts the changes of a history to changes with model classes.
struct HistoryModels: Sendable {
  /// The schema that names the classes.
  let schema: Schema

  /// The changes of a transaction in the order inserted, updated, deleted.
  func changes(_ changes: ChangeSet, transaction: Int64) -> [HistoryChange] {
    var number: Int64 = 0
    func next() -> Int64 {
      number += 1
      return number
    }
    return changes.inserted.map { insert($0, transaction, next()) }
      + changes.updated.map { update($0, transaction, next()) }
      + changes.deleted.map { delete($0, transaction, next()) }
  }

  private func modelType(of identifier: PersistentIdentifier) -> any PersistentModel.Type {
    schema.entitiesByName[identifier.entityName]?.modelType ?? Record.self
  }

  private func insert(_ snapshot: DefaultSnapshot, _ transaction: Int64, _ number: Int64)
    -> HistoryChange
  {
    func open<T: PersistentModel>(_ type: T.Type) -> HistoryChange {
      .insert(
        DefaultHistoryInsert<T>(
          transactionIdentifier: transaction,
          changeIdentifier: number,
          changedPersistentIdentifier: snapshot.persistentIdentifier,
          snapshot: snapshot.hasValues ? snapshot : nil
        )
      )
    }
    return open(modelType(of: snapshot.persistentIdentifier))
  }

  private func update(_ update: RecordUpdate, _ transaction: Int64, _ number: Int64)
    -> HistoryChange
  {
    let names = update.changedSlots.map { update.after.layout.names[$0] }
    func open<T: PersistentModel>(_ type: T.Type) -> HistoryChange {
      .update(
        DefaultHistoryUpdate<T>(
          transactionIdentifier: transaction,
          changeIdentifier: number,
          changedPersistentIdentifier: update.persistentIdentifier,
          updatedAttributes: names.compactMap { PropertyKeyPath<T>(named: $0)?.sendable },
          values: update.after.hasValues ? update : nil
        )
      )
    }
    return open(modelType(of: update.persistentIdentifier))
  }

  private func delete(_ snapshot: DefaultSnapshot, _ transaction: Int64, _ number: Int64)
    -> HistoryChange
  {
    let entity = schema.entitiesByName[snapshot.persistentIdentifier.entityName]
    func open<T: PersistentModel>(_ type: T.Type) -> HistoryChange {
      .delete(
        DefaultHistoryDelete<T>(
          transactionIdentifier: transaction,
          changeIdentifier: number,
          changedPersistentIdentifier: snapshot.persistentIdentifier,
          tombstone: HistoryTombstone(of: snapshot, entity)
        )
      )
    }
    return open(modelType(of: snapshot.persistentIdentifier))
  }
}

/// The key path of a property, found by its name.
struct PropertyKeyPath<Model: PersistentModel> {
  typealias SendableKeyPath = any PartialKeyPath<Model> & Sendable

  let keyPath: PartialKeyPath<Model>

  /// Nil when the class has no such property.
  init?(named name: String) {
    if Model.self == Record.self {
      guard let own = \Record[attribute: name] as PartialKeyPath<Record> as? PartialKeyPath<Model>
      else { return nil }
      keyPath = own
    } else {
      let description: ModelDescription = ModelDescription.of(Model.self)
      guard let slot = description.entity.layout.slot(of: name),
        let own = description.keyPaths[slot] as? PartialKeyPath<Model>
      else { return nil }
      keyPath = own
    }
  }

  /// The same key path as a `Sendable` type.
  ///
  /// Safe, because a key path never changes, and key paths of properties capture only names.
  var sendable: SendableKeyPath { unsafeBitCast(keyPath, to: SendableKeyPath.self) }
}

extension HistoryTombstone {
  /// Creates the tombstone with the preserved values; for a record without a Swift type, with all values.
  init(of snapshot: DefaultSnapshot, _ entity: Schema.Entity?) {
    let kept = snapshot.layout.names.filter { name in
      guard Model.self != Record.self else { return true }
      return entity?.fieldsByName[name]?.options.contains(.preserveValueOnDeletion) ?? false
    }
    guard let entity, !kept.isEmpty else {
      self.init([])
      return
    }
    let model = Model(persistentState: snapshot.detachedState(of: entity, type: Model.self))
    self.init(
      kept.compactMap { name in
        PropertyKeyPath<Model>(named: name).map { property in
          // Safe, because the value was just created from a snapshot and has no other owner. The cast is done
          // on an array, because the compiler would open a single existential.
          let value: [Any] = [model[keyPath: property.keyPath]]
          return (property.keyPath, unsafeBitCast(value, to: [any Sendable].self)[0])
        }
      }
    )
  }
}
