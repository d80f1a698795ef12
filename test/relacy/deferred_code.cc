/* lib/base/deferred.h and deferred.c themselves, as test/relacy.sh translates them. */
#include "c11.h"

#include "translated/deferred.h"
#include "translated/deferred.c"
