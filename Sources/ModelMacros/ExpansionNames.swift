public import OpenSwiftData

// `import SwiftData` passes these on beside the macros: expansions name them, programs need not.

/// What expansions of `@Model` call the values of a model.
public typealias _ModelState = ModelState

/// What expansions of `@Model` call what is known of a class.
public typealias _ModelDescription = ModelDescription
