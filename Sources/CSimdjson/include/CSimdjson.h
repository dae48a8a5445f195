#ifndef CATALOG_CSIMDJSON_H
#define CATALOG_CSIMDJSON_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Parses JSON records window by window into flat arrays. A parser reads one text, on one thread at a
   time. Nothing here throws; the process ends if memory runs out. */

/* 1 if the bytes are valid UTF-8, else 0. */
int catalog_utf8_is_valid(const uint8_t *text, size_t count);

/* The number of bytes that must be readable after every window. */
size_t catalog_json_padding(void);

/* The kind of a cell's value. */
enum {
  CATALOG_JSON_NULL,
  CATALOG_JSON_FALSE,
  CATALOG_JSON_TRUE,
  CATALOG_JSON_INTEGER, /* fits 64 bits, has no point or exponent, is not "-0" */
  CATALOG_JSON_NUMBER,
  CATALOG_JSON_TEXT,
  CATALOG_JSON_NESTED, /* array or object */
};

/* Facts about a cell's value. */
enum {
  CATALOG_JSON_IS_DOUBLE = 1,   /* number: the shortest text of its double has the same value */
  CATALOG_JSON_IS_MONEY = 2,    /* number: at most 15 digits, 4 of them after the point */
  CATALOG_JSON_IS_DECIMAL = 4,  /* number: fits a decimal of 38 digits */
  CATALOG_JSON_IS_MANTISSA = 8, /* number: its value is word * 10^exponent */
  CATALOG_JSON_IS_DATE = 16,    /* text: YYYY-MM-DD; word has the days since 1970 */
  CATALOG_JSON_IS_MOMENT = 32,  /* text: YYYY-MM-DDTHH:MM:SS[.digits] with Z or an offset; real has the
                                   seconds since 2001-01-01, which keep all digits */
};

/* The values seen under a key; each bit rules out one or more types. */
enum {
  CATALOG_JSON_SAW_BOOLEAN = 1,
  CATALOG_JSON_SAW_NUMBER = 2,
  CATALOG_JSON_SAW_TEXT = 4,
  CATALOG_JSON_SAW_NESTED = 8,
  CATALOG_JSON_SAW_NO_INTEGER = 16,
  CATALOG_JSON_SAW_NO_DOUBLE = 32,
  CATALOG_JSON_SAW_NO_MONEY = 64,
  CATALOG_JSON_SAW_NO_DECIMAL = 128,
  CATALOG_JSON_SAW_NO_DATE = 256,
  CATALOG_JSON_SAW_NO_MOMENT = 512,
  /* Separated values: */
  CATALOG_JSON_SAW_DECIMAL_COMMA = 1024, /* text: a number such as 1.234,56 */
  CATALOG_JSON_SAW_OTHER_TEXT = 2048,    /* text that is not a number with a comma */
  CATALOG_JSON_SAW_NO_GROUP = 4096,      /* a number with a point that cannot separate thousands */
};

/* One member of a record. */
typedef struct {
  uint32_t key;         /* index among the keys of the section */
  uint8_t kind;
  uint8_t facts;
  int16_t exponent;
  uint32_t offset;      /* of the value in the window */
  uint32_t length;      /* of the value as written */
  const uint8_t *bytes; /* text: decoded; nested: without white space; number: as written */
  size_t count;         /* of bytes */
  int64_t word;         /* integer, mantissa, days */
  double real;          /* number, seconds */
} catalog_json_cell;

enum {
  CATALOG_JSON_RECORD,
  CATALOG_JSON_SECTION_BEGIN, /* offset: of the first byte after the bracket */
  CATALOG_JSON_SECTION_END,   /* offset: of the closing bracket */
  CATALOG_JSON_MEMBER,        /* a member of the document without records */
  CATALOG_JSON_OBJECT_BEGIN,  /* the document is an object; offset: after the brace */
  CATALOG_JSON_OBJECT_END,    /* offset: of the closing brace */
};

/* One step through the document. */
typedef struct {
  uint32_t kind;
  uint32_t section;
  uint32_t offset; /* in the window */
  uint32_t length;
  size_t first_cell;
  size_t cell_count;
  const uint8_t *name; /* section and member: the decoded key */
  size_t name_count;
} catalog_json_item;

typedef struct {
  const catalog_json_item *items;
  size_t item_count;
  const catalog_json_cell *cells;
  size_t cell_count;
  size_t consumed; /* where the next window begins; 0: a larger window is needed */
} catalog_json_batch;

/* An error in the text. */
typedef struct {
  size_t offset;        /* in the window */
  const char *expected; /* a static string */
  int is_duplicate;     /* the key at the offset is a duplicate */
  int is_encoding;      /* the byte at the offset is not UTF-8 */
  int knows_records;    /* whether the next member is known */
  size_t records_end;   /* where the complete records before the wrong one end */
} catalog_json_error;

typedef struct catalog_json_parser catalog_json_parser;

/* What a text consists of. */
enum {
  CATALOG_JSON_DOCUMENT, /* one value: an array of records, or an object with such arrays */
  CATALOG_JSON_LINES,    /* one record per line */
  CATALOG_JSON_NAMED,    /* one object, whose members are records; their names are the cells of the key "_key" */
};

