// SPDX-License-Identifier: BSD-3-Clause
#include "sim/windows/loader.h"

#include <cstring>
#include <random>

#include "sim/windows/fake_program.h"

namespace wperf::sim {
namespace {

std::unique_ptr<Process> load(const std::string& name, u64 seed, LoadError& error) {
  return Process::load(workload(name), name, seed, error);
}

ImageFile file_of(const std::string& name) {
  return {name, name, workload_bytes(name)};
}

// Replaces a string of the file with another that is not longer.
void replace(std::vector<std::byte>& bytes, const std::string& from, const std::string& to) {
  const auto found = std::search(bytes.begin(), bytes.end(), from.begin(), from.end(),
                                 [](std::byte left, char right) { return left == static_cast<std::byte>(right); });
  ASSERT_NE(found, bytes.end()) << from;
  for (usize index = 0; index <= from.size(); ++index) {
    found[static_cast<std::ptrdiff_t>(index)] = index < to.size() ? static_cast<std::byte>(to[index]) : std::byte{0};
  }
}

TEST(Loader, lists_the_program_its_dlls_and_windows) {
  LoadError error;
  const auto process = load("googolplex.exe", 1, error);
  ASSERT_NE(process, nullptr) << error.text;
  const auto& modules = process->modules();
  ASSERT_EQ(modules.size(), 5u);
  EXPECT_EQ(modules[0].name, "googolplex.exe");
  EXPECT_EQ(modules[0].path, workload("googolplex.exe"));
  EXPECT_EQ(modules[0].base >> 32, 0x7ff6u);
  EXPECT_EQ(modules[1].name, "bignum.dll");
  EXPECT_EQ(modules[1].base >> 32, 0x7ffbu);
  EXPECT_EQ(modules[2].name, "ntdll.dll");
  EXPECT_EQ(modules[2].path, "");
  for (const Module& module : modules) EXPECT_EQ(module.base % 0x10000, 0u) << module.name;
}

TEST(Loader, the_seed_alone_decides_the_addresses) {
  LoadError error;
  const auto first = load("googolplex.exe", 7, error);
  const auto again = load("googolplex.exe", 7, error);
  const auto other = load("googolplex.exe", 8, error);
  ASSERT_TRUE(first && again && other);
  for (usize index = 0; index < first->modules().size(); ++index) {
    EXPECT_EQ(first->modules()[index].base, again->modules()[index].base);
    EXPECT_NE(first->modules()[index].base, other->modules()[index].base);
  }
  EXPECT_EQ(first->thread().x, again->thread().x);
  EXPECT_EQ(first->thread().sp, again->thread().sp);
}

TEST(Loader, permissions_are_those_of_the_sections) {
  LoadError error;
  const auto process = load("fib.exe", 1, error);
  ASSERT_NE(process, nullptr) << error.text;
  const u64 base = process->modules()[0].base;
  u32 headers = 99;
  u32 text = 99;
  for (const Region& region : process->space().regions()) {
    if (region.base == base) headers = region.permissions;
    if (region.base == base + 0x1000) text = region.permissions;
  }
  EXPECT_EQ(headers, u32{kRead});
  EXPECT_EQ(text, u32{kRead | kExecute});
}

TEST(Loader, relocates_and_binds) {
  LoadError error;
  const auto process = load("probe.exe", 3, error);
  ASSERT_NE(process, nullptr) << error.text;
  PeImage image;
  ASSERT_EQ(parse_pe(workload_bytes("probe.exe"), image), "");
  const Module& program = process->modules()[0];
  u64 pointer = 0;
  ASSERT_FALSE(image.relocation_rvas.empty());
  ASSERT_TRUE(process->space().read(program.base + image.relocation_rvas[0], &pointer, sizeof pointer));
  EXPECT_LT(pointer - program.base, program.size);
  for (const PeImport& import : image.imports) {
    for (const PeSymbol& symbol : import.symbols) {
      u64 bound = 0;
      ASSERT_TRUE(process->space().read(program.base + symbol.slot_rva, &bound, sizeof bound));
      bool in_module = false;
      for (const Module& module : process->modules()) in_module |= bound - module.base < module.size;
      EXPECT_TRUE(in_module) << import.dll << "!" << symbol.name;
    }
  }
}

TEST(Loader, starts_with_the_dlls) {
  LoadError error;
  const auto process = load("googolplex.exe", 1, error);
  ASSERT_NE(process, nullptr);
  const Module& dll = process->modules()[1];
  EXPECT_EQ(process->thread().pc, dll.entry);
  EXPECT_EQ(process->thread().x[0], dll.base);
  EXPECT_EQ(process->thread().x[1], 1u);
  process->thread().x[0] = 1;
  EXPECT_EQ(process->kernel_call(kNextStartNumber, 0), CallOutcome::resume);
  EXPECT_EQ(process->thread().pc, process->modules()[0].entry);
}

TEST(Loader, a_dll_may_refuse) {
  LoadError error;
  const auto process = load("googolplex.exe", 1, error);
  ASSERT_NE(process, nullptr);
  process->thread().x[0] = 0;
  EXPECT_EQ(process->kernel_call(kNextStartNumber, 0), CallOutcome::crashed);
  EXPECT_EQ(process->exit_code(), 0xc0000142u);
  EXPECT_NE(process->crash_text().find("bignum.dll returned FALSE"), std::string::npos) << process->crash_text();
}

TEST(Loader, prepares_the_first_thread) {
  FakeProgram program("steady.exe 1 2");
  const ThreadState& thread = program.process->thread();
  const u64 teb = thread.x[18];
  EXPECT_EQ(program.get<u64>(teb + 0x30), teb);
  const u64 peb = program.get<u64>(teb + 0x60);
  EXPECT_EQ(thread.x[0], peb);
  EXPECT_EQ(program.get<u64>(peb + 0x10), program.process->modules()[0].base);
  EXPECT_EQ(thread.sp % 16, 0u);
  EXPECT_LT(thread.sp, program.get<u64>(teb + 0x08));
  const u64 limit = program.get<u64>(teb + 0x10);
  EXPECT_EQ(program.get<u64>(teb + 0x08) - limit, 1u << 20);
  EXPECT_TRUE(program.process->space().view(limit - 8, 8).empty());  // the guard page
  EXPECT_EQ(program.get<u64>(teb + 0x40), 1000u);
  program.process->set_ids(4242, 4246);
  EXPECT_EQ(program.get<u64>(teb + 0x40), 4242u);
  EXPECT_EQ(program.get<u64>(teb + 0x48), 4246u);
  // Returning from the entry point arrives at a stub: svc #0.
  EXPECT_EQ(program.get<u32>(thread.x[30]), 0xd4000001u);
}

TEST(Loader, names_all_missing_functions) {
  ImageFile program = file_of("fib.exe");
  replace(program.bytes, "GetStdHandle", "GetNothing");
  replace(program.bytes, "VirtualAlloc", "VirtualBloc");
  MemorySource source;
  LoadError error;
  EXPECT_EQ(Process::load(program, source, "fib.exe", 1, error), nullptr);
  EXPECT_EQ(error.text,
            "fib.exe imports KERNEL32.dll!GetNothing and KERNEL32.dll!VirtualBloc, which the simulator does not have");
}

TEST(Loader, names_a_missing_dll_and_a_missing_export) {
  const ImageFile program = file_of("googolplex.exe");
  MemorySource source;
  LoadError error;
  EXPECT_EQ(Process::load(program, source, "", 1, error), nullptr);
  EXPECT_EQ(error.text,
            "googolplex.exe needs bignum.dll, which is neither in the program's folder nor part of the simulator");
  source.files.push_back(file_of("bignum.dll"));
  source.files[0].name = "BigNum.DLL";
  EXPECT_NE(Process::load(program, source, "", 1, error), nullptr) << error.text;
  replace(source.files[0].bytes, "big_release", "big_rebase");
  EXPECT_EQ(Process::load(program, source, "", 1, error), nullptr);
  EXPECT_EQ(error.text, "googolplex.exe imports bignum.dll!big_release, which cannot be found");
}

TEST(Loader, wants_programs_and_dlls_in_their_places) {
  LoadError error;
  EXPECT_EQ(load("bignum.dll", 1, error), nullptr);
  EXPECT_EQ(error.text, "bignum.dll is a DLL, not a program");
  EXPECT_EQ(load("nothing.exe", 1, error), nullptr);
  EXPECT_TRUE(error.text.ends_with(workload("nothing.exe"))) << error.text;
  EXPECT_EQ(error.hint, "") << "what it could run is no help to who mistyped a name";
  MemorySource source;
  source.files.push_back(file_of("fib.exe"));
  source.files[0].name = "bignum.dll";
  EXPECT_EQ(Process::load(file_of("googolplex.exe"), source, "", 1, error), nullptr);
  EXPECT_EQ(error.text.find("bignum.dll is a program"), 0u) << error.text;
}

TEST(Loader, an_image_without_relocations_stays_at_its_base) {
  ImageFile program = file_of("exact.exe");
  const auto pe = std::to_integer<usize>(program.bytes[0x3c]);
  program.bytes[pe + 22] |= std::byte{1};  // relocations stripped
  MemorySource source;
  LoadError error;
  const auto process = Process::load(program, source, "", 5, error);
  ASSERT_NE(process, nullptr) << error.text;
  EXPECT_EQ(process->modules()[0].base, 0x140000000u);
}

// Any bytes lead to an error or a process, never to a crash of the simulator. Run under sanitizers.
TEST(Loader, survives_damage) {
  std::mt19937 random(1);
  for (const char* name : {"probe.exe", "probe.dll", "bignum.dll", "googolplex.exe"}) {
    MemorySource source;
    source.files = {file_of("bignum.dll"), file_of("probe.dll")};
    const bool is_dll = std::strstr(name, ".dll") != nullptr;
    const auto good = workload_bytes(name);
    usize loaded = 0;
    for (u32 round = 0; round < 300; ++round) {
      auto bytes = good;
      for (u32 flips = 1 + random() % 4; flips > 0; --flips) {
        // Half of the damage goes to the headers, where it has most effect.
        const usize offset = random() % (random() % 2 != 0 ? 0x400 : bytes.size());
        bytes[offset] ^= static_cast<std::byte>(1 + random() % 255);
      }
      ImageFile program = file_of("probe.exe");
      if (is_dll) {
        for (ImageFile& file : source.files) {
          if (file.name == name) file.bytes = bytes;
        }
      } else {
        program.name = name;
        program.bytes = bytes;
      }
      LoadError error;
      const auto process = Process::load(program, source, "", 1, error);
      EXPECT_EQ(process == nullptr, !error.text.empty());
      loaded += process != nullptr;
    }
    EXPECT_GT(loaded, 0u);
    EXPECT_LT(loaded, 300u);
  }
}

}  // namespace
}  // namespace wperf::sim
