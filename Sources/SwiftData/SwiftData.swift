@_exported public import OpenSwiftData
