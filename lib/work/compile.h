/* One compilation: what is asked for, and by which compiler for which device. */
#ifndef BATON_WORK_COMPILE_H
#define BATON_WORK_COMPILE_H

#include "driver/nvrtc.h"

struct compile {
    baton_compile_options options;      /* read and checked */
    const struct nvrtc *nvrtc;
    int driver_version;
    struct nvrtc_source source;
    char architecture[32];              /* the option, "-arch=sm_90"; unused when the caller has given one */
};

/* compile_key.c: everything that the result depends on, as far as the compilation itself shows it. */
void compile_key(const struct compile *compile, struct bytes *key);

/* Whether that is all: no file is read that the key does not have, or the caller's tag stands for what is. */
int compile_is_keyed(const struct compile *compile);

/* The value of the option that names an architecture, NULL when there is none: "sm_90a". */
const char *compile_own_architecture(const baton_compile_options *options);

#endif
