import CSystem

/// The memory that the whole process allocates.
package enum HeapMemory {
  /// Lets it grow in large steps and huge pages, which need fewer page faults; call it once, at the start of a program.
  package static func prepare() { catalog_prepare_heap() }
}
