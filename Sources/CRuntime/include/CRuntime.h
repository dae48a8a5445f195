#ifndef CATALOG_CRUNTIME_H
#define CATALOG_CRUNTIME_H

/* Functions of the Swift runtime library that only the compiler can call from Swift. They count references
   to an object without keeping it alive. See docs/decisions/0011. */

/* Keeps the memory of an object allocated, but not the object alive. Returns the object. */
void *swift_unownedRetain(void *object);

/* Balances a call of swift_unownedRetain. */
void swift_unownedRelease(void *object);

/* Retains an object and returns it; returns null if the object is being destroyed, or has been. Safe if
   another thread releases the last reference at the same time. */
void *swift_tryRetain(void *object);

#endif
