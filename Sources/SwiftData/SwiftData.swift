// `import SwiftData` exports only the names of Apple's framework, so that it does not clash with
// modules that have names such as `Record` or `Filter`. The other names of the library need `import
// OpenSwiftData`.
//
// Foundation and Observation are exported as well: many files import only SwiftData and use Date, URL and @Observable.
@_exported public import DefaultStorage
@_exported public import Foundation
@_exported public import Observation
@_exported public import class OpenSwiftData.DataStoreSaveChangesResult
@_exported public import class OpenSwiftData.DefaultSerialModelExecutor
@_exported public import class OpenSwiftData.HistoryObserver
@_exported public import class OpenSwiftData.ModelContainer
@_exported public import class OpenSwiftData.ModelContext
@_exported public import class OpenSwiftData.ResultsObserver
@_exported public import class OpenSwiftData.Schema
@_exported public import enum OpenSwiftData.DataStoreError
@_exported public import enum OpenSwiftData.DataStoreSnapshotCodingKey
@_exported public import enum OpenSwiftData.HistoryChange
@_exported public import enum OpenSwiftData.MigrationStage
@_exported public import protocol OpenSwiftData.BackingData
@_exported public import protocol OpenSwiftData.DataStore
@_exported public import protocol OpenSwiftData.DataStoreBatching
@_exported public import protocol OpenSwiftData.DataStoreConfiguration
@_exported public import protocol OpenSwiftData.DataStoreSnapshot
@_exported public import protocol OpenSwiftData.HistoryDelete
@_exported public import protocol OpenSwiftData.HistoryInsert
@_exported public import protocol OpenSwiftData.HistoryProviding
@_exported public import protocol OpenSwiftData.HistoryToken
@_exported public import protocol OpenSwiftData.HistoryTransaction
@_exported public import protocol OpenSwiftData.HistoryUpdate
@_exported public import protocol OpenSwiftData.ModelActor
@_exported public import protocol OpenSwiftData.ModelExecutor
@_exported public import protocol OpenSwiftData.PersistentModel
@_exported public import protocol OpenSwiftData.RelationshipCollection
@_exported public import protocol OpenSwiftData.SchemaMigrationPlan
@_exported public import protocol OpenSwiftData.SchemaProperty
@_exported public import protocol OpenSwiftData.SerialModelExecutor
@_exported public import protocol OpenSwiftData.VersionedSchema
@_exported public import struct OpenSwiftData.DataStoreBatchDeleteRequest
@_exported public import struct OpenSwiftData.DataStoreFetchRequest
@_exported public import struct OpenSwiftData.DataStoreFetchResult
@_exported public import struct OpenSwiftData.DataStoreSaveChangesRequest
@_exported public import struct OpenSwiftData.DefaultHistoryDelete
@_exported public import struct OpenSwiftData.DefaultHistoryInsert
@_exported public import struct OpenSwiftData.DefaultHistoryToken
@_exported public import struct OpenSwiftData.DefaultHistoryTransaction
@_exported public import struct OpenSwiftData.DefaultHistoryUpdate
@_exported public import struct OpenSwiftData.DefaultSnapshot
@_exported public import struct OpenSwiftData.EditingState
@_exported public import struct OpenSwiftData.FetchDescriptor
@_exported public import struct OpenSwiftData.FetchResultsCollection
@_exported public import struct OpenSwiftData.HistoryDescriptor
@_exported public import struct OpenSwiftData.HistoryTombstone
@_exported public import struct OpenSwiftData.PersistentIdentifier
@_exported public import struct OpenSwiftData.SectionedResults
@_exported public import struct OpenSwiftData.SwiftDataError
@_exported public import typealias OpenSwiftData.DataStoreSnapshotValue

// The operators of these types: re-exporting a type includes its members, but not global operators.
// swift-format-ignore
@_exported public import func OpenSwiftData . ==
// swift-format-ignore
@_exported public import func OpenSwiftData . ~=
// swift-format-ignore
@_exported public import func OpenSwiftData . <

// Apple's Foundation has its own.
#if !canImport(Darwin)
  @_exported public import class OpenSwiftData.UndoManager
#endif

#if MODEL_MACROS
  @_exported public import ModelMacros
#else
  #warning(
    "@Model and the other macros are left out: the toolchain has no SwiftSyntax that is found"
  )
#endif
