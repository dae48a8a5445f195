@_exported public import DefaultStorage
@_exported public import OpenSwiftData

#if MODEL_MACROS
  @_exported public import ModelMacros
#else
  #warning(
    "@Model and the other macros are left out: the toolchain has no SwiftSyntax that is found"
  )
#endif
