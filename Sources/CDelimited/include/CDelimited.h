#ifndef CATALOG_CDELIMITED_H
#define CATALOG_CDELIMITED_H
#include <stddef.h>
#include <stdint.h>
#include "ValueForms.h"

/* Divides separated values (RFC 4180 and its dialects) into records and fields, without decoding them. */

/* What divides a text. */
typedef struct {
  uint8_t delimiter;    /* 0: a line is one field */
  uint8_t quote;        /* a field may be in these, and then contain delimiters and line ends; 0: they are characters */
  uint8_t escape;       /* in quotes, the byte after this one is a character; 0: none */
  uint8_t return_ends;  /* 1: CR alone ends a line, as LF does; otherwise it is part of a field */
  uint8_t joins;        /* 1: several delimiters are one, and those at the ends of a line are none */
  uint8_t keeps_blank;  /* 1: a line of nothing but blanks is a record, as in a file with one column */
  uint8_t is_lenient;   /* 1: after a fault, the rest of the field is text; the first fault is kept */
  uint8_t comment_count;
  uint8_t comment[8];   /* a line that begins with these bytes is no record */
} catalog_delimited_syntax;

enum {
  CATALOG_FIELD_IS_QUOTED = 1,   /* in quotes, perhaps with blanks before and after them */
  CATALOG_FIELD_HAS_DOUBLED = 2, /* a quoted field with a doubled quote or an escape */
  CATALOG_FIELD_HAS_QUOTE = 4,   /* an unquoted field that contains a quote */
};

enum {
  CATALOG_DELIMITED_UNCLOSED = 1, /* the quote at the offset has no end */
  CATALOG_DELIMITED_TRAILING = 2, /* text after a closing quote, at the offset */
  CATALOG_DELIMITED_NUL = 3,
  CATALOG_DELIMITED_ACROSS = 4, /* the quote at the offset is closed in another line, with text after it */
};

/* The result of a scan; its memory is used again by the next one. */
typedef struct {
  uint32_t *fields;  /* three words each: start, end, flags */
  uint32_t *records; /* four words each: first field, number of fields, start, end without the line end */
  size_t field_count, record_count;
  size_t field_room, record_room;
  size_t consumed; /* where the first incomplete record begins */
  int error;       /* of a lenient scan: the first fault, or 0 */
  size_t error_offset;
  size_t error_end;     /* after the quote that closes a field across lines */
  size_t joining_count; /* the number of records with a line end in quotes, of all scans */
  size_t first_joining; /* where the first one of this scan begins */
} catalog_delimited_scan;

/* Finds the complete records of a text of less than 4 GiB from an offset on; the last one may lack its line end if
   `is_last` is 1. Lines of blanks, a final ^Z and comments are no records. Returns 0 or an error, before which all
   records are found. The process ends if memory runs out. */
int catalog_delimited_read(catalog_delimited_scan *scan, catalog_delimited_syntax syntax,
                           const uint8_t *text, size_t start, size_t count, int is_last);

/* Counts the line feeds (with or without CR) and the lone CRs outside quotes, where a quote opens only at the beginning
   of a field. */
void catalog_delimited_count_ends(const uint8_t *text, size_t count, uint8_t delimiter, uint8_t quote,
                                  size_t *feeds, size_t *returns);

/* Frees the memory of a scan. */
void catalog_delimited_free(catalog_delimited_scan *scan);

#endif
