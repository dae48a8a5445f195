// Foundation as well: files of programs import SwiftData only and use Date and URL.
@_exported public import DefaultStorage
@_exported public import Foundation
@_exported public import OpenSwiftData

#if MODEL_MACROS
  @_exported public import ModelMacros
#else
  #warning(
    "@Model and the other macros are left out: the toolchain has no SwiftSyntax that is found"
  )
#endif
