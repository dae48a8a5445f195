/// A store of this package whose records are not checked when a context reads them.
///
/// Its records always have the layouts of their entities and values of the kinds of their fields, because it
/// holds them in columns of these kinds, or, during a migration, because other code checks them.
package protocol TrustedStore: QueryableStore {}
