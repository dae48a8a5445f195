public import OpenSwiftData

// `import SwiftData` re-exports these for the expansions of its macros; programs do not need them.

/// The name that expansions of `@Model` use for the values of a model.
public typealias _ModelState = ModelState

/// The name that expansions of `@Model` use for the metadata of a class.
public typealias _ModelDescription = ModelDescription
