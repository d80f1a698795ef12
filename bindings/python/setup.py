"""Builds baton._core against the installed library, which pkg-config finds.

BATON_BUNDLE=1 puts the library itself into the wheel, beside the extension, which then looks for it there.
"""

import os
import shlex
import shutil
import subprocess
from glob import glob

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


def pkg_config(*options):
    """What pkg-config says about baton, as a list of words."""
    command = [os.environ.get("PKG_CONFIG", "pkg-config"), *options, "baton"]
    try:
        return shlex.split(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    except FileNotFoundError as error:
        raise SystemExit("pkg-config is missing: it tells where the Baton library is installed") from error
    except subprocess.CalledProcessError as error:
        raise SystemExit(
            f"{error.stderr}Install the Baton library first, or set PKG_CONFIG_PATH to where baton.pc lies."
        ) from error


class Build(build_ext):
    """Adds the library and its headers to the package when that is asked for."""

    def run(self):
        super().run()
        if not bundle:
            return
        folder = os.path.dirname(self.get_ext_fullpath("baton._core"))
        places = [("libdir", "libbaton.so.0"), ("includedir", "baton.h"), ("includedir", "baton_ffi.h")]
        for variable, name in places:
            shutil.copyfile(os.path.join(pkg_config(f"--variable={variable}")[0], name), os.path.join(folder, name))


bundle = os.environ.get("BATON_BUNDLE", "") not in ("", "0")
rpath = "$ORIGIN" if bundle else pkg_config("--variable=libdir")[0]

setup(
    license="MIT",  # here, since the fields of pyproject.toml for it depend on the age of setuptools
    ext_modules=[
        Extension(
            "baton._core",
            sorted(glob("src/*.c")),
            depends=glob("src/*.h") + ["baton/baton_python.h"],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            extra_compile_args=["-std=c11", "-fvisibility=hidden", "-Wall", "-Wextra", *pkg_config("--cflags")],
            extra_link_args=[*pkg_config("--libs"), f"-Wl,-rpath,{rpath}"],
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
    cmdclass={"build_ext": Build},
)
