noinst_PROGRAMS += examples/first
examples_first_SOURCES = examples/first.c
examples_first_LDADD = libbaton.la

EXTRA_DIST += examples/README examples/camera.pgm
