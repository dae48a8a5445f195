#include "CSystem.h"
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static unsigned char lower(unsigned char byte) {
  return (unsigned char)(byte - 'A') < 26 ? byte | 0x20 : byte;
}

static int matches(const struct catalog_pattern *pattern, const unsigned char *text) {
  if (!pattern->ignores_case) return memcmp(text, pattern->bytes, pattern->count) == 0;
  for (size_t i = 0; i < pattern->count; i++)
    if (lower(text[i]) != pattern->bytes[i]) return 0;
  return 1;
}

/* The bit in which the two cases of a letter differ. */
static unsigned char case_bit(const struct catalog_pattern *pattern, size_t offset) {
  return pattern->ignores_case && (unsigned char)(pattern->bytes[offset] - 'a') < 26 ? 0x20 : 0;
}

size_t catalog_find(const struct catalog_pattern *pattern, const unsigned char *text, size_t from,
                    size_t to) {
  if (to < from || to - from < pattern->count) return SIZE_MAX;
  const size_t end = to - pattern->count + 1;
  const size_t one = pattern->first, other = pattern->second;
  size_t at = from;
#ifdef __SSE2__
  const __m128i one_byte = _mm_set1_epi8((char)pattern->bytes[one]);
  const __m128i other_byte = _mm_set1_epi8((char)pattern->bytes[other]);
  const __m128i one_case = _mm_set1_epi8((char)case_bit(pattern, one));
  const __m128i other_case = _mm_set1_epi8((char)case_bit(pattern, other));
  /* Compares two bytes of the pattern at 32 places at once. */
  for (; at + 32 <= end; at += 32) {
    unsigned found = 0;
    for (int half = 0; half < 2; half++) {
      const unsigned char *place = text + at + 16 * half;
      __m128i left = _mm_loadu_si128((const __m128i *)(place + one));
      __m128i right = _mm_loadu_si128((const __m128i *)(place + other));
      left = _mm_cmpeq_epi8(_mm_or_si128(left, one_case), one_byte);
      right = _mm_cmpeq_epi8(_mm_or_si128(right, other_case), other_byte);
      found |= (unsigned)_mm_movemask_epi8(_mm_and_si128(left, right)) << 16 * half;
    }
    for (; found != 0; found &= found - 1) {
      size_t hit = at + (size_t)__builtin_ctz(found);
      if (matches(pattern, text + hit)) return hit;
    }
  }
#endif
  const unsigned char wanted = pattern->bytes[one], bit = case_bit(pattern, one);
  for (; at < end; at++)
    if ((text[at + one] | bit) == wanted && matches(pattern, text + at)) return at;
  return SIZE_MAX;
}

size_t catalog_find_beyond_ascii(const unsigned char *text, size_t from, size_t to) {
  size_t at = from;
#ifdef __SSE2__
  for (; at + 16 <= to; at += 16) {
    int found = _mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(text + at)));
    if (found != 0) return at + (size_t)__builtin_ctz((unsigned)found);
  }
#endif
  for (; at < to; at++)
    if (text[at] >= 0x80) return at;
  return SIZE_MAX;
}
