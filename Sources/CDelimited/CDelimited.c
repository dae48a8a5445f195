#include "CDelimited.h"
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* The bytes that may mean something, as a bit for each of 64 bytes. */
static inline uint64_t specials(const uint8_t *text, catalog_delimited_syntax syntax) {
#if defined(__SSE2__)
  const __m128i delimiter = _mm_set1_epi8((char)syntax.delimiter), quote = _mm_set1_epi8('"'),
                feed = _mm_set1_epi8('\n'), back = _mm_set1_epi8('\r'), zero = _mm_setzero_si128();
  uint64_t mask = 0;
  for (int part = 0; part < 4; part++) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(text + 16 * part));
    const __m128i found = _mm_or_si128(
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, delimiter), _mm_cmpeq_epi8(bytes, quote)),
                     _mm_or_si128(_mm_cmpeq_epi8(bytes, feed), _mm_cmpeq_epi8(bytes, back))),
        _mm_cmpeq_epi8(bytes, zero));
    mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(found) << (16 * part);
  }
  return mask;
#else
  uint64_t mask = 0;
  for (int place = 0; place < 64; place++) {
    const uint8_t byte = text[place];
    const int is_special = byte == syntax.delimiter || byte == '"' || byte == '\n' || byte == '\r' || byte == 0;
    mask |= (uint64_t)is_special << place;
  }
  return mask;
#endif
}

static uint32_t *room(uint32_t *words, size_t *has, size_t needs, size_t width) {
  if (needs <= *has) return words;
  *has = *has * 2 < needs ? needs + 1024 : *has * 2;
  words = realloc(words, *has * width * sizeof(uint32_t));
  if (words == NULL) abort();
  return words;
}

/* The state between two special bytes. */
typedef struct {
  size_t field_start, record_start, first_field;
  size_t closed; /* the end of the quoted field, 0 if it is not closed yet */
  uint32_t flags;
  int in_quotes;
} state;

static inline void end_field(catalog_delimited_scan *scan, state *at, size_t end) {
  scan->fields = room(scan->fields, &scan->field_room, scan->field_count + 1, 3);
  uint32_t *field = scan->fields + 3 * scan->field_count++;
  field[0] = (uint32_t)at->field_start;
  field[1] = (uint32_t)end;
  field[2] = at->flags;
  at->flags = 0;
  at->closed = 0;
}

static inline void end_record(catalog_delimited_scan *scan, state *at, size_t end, size_t next) {
  scan->records = room(scan->records, &scan->record_room, scan->record_count + 1, 4);
  uint32_t *record = scan->records + 4 * scan->record_count++;
  record[0] = (uint32_t)at->first_field;
  record[1] = (uint32_t)(scan->field_count - at->first_field);
  record[2] = (uint32_t)at->record_start;
  record[3] = (uint32_t)end;
  at->first_field = scan->field_count;
  at->record_start = at->field_start = next;
}

static int fail(catalog_delimited_scan *scan, const state *at, size_t offset, int code) {
  scan->error_offset = offset;
  scan->consumed = at->record_start;
  return code;
}

int catalog_delimited_read(catalog_delimited_scan *scan, catalog_delimited_syntax syntax,
                           const uint8_t *text, size_t count, int is_last) {
  state at = {0, 0, 0, 0, 0, 0};
  size_t skip = 0;
  scan->field_count = scan->record_count = 0;
  for (size_t base = 0; base < count; base += 64) {
    uint8_t rest[64];
    const uint8_t *block = text + base;
    if (count - base < 64) {
      memset(rest, 'x', sizeof rest);
      memcpy(rest, block, count - base);
      block = rest;
    }
    for (uint64_t mask = specials(block, syntax); mask != 0; mask &= mask - 1) {
      const size_t place = base + (size_t)__builtin_ctzll(mask);
      if (place < skip) continue;
      if (place >= count) break;
      const uint8_t byte = text[place];
      if (byte == 0 && !at.in_quotes) return fail(scan, &at, place, CATALOG_DELIMITED_NUL);
      if (at.in_quotes) {
        if (byte != '"') continue;
        if (place + 1 == count && !is_last) goto incomplete;
        if (place + 1 < count && text[place + 1] == '"') {
          at.flags |= CATALOG_FIELD_HAS_DOUBLED;
          skip = place + 2;
          continue;
        }
        at.in_quotes = 0;
        at.closed = place + 1;
        continue;
      }
      size_t next = place + 1;
      if (byte == '"' && syntax.delimiter != '"') {
        if (syntax.has_quotes && place == at.field_start) {
          at.in_quotes = 1;
          at.flags |= CATALOG_FIELD_IS_QUOTED;
        } else if (!(at.flags & CATALOG_FIELD_IS_QUOTED)) {
          at.flags |= CATALOG_FIELD_HAS_QUOTE;
        }
        continue;
      }
      if (byte == '\r') {
        if (next == count && !is_last) goto incomplete;
        if (next < count && text[next] == '\n') next++;
        else if (next < count && !syntax.return_ends) continue;
      }
      if ((at.flags & CATALOG_FIELD_IS_QUOTED) && at.closed != place)
        return fail(scan, &at, at.closed, CATALOG_DELIMITED_TRAILING);
      end_field(scan, &at, place);
      if (byte == syntax.delimiter) {
        at.field_start = next;
      } else {
        end_record(scan, &at, place, next);
        skip = next;
      }
    }
  }
  if (is_last) {
    if (at.in_quotes) return fail(scan, &at, at.field_start, CATALOG_DELIMITED_UNCLOSED);
    if (at.record_start < count) {
      if ((at.flags & CATALOG_FIELD_IS_QUOTED) && at.closed != count)
        return fail(scan, &at, at.closed, CATALOG_DELIMITED_TRAILING);
      end_field(scan, &at, count);
      end_record(scan, &at, count, count);
    }
  }
incomplete:
  /* Fields of an incomplete record are found again. */
  scan->field_count = at.first_field;
  scan->consumed = at.record_start;
  return 0;
}

void catalog_delimited_free(catalog_delimited_scan *scan) {
  free(scan->fields);
  free(scan->records);
  memset(scan, 0, sizeof *scan);
}