/* Creates a parser for one of these forms. The last `batches` batches stay valid as long as
   their windows; another thread may read them. */
catalog_json_parser *catalog_json_create(int form, size_t batches);
/* Restricts parsing to the records that begin at these offsets of the text, in ascending order. Other
   records have been parsed before: only their brackets are matched, and they have no cells. */
void catalog_json_skip_others(catalog_json_parser *parser, const size_t *offsets, size_t count);
void catalog_json_destroy(catalog_json_parser *parser);

/* Parses the records that are complete in the window, which begins at `offset` of the text. The batch stays valid as
   described above. Returns 0, or -1 after filling in the error. */
int catalog_json_read(catalog_json_parser *parser, const uint8_t *text, size_t count, size_t offset,
                      int is_last, catalog_json_batch *batch, catalog_json_error *error);

/* The number of values of records that are NaN, Infinity or -Infinity, which are no JSON and count as null. */
size_t catalog_json_not_number_count(const catalog_json_parser *parser);
/* The keys of a section found so far. A name is valid as long as the parser exists. */
size_t catalog_json_key_count(const catalog_json_parser *parser, uint32_t section);
const uint8_t *catalog_json_key_name(const catalog_json_parser *parser, uint32_t section, size_t key,
                                     size_t *count);
uint32_t catalog_json_key_facts(const catalog_json_parser *parser, uint32_t section, size_t key);

/* The offset of the first byte that is not UTF-8, or `count`. */
size_t catalog_utf8_first_invalid(const uint8_t *text, size_t count);

/* Makes cells of the fields of separated values, as found by catalog_delimited_read. Every record is an item of section
   0, and the key of a cell is the number of its column. An empty field is null; an empty text in quotes is text. */
typedef struct catalog_csv_parser catalog_csv_parser;

/* How fields are decoded. */
typedef struct {
  uint8_t quote;          /* that of quoted fields */
  uint8_t escape;         /* in quotes, before a quote or itself; 0 for none */
  uint8_t unescapes_bare; /* 1 if the escape has this meaning outside quotes, too */
  uint8_t has_escapes;    /* 1 if backslashes outside quotes stand before t, n, r, quotes and other backslashes */
  uint8_t trims;          /* 1 if blanks around fields do not belong to them */
  uint8_t has_trailing;   /* 1 if each line ends with a delimiter */
} catalog_csv_options;

/* What the records told so far. */
typedef struct {
  size_t short_count, long_count; /* records with fewer or more fields than there are columns */
  size_t first_short, first_long; /* the offset of the first one, in the window that had it */
  int is_short_new, is_long_new;  /* 1 if that is the last window */
  size_t escaped_count;           /* fields with backslashes that stand for other characters */
  int has_other_backslashes;      /* 1 if a backslash, in quotes or not, stands for itself, as in C:\\temp */
} catalog_csv_evidence;

/* Batches are kept as by catalog_json_create. */
catalog_csv_parser *catalog_csv_create(size_t columns, catalog_csv_options options, size_t batches);
void catalog_csv_destroy(catalog_csv_parser *parser);
/* Makes the cells of the records that do not begin before `first_offset`. */
void catalog_csv_read(catalog_csv_parser *parser, const uint8_t *text, const uint32_t *fields,
                      const uint32_t *records, size_t count, size_t first_offset,
                      catalog_json_batch *batch);
/* Words that often stand for a missing value. */
#define CATALOG_CSV_KNOWN_WORDS \
  { "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "-", "--", ".", "?", "#N/A" }
/* What a column had so far: numbers and dates, these words, by number as bits, and other values. */
typedef struct {
  size_t value_count, word_count, other_count;
  uint32_t words;
  /* By which signs digits may be grouped, a bit each for the sign that is no decimal one, the apostrophe and the blank:
     other_groups if a text is no number then, sure_groups if a text can be nothing else. */
  uint8_t other_groups, sure_groups, group_length;
} catalog_csv_seen;
catalog_csv_seen catalog_csv_seen_in(const catalog_csv_parser *parser, size_t column);
/* Lets numbers and dates be spelled as catalog_value_forms says. */
void catalog_csv_set_forms(catalog_csv_parser *parser, uint8_t decimal, uint8_t group, uint8_t dates);
/* Lets a word stand for a missing value in a column. */
void catalog_csv_add_missing(catalog_csv_parser *parser, size_t column, const uint8_t *word, size_t count);
/* The most frequent one of these words so far, in the order in which they were added; -1 for none. */
int catalog_csv_missing_word(const catalog_csv_parser *parser, size_t column);
/* The first date of a column that was read by the order of the forms; its length is 0 for none. */
const char *catalog_csv_first_date(const catalog_csv_parser *parser, size_t column, size_t *count);
/* The values seen in a column, as CATALOG_JSON_SAW bits. */
uint32_t catalog_csv_facts(const catalog_csv_parser *parser, size_t column);
catalog_csv_evidence catalog_csv_take_evidence(catalog_csv_parser *parser);

#ifdef __cplusplus
}
#endif
#endif
