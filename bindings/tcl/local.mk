# test/tcl.sh builds it against the library, and runs its behaviours.
EXTRA_DIST += \
    bindings/tcl/README \
    bindings/tcl/baton.tcl \
    bindings/tcl/baton_tcl.c \
    bindings/tcl/test/baton_test.c \
    bindings/tcl/test/behaviour.tcl
