noinst_PROGRAMS += examples/first examples/compile
examples_first_SOURCES = examples/first.c
examples_first_LDADD = libbaton.la
examples_compile_SOURCES = examples/compile.c
examples_compile_LDADD = libbaton.la

EXTRA_DIST += examples/README examples/camera.pgm
