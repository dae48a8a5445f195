#ifndef CATALOG_CNCURSES_H
#define CATALOG_CNCURSES_H
#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif
#define NCURSES_WIDECHAR 1
#include <locale.h>
#include <ncurses.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Macros of ncurses as functions, which Swift can call.

// A character as ncurses expects it: a scalar and up to four combining scalars.
typedef struct {
  uint32_t scalars[5];
  attr_t attributes;
  int pair;
} catalog_cell;

enum { catalog_bold = 1, catalog_dim = 2, catalog_italic = 4, catalog_underline = 8, catalog_reverse = 16 };

// Converts our attribute bits to those of ncurses.
static inline attr_t catalog_attributes(unsigned bits) {
  attr_t result = A_NORMAL;
  if (bits & catalog_bold) result |= A_BOLD;
  if (bits & catalog_dim) result |= A_DIM;
  if (bits & catalog_italic) result |= A_ITALIC;
  if (bits & catalog_underline) result |= A_UNDERLINE;
  if (bits & catalog_reverse) result |= A_REVERSE;
  return result;
}

// Fills in the cell that ncurses draws.
static inline void catalog_set_cell(cchar_t *out, const catalog_cell *cell) {
  memset(out, 0, sizeof *out);
  for (int i = 0; i < 5 && cell->scalars[i]; i++) out->chars[i] = (wchar_t)cell->scalars[i];
  // ncurses reads the color pair from both fields; the smaller field has room for 255.
  out->attr = cell->attributes | COLOR_PAIR(cell->pair < 255 ? cell->pair : 255);
  out->ext_color = cell->pair;
}

// Draws `count` cells at the beginning of row `y` of the screen.
static inline int catalog_put_row(int y, const cchar_t *cells, int count) {
  return mvwadd_wchnstr(stdscr, y, 0, cells, count);
}

// A terminfo string; NULL if the terminal does not have it.
static inline const char *catalog_capability(const char *name) {
  const char *value = tigetstr(name);
  return value == (const char *)-1 ? NULL : value;
}

static inline int catalog_colors(void) { return COLORS; }
static inline int catalog_columns(void) { return COLS; }
static inline int catalog_rows(void) { return LINES; }
static inline WINDOW *catalog_screen(void) { return stdscr; }
#endif
