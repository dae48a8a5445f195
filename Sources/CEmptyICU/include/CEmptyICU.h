#ifndef CATALOG_CEMPTYICU_H
#define CATALOG_CEMPTYICU_H

/* Linked into the program, this replaces the 34 MB of locale data in Foundation by an empty table, as the stub data of ICU
   does. Collation, formatting and parsing by locale then fail; the program does none of that. */

#endif
