#include "CDelimited.h"
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* The bytes that may mean something, as a bit for each of 64 bytes. */
static inline uint64_t specials(const uint8_t *text, catalog_delimited_syntax syntax) {
#if defined(__SSE2__)
  const __m128i delimiter = _mm_set1_epi8((char)syntax.delimiter), quote = _mm_set1_epi8((char)syntax.quote),
                escape = _mm_set1_epi8((char)syntax.escape), feed = _mm_set1_epi8('\n'),
                back = _mm_set1_epi8('\r'), zero = _mm_setzero_si128();
  uint64_t mask = 0;
  for (int part = 0; part < 4; part++) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(text + 16 * part));
    const __m128i found = _mm_or_si128(
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, delimiter), _mm_cmpeq_epi8(bytes, quote)),
                     _mm_or_si128(_mm_cmpeq_epi8(bytes, feed), _mm_cmpeq_epi8(bytes, back))),
        _mm_or_si128(_mm_cmpeq_epi8(bytes, escape), _mm_cmpeq_epi8(bytes, zero)));
    mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(found) << (16 * part);
  }
  return mask;
#else
  uint64_t mask = 0;
  for (int place = 0; place < 64; place++) {
    const uint8_t byte = text[place];
    const int is_special = byte == syntax.delimiter || byte == syntax.quote || byte == syntax.escape ||
                           byte == '\n' || byte == '\r' || byte == 0;
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
  size_t opened; /* the opening quote of the field */
  size_t closed; /* the end of the quoted field, 0 if it is not closed yet */
  uint32_t flags;
  int in_quotes, has_line_end, record_joins;
} state;

static inline void end_field(catalog_delimited_scan *scan, state *at, size_t end) {
  scan->fields = room(scan->fields, &scan->field_room, scan->field_count + 1, 3);
  uint32_t *field = scan->fields + 3 * scan->field_count++;
  field[0] = (uint32_t)at->field_start;
  field[1] = (uint32_t)end;
  field[2] = at->flags;
  at->flags = 0;
  at->closed = 0;
  at->record_joins |= at->has_line_end;
  at->has_line_end = 0;
}

/* 1 if the line, of which the text up to `end` is known, is a comment. */
static inline int is_comment(const state *at, const uint8_t *text, size_t end, catalog_delimited_syntax syntax) {
  return syntax.comment_count > 0 && end - at->record_start >= syntax.comment_count &&
         memcmp(text + at->record_start, syntax.comment, syntax.comment_count) == 0;
}

/* 1 if the line is no record: of blanks, a ^Z, or a comment. */
static int is_skipped(const catalog_delimited_scan *scan, const state *at, const uint8_t *text, size_t end, size_t count,
                      catalog_delimited_syntax syntax) {
  const uint8_t *line = text + at->record_start;
  const size_t length = end - at->record_start;
  if (is_comment(at, text, end, syntax)) return 1;
  if (scan->field_count - at->first_field != 1) return 0;
  if (length == 1 && *line == 0x1A && end == count) return 1;
  if (syntax.keeps_blank) return 0;
  for (size_t place = 0; place < length; place++)
    if (line[place] != ' ' && line[place] != '\t' && line[place] != 0x1A) return 0;
  return 1;
}

/* Leaves out the empty fields at the ends of a line whose delimiters are joined. */
static void trim_record(catalog_delimited_scan *scan, state *at) {
  size_t last = scan->field_count;
  while (last > at->first_field + 1 && scan->fields[3 * last - 3] == scan->fields[3 * last - 2]) last--;
  scan->field_count = last;
}

static inline void end_record(catalog_delimited_scan *scan, state *at, const uint8_t *text, size_t end, size_t next,
                              size_t count, catalog_delimited_syntax syntax) {
  if (syntax.joins) trim_record(scan, at);
  if ((scan->field_count - at->first_field == 1 || syntax.comment_count > 0) &&
      is_skipped(scan, at, text, end, count, syntax)) {
    scan->field_count = at->first_field;
  } else {
    scan->records = room(scan->records, &scan->record_room, scan->record_count + 1, 4);
    uint32_t *record = scan->records + 4 * scan->record_count++;
    record[0] = (uint32_t)at->first_field;
    record[1] = (uint32_t)(scan->field_count - at->first_field);
    record[2] = (uint32_t)at->record_start;
    record[3] = (uint32_t)end;
    if (at->record_joins && scan->joining_count++ == 0) scan->first_joining = at->record_start;
  }
  at->record_joins = 0;
  at->first_field = scan->field_count;
  at->record_start = at->field_start = next;
}

/* Keeps a fault; returns 1 if the scan ends with it. */
static int fail(catalog_delimited_scan *scan, const state *at, size_t offset, int code, int is_lenient) {
  if (scan->error == 0) {
    scan->error = code;
    scan->error_offset = offset;
    scan->error_end = at->closed;
  }
  if (is_lenient) return 0;
  scan->consumed = at->record_start;
  return 1;
}

/* 1 if nothing but blanks precede the place in its field; they may stand before a quote. In a comment quotes are
   characters. */
