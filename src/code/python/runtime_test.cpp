// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/runtime.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "code/python/interpreter_image_test.h"
#include "code/symbols/elf/elf_builder_test.h"
#include "code/symbols/pe/pe_builder_test.h"

namespace wperf::python {
namespace {

constexpr u64 kRuntime = 0x1400, kVersion = 0x1480, kEvaluation = 0x2100, kEvaluationSize = 0x300;  // linked addresses

std::vector<std::byte> interpreter_file(bool has_section) {
  symbols::ElfBuilder builder;
  if (has_section) builder.add_section(".PyRuntime", 1, 3, kRuntime, std::vector<std::byte>(64));
  builder.add_symbols({{.name = "Py_Version", .value = kVersion, .size = 8, .type = symbols::elf::kTypeObject},
                       {.name = "_PyEval_EvalFrameDefault", .value = kEvaluation, .size = kEvaluationSize},
                       {.name = "_PyEval_Vector", .value = kEvaluation + kEvaluationSize, .size = 32},
                       {.name = "_PyRuntime", .value = kRuntime, .size = 64, .type = symbols::elf::kTypeObject}},
                      true);
  return builder.build();
}

std::string written(const std::string& name, std::span<const std::byte> bytes) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "python_runtime";
  std::filesystem::create_directories(folder);
  const auto path = folder / name;
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path.string();
}

TEST(PythonRuntime, NamesTellVersions) {
  EXPECT_EQ(version_in_name("python3.11"), 0x030b00f0u);
  EXPECT_EQ(version_in_name("libpython3.13.so.1.0"), 0x030d00f0u);
  EXPECT_EQ(version_in_name("libpython3.14t.so.1.0"), 0x030e00f0u);
  EXPECT_EQ(version_in_name("python3.13t"), 0x030d00f0u);
  EXPECT_EQ(version_in_name("python312.dll"), 0x030c00f0u);
  EXPECT_EQ(version_in_name("python313_d.dll"), 0x030d00f0u);
  EXPECT_EQ(version_in_name("python313_dx.dll"), 0u);
  for (const char* name : {"python", "python3", "python3.11-config", "libpython3.so", "xpython3.11", "python3.999",
                           "python3.", "libpython2.7.so", ""}) {
    EXPECT_EQ(version_in_name(name), 0u) << name;
  }
}

TEST(PythonRuntime, IsASectionOrASymbol) {
  for (const bool has_section : {true, false}) {
    const auto bytes = interpreter_file(has_section);
    const auto elf = symbols::ElfFile::parse(bytes);
    ASSERT_TRUE(elf.has_value());
    const auto found = runtime_in_elf(elf.value());
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->runtime, kRuntime);
    EXPECT_EQ(found->version, kVersion);
    ASSERT_EQ(found->evaluation.size(), 1u);
    EXPECT_EQ(found->evaluation[0].begin, kEvaluation);
    EXPECT_EQ(found->evaluation[0].end, kEvaluation + kEvaluationSize);
  }
  const auto other = symbols::ElfBuilder().build();
  EXPECT_FALSE(runtime_in_elf(symbols::ElfFile::parse(other).value()).has_value());
}

TEST(PythonRuntime, MayHaveAnUnknownFunctionThatInterprets) {
  symbols::ElfBuilder builder;
  builder.add_section(".PyRuntime", 1, 3, kRuntime, std::vector<std::byte>(64));
  const auto bytes = builder.build();
  const auto found = runtime_in_elf(symbols::ElfFile::parse(bytes).value());
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->evaluation.empty());
  InterpreterImage memory(layout_of_version(0x030b02f0).value());
  const std::vector<os::FileMapping> mappings = {{.begin = InterpreterImage::kBase,
                                                  .end = 0x20000,
                                                  .file_offset = 0x200,
                                                  .path = written("libpython3.11.so", bytes)}};
  const auto in_process = find_runtime(mappings, memory, 0);
  ASSERT_TRUE(in_process.has_value()) << in_process.error().text;
  EXPECT_TRUE(in_process.value().evaluation.empty());
}

TEST(PythonRuntime, IsASectionOfAnImage) {
  symbols::PeBuilder builder;
  builder.add_section(".text", std::string(16, '\0'), symbols::kCodeSection);
  builder.add_section("PyRuntim", std::string(64, '\0'), symbols::kDataSection);
  const auto bytes = builder.build();
  const auto image = symbols::PeFile::parse(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(image.has_value());
  const auto found = runtime_in_image(image.value());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->runtime, 0x2000u);
  EXPECT_FALSE(found->version.has_value());
  EXPECT_TRUE(found->evaluation.empty());
}

