#ifndef CATALOG_CRUNTIME_H
#define CATALOG_CRUNTIME_H

/* Functions of the Swift runtime library that the compiler calls and Swift code cannot name: they count
   references to an object without keeping it alive. See docs/decisions/0011. */

/* Keeps the memory of an object, though not the object; returns it. */
void *swift_unownedRetain(void *object);

/* Ends a swift_unownedRetain. */
void swift_unownedRelease(void *object);

/* Retains an object unless it is being, or has been, destroyed; null then. Safe against a last
   release by another thread at the same time. */
void *swift_tryRetain(void *object);

#endif
