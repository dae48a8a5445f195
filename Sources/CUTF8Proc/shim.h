#ifndef CATALOG_CUTF8PROC_H
#define CATALOG_CUTF8PROC_H
#include <utf8proc.h>
#endif