TEST(PythonRuntime, OfAnImageExportsWhatIsNeeded) {
  symbols::PeBuilder builder;
  builder.add_section(".text", std::string(0x100, '\0'), symbols::kCodeSection);
  builder.add_section("PyRuntim", std::string(64, '\0'), symbols::kDataSection);
  builder.add_function(0x1000, 0x20);
  builder.add_function(0x1040, 0x80);
  builder.add_export("PyEval_EvalCode", 0x1000);
  builder.add_export("Py_Version", 0x2010);
  builder.add_export("_PyEval_EvalFrameDefault", 0x1040);
  const auto bytes = builder.build();
  const auto image = symbols::PeFile::parse(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(image.has_value());
  const auto found = runtime_in_image(image.value());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->version, 0x2010u);
  ASSERT_EQ(found->evaluation.size(), 1u);
  EXPECT_EQ(found->evaluation[0].begin, 0x1040u);
  EXPECT_EQ(found->evaluation[0].end, 0x10c0u);
}

TEST(PythonRuntime, IsFoundThroughTheMappingsOfAProcess) {
  InterpreterImage memory(layout_of_version(0x030b02f0).value());
  // The file from 0x200 on is linked at 0x1200.
  const u64 bias = InterpreterImage::kBase - 0x1200;
  memory.put(bias + kVersion, u32{0x030b02f0});
  const std::string program = written("program", symbols::ElfBuilder().build());
  const std::string library = written("libpython3.11.so.1.0", interpreter_file(true));
  const std::vector<os::FileMapping> mappings = {
      {.begin = 0x1000, .end = 0x2000, .file_offset = 0, .path = program},
      {.begin = 0x4000, .end = 0x5000, .file_offset = 0, .path = "/usr/lib/libc.so.6"},
      {.begin = InterpreterImage::kBase, .end = 0x20000, .file_offset = 0x200, .path = library},
      {.begin = 0x30000, .end = 0x40000, .file_offset = 0x400, .path = library}};
  const auto found = find_runtime(mappings, memory, 0);
  ASSERT_TRUE(found.has_value()) << found.error().text;
  EXPECT_EQ(found.value().address, bias + kRuntime);
  EXPECT_EQ(found.value().version, 0x030b02f0u);
  ASSERT_EQ(found.value().evaluation.size(), 1u);
  EXPECT_EQ(found.value().evaluation[0].begin, bias + kEvaluation);
  EXPECT_EQ(found.value().evaluation[0].end, bias + kEvaluation + kEvaluationSize);
  EXPECT_EQ(found.value().path, library);
  // The program itself contains an interpreter, whatever its name is.
  const std::vector<os::FileMapping> own = {{.begin = InterpreterImage::kBase,
                                             .end = 0x20000,
                                             .file_offset = 0x200,
                                             .path = written("own", interpreter_file(true))}};
  const auto found_own = find_runtime(own, memory, 0);
  ASSERT_TRUE(found_own.has_value()) << found_own.error().text;
  EXPECT_EQ(found_own.value().address, bias + kRuntime);
  // A file without an interpreter's name is not searched by symbol.
  const std::vector<os::FileMapping> unmarked = {{.begin = InterpreterImage::kBase,
                                                  .end = 0x20000,
                                                  .file_offset = 0x200,
                                                  .path = written("unmarked", interpreter_file(false))}};
  EXPECT_FALSE(find_runtime(unmarked, memory, 0).has_value());
}

TEST(PythonRuntime, IsMissingInOtherProcesses) {
  InterpreterImage memory(layout_of_version(0x030b02f0).value());
  EXPECT_EQ(find_runtime({}, memory, 0).error().text, "the process has no interpreter of Python");
  const std::vector<os::FileMapping> mappings = {
      {.begin = 0x1000, .end = 0x2000, .file_offset = 0, .path = written("program", symbols::ElfBuilder().build())},
      {.begin = 0x3000, .end = 0x4000, .file_offset = 0, .path = "/nowhere/libpython3.11.so.1.0"}};
  EXPECT_FALSE(find_runtime(mappings, memory, 0).has_value());
}

}  // namespace
}  // namespace wperf::python
