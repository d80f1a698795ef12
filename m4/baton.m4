# BATON_HAVE_CXX: sets have_cxx and the conditional HAVE_CXX. C++ is needed for one test only.
AC_DEFUN([BATON_HAVE_CXX], [
    AC_LANG_PUSH([C++])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [static_assert(sizeof(int) >= 2, "")])], [have_cxx=yes], [have_cxx=no])
    AC_LANG_POP([C++])
    AM_CONDITIONAL([HAVE_CXX], [test "x$have_cxx" = xyes])
])

# BATON_TRY_FLAG(VARIABLE, FLAG, [PROGRAM]): adds the flag to the variable when the compiler builds the program with it and says nothing.
AC_DEFUN([BATON_TRY_FLAG], [
    AC_MSG_CHECKING([whether $CC takes $2])
    baton_saved_cflags=$CFLAGS
    CFLAGS="$CFLAGS $2 -Werror"
    AC_LINK_IFELSE([m4_default([$3], [AC_LANG_PROGRAM([], [])])], [$1="$$1 $2"; baton_takes=yes], [baton_takes=no])
    CFLAGS=$baton_saved_cflags
    AC_MSG_RESULT([$baton_takes])
])