static inline int begins_field(const state *at, const uint8_t *text, size_t place, catalog_delimited_syntax syntax) {
  if (is_comment(at, text, place, syntax)) return 0;
  if (place == at->field_start) return 1;
  if (syntax.delimiter == ' ') return 0;
  for (size_t before = at->field_start; before < place; before++)
    if (text[before] != ' ') return 0;
  return 1;
}

/* Checks what follows the closing quote of a field that ends at `place`: only blanks may, and a final ^Z. */
static inline int check_end(catalog_delimited_scan *scan, state *at, const uint8_t *text, size_t place, size_t count,
                            catalog_delimited_syntax syntax) {
  if (!(at->flags & CATALOG_FIELD_IS_QUOTED) || at->closed == place) return 0;
  size_t rest = at->closed;
  while (rest < place && text[rest] == ' ' && syntax.delimiter != ' ') rest++;
  if (rest == place || (text[rest] == 0x1A && rest + 1 == count)) return 0;
  const int is_across = at->has_line_end;
  if (fail(scan, at, is_across ? at->opened : rest, is_across ? CATALOG_DELIMITED_ACROSS : CATALOG_DELIMITED_TRAILING,
           syntax.is_lenient))
    return scan->error;
  at->flags = CATALOG_FIELD_HAS_QUOTE;
  return 0;
}

int catalog_delimited_read(catalog_delimited_scan *scan, catalog_delimited_syntax syntax,
                           const uint8_t *text, size_t start, size_t count, int is_last) {
  state at = {.field_start = start, .record_start = start};
  size_t skip = start;
  scan->field_count = scan->record_count = 0;
  scan->error = 0;
  for (size_t base = start; base < count; base += 64) {
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
      if (at.in_quotes) {
        if (byte == syntax.escape && byte != 0) {
          if (place + 1 == count && !is_last) goto incomplete;
          at.flags |= CATALOG_FIELD_HAS_DOUBLED;
          skip = place + 2;
          continue;
        }
        if (byte != syntax.quote || byte == 0) {
          at.has_line_end |= byte == '\n' || byte == '\r';
          continue;
        }
        if (place + 1 == count && !is_last) goto incomplete;
        if (place + 1 < count && text[place + 1] == syntax.quote) {
          at.flags |= CATALOG_FIELD_HAS_DOUBLED;
          skip = place + 2;
          continue;
        }
        at.in_quotes = 0;
        at.closed = place + 1;
        continue;
      }
      if (byte == 0) {
        if (fail(scan, &at, place, CATALOG_DELIMITED_NUL, syntax.is_lenient)) return scan->error;
        continue;
      }
      size_t next = place + 1;
      if (byte == syntax.quote && byte != syntax.delimiter) {
        if (at.flags == 0 && begins_field(&at, text, place, syntax)) {
          at.in_quotes = 1;
          at.opened = place;
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
      } else if (byte != '\n' && byte != syntax.delimiter) {
        continue; /* an escape outside quotes */
      }
      if (check_end(scan, &at, text, place, count, syntax)) return scan->error;
      if (byte == syntax.delimiter) {
        const int is_joined = syntax.joins && at.flags == 0 && at.field_start == place;
        if (!is_joined) end_field(scan, &at, place);
        at.field_start = next;
      } else {
        end_field(scan, &at, place);
        end_record(scan, &at, text, place, next, count, syntax);
        skip = next;
      }
    }
  }
  if (is_last) {
    if (at.in_quotes) {
      if (fail(scan, &at, at.opened, CATALOG_DELIMITED_UNCLOSED, syntax.is_lenient)) return scan->error;
      at.flags = CATALOG_FIELD_HAS_QUOTE;
    }
    if (at.record_start < count) {
      if (check_end(scan, &at, text, count, count, syntax)) return scan->error;
      end_field(scan, &at, count);
      end_record(scan, &at, text, count, count, count, syntax);
    }
  }
incomplete:
  /* Fields of an incomplete record are found again. */
  scan->field_count = at.first_field;
  scan->consumed = at.record_start;
  return 0;
}

void catalog_delimited_count_ends(const uint8_t *text, size_t count, uint8_t delimiter, uint8_t quote,
                                  size_t *feeds, size_t *returns) {
  int is_first = 1, in_quotes = 0;
  *feeds = *returns = 0;
  for (size_t place = 0; place < count; place++) {
    const uint8_t byte = text[place], next = place + 1 < count ? text[place + 1] : 0;
    if (in_quotes) {
      if (byte != quote) continue;
      if (next == quote) place++;
      else in_quotes = is_first = 0;
      continue;
    }
    if (byte == quote && quote != 0 && is_first) {
      in_quotes = 1;
    } else if (byte == '\n' || byte == '\r') {
      const int has_feed = byte == '\r' && next == '\n';
      if (byte == '\n' || has_feed) ++*feeds;
      else if (next != '\r') ++*returns;
      place += (size_t)has_feed;
      is_first = 1;
    } else if (byte == delimiter && delimiter != 0) {
      is_first = 1;
    } else if (byte != ' ') {
      is_first = 0;
    }
  }
}

void catalog_delimited_free(catalog_delimited_scan *scan) {
  free(scan->fields);
  free(scan->records);
  memset(scan, 0, sizeof *scan);
}
