import CatalogApp
import Foundation
import OpenSwiftData

/// The sample films.
extension CatalogServices {
  /// The sample records, decoded once: that takes a tenth of the start.
  static let sample = Result {
    try CatalogDocument(json: Data(PackageResources.films_json))
  }

  func openSample() throws -> OpenedStore {
    let document = try Self.sample.get()
    let opened = try open(StoreLocation.memory, schema: document.schema, isReadOnly: false)
    try fill(opened.container, with: document)
    return opened
  }

  /// Saves records to a store in memory.
  func fill(_ container: ModelContainer, with document: CatalogDocument) throws {
    let loading = ModelContext(container)
    loading.insert(document)
    try loading.save()
  }
}
