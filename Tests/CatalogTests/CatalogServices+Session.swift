import CatalogApp

@testable import CatalogProgram

extension CatalogServices {
  /// A session on a store, without an entity.
  func session(on location: String) throws -> Session {
    let opened = try open(location, schema: nil, isReadOnly: false)
    return Session(
      container: opened.container,
      storeName: opened.name,
      entityName: nil,
      isReadOnly: false,
      services: self,
      format: .tsv
    )
  }
}
