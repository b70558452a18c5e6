# SPDX-License-Identifier: BSD-3-Clause
"""Compiles each .py file below the folder, so that an interpreter need not compile a file when it imports it."""
import os
import py_compile
import sys

for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        if name.endswith(".py"):
            py_compile.compile(os.path.join(folder, name), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
