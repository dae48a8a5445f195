#ifndef CATALOG_CNCURSES_H
#define CATALOG_CNCURSES_H
#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif
#define NCURSES_WIDECHAR 1
#include <locale.h>
#include <ncurses.h>
#endif
