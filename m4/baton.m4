# BATON_HAVE_CXX: sets have_cxx and the conditional HAVE_CXX. C++ is needed for one test only.
AC_DEFUN([BATON_HAVE_CXX], [
    AC_LANG_PUSH([C++])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [static_assert(sizeof(int) >= 2, "")])], [have_cxx=yes], [have_cxx=no])
    AC_LANG_POP([C++])
    AM_CONDITIONAL([HAVE_CXX], [test "x$have_cxx" = xyes])
])
