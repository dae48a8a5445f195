#ifndef CATALOG_CDELIMITED_H
#define CATALOG_CDELIMITED_H
#include <stddef.h>
#include <stdint.h>
#include "ValueForms.h"

/* Divides separated values (RFC 4180 and its dialects) into records and fields, without decoding them. */

/* What divides a text. */
typedef struct {
  uint8_t delimiter;
  uint8_t has_quotes;   /* 1: a field may be in double quotes, and then contain delimiters and line ends */
  uint8_t return_ends; /* 1: CR alone ends a line; otherwise it is part of a field */
} catalog_delimited_syntax;

enum {
  CATALOG_FIELD_IS_QUOTED = 1,   /* begins and ends with a quote */
  CATALOG_FIELD_HAS_DOUBLED = 2, /* a quoted field with a doubled quote */
  CATALOG_FIELD_HAS_QUOTE = 4,   /* an unquoted field that contains a quote */
};

enum {
  CATALOG_DELIMITED_UNCLOSED = 1, /* the quote at the offset has no end */
  CATALOG_DELIMITED_TRAILING = 2, /* text after a closing quote */
  CATALOG_DELIMITED_NUL = 3,
};

/* The result of a scan; its memory is used again by the next one. */
typedef struct {
  uint32_t *fields;  /* three words each: start, end, flags */
  uint32_t *records; /* four words each: first field, number of fields, start, end without the line end */
  size_t field_count, record_count;
  size_t field_room, record_room;
  size_t consumed; /* where the first incomplete record begins */
  size_t error_offset;
} catalog_delimited_scan;

/* Finds the complete records of a text of less than 4 GiB; the last one may lack its line end if `is_last` is 1.
   Returns 0 or an error, before which all records are found. The process ends if memory runs out. */
int catalog_delimited_read(catalog_delimited_scan *scan, catalog_delimited_syntax syntax,
                           const uint8_t *text, size_t count, int is_last);

/* Frees the memory of a scan. */
void catalog_delimited_free(catalog_delimited_scan *scan);

#endif
