#ifndef CATALOG_CXXHASH_H
#define CATALOG_CXXHASH_H
#define XXH_INLINE_ALL
#include <xxhash.h>

/* With XXH_INLINE_ALL the library's own names are macros, which Swift cannot import. */

typedef struct {
  uint64_t low, high;
} catalog_digest;

static inline catalog_digest catalog_digest_of(XXH128_hash_t hash) {
  catalog_digest digest = {hash.low64, hash.high64};
  return digest;
}

static inline uint64_t catalog_xxh3(const void *bytes, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, size, seed);
}

static inline catalog_digest catalog_xxh3_128(const void *bytes, size_t size) {
  return catalog_digest_of(XXH3_128bits(bytes, size));
}

static inline void *catalog_xxh3_128_begin(void) {
  XXH3_state_t *state = XXH3_createState();
  if (state) XXH3_128bits_reset(state);
  return state;
}

static inline void catalog_xxh3_128_add(void *state, const void *bytes, size_t size) {
  XXH3_128bits_update((XXH3_state_t *)state, bytes, size);
}

static inline catalog_digest catalog_xxh3_128_digest(const void *state) {
  return catalog_digest_of(XXH3_128bits_digest((const XXH3_state_t *)state));
}

static inline void catalog_xxh3_free(void *state) { XXH3_freeState((XXH3_state_t *)state); }
#endif
