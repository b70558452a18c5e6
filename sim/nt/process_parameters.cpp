// SPDX-License-Identifier: BSD-3-Clause
// Writes the parameters of a new process, RTL_USER_PROCESS_PARAMETERS, with its environment.
#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

template <class T>
void put_value(State& state, u64 address, T value) {
  state.space.write(address, &value, sizeof value);
}

struct WrittenText {
  u16 length = 0, capacity = 0;
  u32 padding = 0;
  u64 text = 0;
};

// Writes the texts that follow a block of parameters.
class TextWriter {
 public:
  TextWriter(State& state, u64 at) : state_(state), at_(at) {}
  WrittenText write(std::string_view text, u16 capacity = 0) { return write(to_utf16(text), capacity); }
  WrittenText write(std::vector<u16> units, u16 capacity = 0) {
    units.push_back(0);
    const u64 size = units.size() * sizeof(u16);
    const WrittenText result{static_cast<u16>(size - sizeof(u16)), std::max(static_cast<u16>(size), capacity), 0, at_};
    state_.space.write(at_, units.data(), size);
    at_ += (std::max<u64>(size, capacity) + 7) / 8 * 8;
    return result;
  }
  WrittenText write_bytes(std::span<const std::byte> bytes) {
    const auto size = static_cast<u16>(bytes.size());
    const WrittenText result{size, size, 0, size == 0 ? 0 : at_};
    state_.space.write(at_, bytes.data(), size);
    at_ += (u64{size} + 7) / 8 * 8;
    return result;
  }
  u64 at() const { return at_; }

 private:
  State& state_;
  u64 at_;
};

// Names in alphabetical order, as Windows keeps them.
std::vector<u16> environment_of(const State& state) {
  const std::vector<ProcessorFacts>& processors = state.system->processors;
  const ProcessorFacts processor = processors.empty() ? ProcessorFacts{} : processors.front();
  std::array<char, 8> revision{};
  std::snprintf(revision.data(), revision.size(), "%04x", processor.revision());
  const std::string computer(kComputerName);
  const std::string variables[] = {
      "ALLUSERSPROFILE=C:\\ProgramData",
      "APPDATA=C:\\users\\user\\AppData\\Roaming",
      "CommonProgramFiles=C:\\Program Files\\Common Files",
      "CommonProgramFiles(x86)=C:\\Program Files (x86)\\Common Files",
      "CommonProgramW6432=C:\\Program Files\\Common Files",
      "COMPUTERNAME=" + computer,
      "ComSpec=C:\\windows\\system32\\cmd.exe",
      "HOMEDRIVE=C:",
      "HOMEPATH=\\users\\user",
      "LOCALAPPDATA=C:\\users\\user\\AppData\\Local",
      "NUMBER_OF_PROCESSORS=" + std::to_string(state.processor_count),
      "OS=Windows_NT",
      "PATH=C:\\windows\\system32;C:\\windows;C:\\app",
      "PATHEXT=.COM;.EXE;.BAT;.CMD",
      "PROCESSOR_ARCHITECTURE=ARM64",
      "PROCESSOR_IDENTIFIER=" + identifier_of(processor) + ", " + std::string(vendor_of(processor)),
      "PROCESSOR_LEVEL=" + std::to_string(processor.part()),
      "PROCESSOR_REVISION=" + std::string(revision.data()),
      "ProgramData=C:\\ProgramData",
      "ProgramFiles=C:\\Program Files",
      "ProgramFiles(x86)=C:\\Program Files (x86)",
      "ProgramW6432=C:\\Program Files",
      "PUBLIC=C:\\users\\Public",
      "SESSIONNAME=Console",
      "SystemDrive=C:",
      "SystemRoot=C:\\windows",
      "TEMP=C:\\users\\user\\AppData\\Local\\Temp",
      "TMP=C:\\users\\user\\AppData\\Local\\Temp",
      "USERDOMAIN=" + computer,
      "USERNAME=user",
      "USERPROFILE=C:\\users\\user",
      "windir=C:\\windows",
      "WINEUSERNAME=user",  // what Wine's GetUserName() returns
  };
  std::string block;
  for (const std::string& variable : variables) block += variable + '\0';
  return to_utf16(block);
}

u64 standard_handle(State& state, File::Type type) {
  auto stream = std::make_shared<File>(type, nullptr);
  stream->path = "\\Device\\NamedPipe";
  return state.handles.add(std::move(stream));
}

// The startup information of a program that no other program started.
StartupFacts usual_startup(const State& state) {
  StartupFacts facts;
  facts.window.back() = 1;  // its window is shown
  facts.texts.front() = to_utf16(state.program_path);
  return facts;
}

u64 size_of(const StartupFacts& facts) {
  u64 size = facts.data.size() + 8;
  for (const std::vector<u16>& text : facts.texts) size += text.size() * sizeof(u16) + 16;
  return size;
}

void put_startup(State& state, u64 block, const StartupFacts& facts, TextWriter& texts) {
  state.space.write(block + 0x88, facts.window.data(), sizeof facts.window);
  u64 at = block + 0xb0;
  for (const std::vector<u16>& text : facts.texts) {
    put_value(state, at, texts.write(text));
    at += sizeof(WrittenText);
  }
  put_value(state, at, texts.write_bytes(facts.data));
}

}  // namespace

bool map_parameters(State& state, const Inheritance* inherited) {
  constexpr u64 kSize = 0x410, kWorkCapacity = 520;
  const std::vector<u16> environment = inherited != nullptr ? inherited->environment : environment_of(state);
  const std::string folder = inherited != nullptr ? inherited->current_folder : "C:\\work\\";
  const StartupFacts startup = inherited != nullptr ? inherited->startup : usual_startup(state);
  const u64 size = page_up(kSize + 2 * (state.command_line.size() + environment.size() + folder.size()) +
                           kWorkCapacity + 2 * (state.program_path.size() + 8) + size_of(startup) + 0x200);
  const u64 block = map_pages(state, 0, size, kPageReadWrite, false);
  if (block == 0) return false;
  TextWriter texts(state, block + kSize);
  put_value(state, block + 0x08, u32{1});  // normalised: its pointers are addresses
  if (is_console(state, File(File::Type::output, nullptr)) || is_console(state, File(File::Type::input, nullptr)))
    put_value(state, block + 0x10, standard_handle(state, File::Type::output));  // the console
  if (inherited != nullptr) put_value(state, block + 0x18, inherited->console_flags);
  for (usize index = 0; index < 3; ++index) {
    constexpr File::Type kTypes[] = {File::Type::input, File::Type::output, File::Type::error};
    put_value(state, block + 0x20 + 8 * index,
              inherited != nullptr ? inherited->standard_handles[index] : standard_handle(state, kTypes[index]));
  }
  put_value(state, block + 0x38, texts.write(folder, kWorkCapacity));
  put_value(state, block + 0x60, texts.write(state.program_path));
  put_value(state, block + 0x70, texts.write(state.command_line));
  put_startup(state, block, startup, texts);
  put_value(state, block + 0x80, texts.at());
  const u64 environment_at = texts.at();
  texts.write(environment);
  put_value(state, block + 0x3f0, (environment.size() + 1) * sizeof(u16));
  put_value(state, block + 0x408, state.group);
  put_value(state, block + 0x80, environment_at);
  const auto used = static_cast<u32>(texts.at() - block);
  const u32 sizes[2] = {used, used};
  state.space.write(block, sizes, sizeof sizes);
  put_value(state, state.peb + 0x20, block);
  return true;
}

}  // namespace wperf::sim::nt
