// The functions are in the Swift runtime library; a C target needs a source file.
#include "CRuntime.h"
