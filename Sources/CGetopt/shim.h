#ifndef CATALOG_CGETOPT_H
#define CATALOG_CGETOPT_H
#include <getopt.h>
#endif
