#ifndef CATALOG_CXXHASH_H
#define CATALOG_CXXHASH_H
#define XXH_INLINE_ALL
#include <xxhash.h>
#endif
