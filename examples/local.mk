noinst_PROGRAMS += examples/first examples/compile
examples_first_SOURCES = examples/first.c
examples_first_LDADD = libbaton.la
# It compares its results itself. first is run by test/readme.sh.
examples_compile_SOURCES = examples/compile.c
examples_compile_LDADD = libbaton.la
TESTS += examples/compile

EXTRA_DIST += examples/README examples/camera.pgm
