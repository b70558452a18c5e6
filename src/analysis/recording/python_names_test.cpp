// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/python_names.h"

#include <gtest/gtest.h>

namespace wperf::recording {
namespace {

TEST(PythonNames, AreReadAsTheyAreMade) {
  const std::string made = made_python_name("Worker.step", "/srv/app.py");
  EXPECT_EQ(made, "py::Worker.step:/srv/app.py");
  for (const auto& [function, file] : {std::pair("Worker.step", "/srv/app.py"),
                                       {"<module>", "C:\\app\\main.py"},
                                       {"outer.<locals>.<lambda>", "<string>"},
                                       {"příčka", ""},
                                       {"", "x.py"}}) {
    const std::string name = made_python_name(function, file);
    const auto read = python_name(name);
    ASSERT_TRUE(read.has_value()) << name;
    EXPECT_EQ(read->function, function);
    EXPECT_EQ(read->file, file);
  }
}

TEST(PythonNames, AreNotThoseOfOtherCode) {
  for (const char* name : {"", "py", "py::", "py::step", "py:step:x.py", "main", "std::sort", "xpy::step:x.py"})
    EXPECT_FALSE(python_name(name).has_value()) << name;
}

TEST(PythonNames, OfALine) {
  EXPECT_EQ(python_line_name("Parser.step", 12), "Parser.step:12");
}

TEST(PythonModule, IsTheFileAndForCommonNamesTheFolder) {
  EXPECT_EQ(python_module("/srv/app.py"), "app.py");
  EXPECT_EQ(python_module("app.py"), "app.py");
  EXPECT_EQ(python_module("C:\\srv\\app.py"), "app.py");
  EXPECT_EQ(python_module("/usr/lib/python3.11/json/__init__.py"), "json/__init__.py");
  EXPECT_EQ(python_module("json/__main__.py"), "json/__main__.py");
  EXPECT_EQ(python_module("C:\\Lib\\json\\__init__.py"), "json\\__init__.py");
  EXPECT_EQ(python_module("__init__.py"), "__init__.py");
  EXPECT_EQ(python_module("/__init__.py"), "/__init__.py");
  EXPECT_EQ(python_module("/srv/_private.py"), "_private.py");
  EXPECT_EQ(python_module("<frozen importlib._bootstrap>"), "<frozen importlib._bootstrap>");
  EXPECT_EQ(python_module("/srv/"), "");
  EXPECT_EQ(python_module(""), "");
}

}  // namespace
}  // namespace wperf::recording
