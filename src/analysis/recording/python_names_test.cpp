// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/python_names.h"

#include <gtest/gtest.h>

#include "analysis/recording/profile_tables.h"

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

TEST(PythonNames, AModuleGetsMoreFolders) {
  EXPECT_EQ(longer_python_module("/srv/a/utils.py", "utils.py"), "a/utils.py");
  EXPECT_EQ(longer_python_module("/srv/a/utils.py", "a/utils.py"), "srv/a/utils.py");
  EXPECT_EQ(longer_python_module("/utils.py", "utils.py"), "/utils.py");
  EXPECT_EQ(longer_python_module("/utils.py", "/utils.py"), "/utils.py");
  EXPECT_EQ(longer_python_module("utils.py", "utils.py"), "utils.py");
  EXPECT_EQ(longer_python_module("C:\\srv\\utils.py", "utils.py"), "srv\\utils.py");
}

TEST(PythonNames, LinesHaveTheNamesOfTheirFiles) {
  stacks::StackProfile profile;
  ProfileTables tables(profile);
  ProfileTables::ModuleOfFile files;
  std::vector<u32> lines;
  for (const std::string_view file : {"/srv/a/utils.py", "/srv/b/utils.py", "/srv/app.py", "/srv/app/__init__.py"}) {
    tables.module_of_python(file, files);
    lines.push_back(tables.add_line(file, 4));
  }
  EXPECT_EQ(tables.add_line("/srv/b/utils.py", 4), lines[1]);
  lines.push_back(tables.add_line("/home/me/x.c", 4));
  lines.push_back(tables.add_line("/nowhere/other.py", 4));
  tables.tell_python_files_apart();
  std::vector<std::string> names;
  for (const u32 line : lines) names.push_back(profile.lines[line]);
  EXPECT_EQ(names, (std::vector<std::string>{"a/utils.py:4", "b/utils.py:4", "app.py:4", "app/__init__.py:4", "x.c:4",
                                             "other.py:4"}));
}

TEST(PythonNames, TellFilesOfAnotherRoot) {
  const std::string made = made_python_name("f", "/app/serve.py", 4711);
  EXPECT_EQ(made, "py::f:/proc/4711/root/app/serve.py");
  const auto name = python_name(made);
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->file, "/app/serve.py");
  EXPECT_TRUE(name->is_of_other_root);
  for (const char* file : {"/app/serve.py", "/proc/x/root/a.py", "/proc//root/a.py", "/proc/1/rooted/a.py"}) {
    const std::string own = made_python_name("f", file);
    EXPECT_EQ(python_name(own)->file, file);
    EXPECT_FALSE(python_name(own)->is_of_other_root);
  }
  stacks::StackProfile profile;
  ProfileTables tables(profile);
  ProfileTables::ModuleOfFile files;
  const u32 there = tables.module_of_python("/app/serve.py", files, true);
  const u32 here = tables.module_of_python("/app/serve.py", files);
  EXPECT_NE(there, here);
  EXPECT_TRUE(profile.modules[there].is_of_other_root && profile.modules[there].is_python);
  EXPECT_FALSE(profile.modules[here].is_of_other_root);
}

TEST(PythonNames, FilesWithTheSameNameDiffer) {
  stacks::StackProfile profile;
  ProfileTables tables(profile);
  ProfileTables::ModuleOfFile files, of_other_code;
  const auto add = [&](std::string_view file) { tables.module_of_python(file, files); };
  for (const std::string_view file : {"/srv/a/utils.py", "/srv/b/utils.py", "/srv/app.py", "/x/p/q.py", "/y/p/q.py",
                                      "/x/r/q.py", "<string>", "util.py", "/srv/util.py"})
    add(file);
  tables.module_of_python("/srv/app.py", of_other_code);
  tables.module_of_python("/srv/b/utils.py", of_other_code);
  tables.tell_python_files_apart();
  std::vector<std::string> names;
  for (const stacks::StackModule& one : profile.modules) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a/utils.py", "b/utils.py", "app.py", "x/p/q.py", "y/p/q.py", "r/q.py",
                                             "<string>", "util.py", "srv/util.py", "app.py", "b/utils.py"}));
}

}  // namespace
}  // namespace wperf::recording
