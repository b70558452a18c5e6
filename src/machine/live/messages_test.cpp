// SPDX-License-Identifier: BSD-3-Clause
#include "machine/live/messages.h"

#include <gtest/gtest.h>

namespace wperf::live {
namespace {

Fields fields_of(const std::string& message) {
  const FoundMessage found = find_message(message);
  EXPECT_TRUE(found.complete);
  return Fields(found.fields);
}

TEST(Messages, AMessageIsFoundWhenItIsComplete) {
  Writer writer(What::kill);
  writer.put(u32{1000});
  const std::string message = std::move(writer).take();
  EXPECT_FALSE(find_message("").complete);
  for (size_t size = 0; size < message.size(); ++size)
    EXPECT_FALSE(find_message(std::string_view(message).substr(0, size)).complete) << size;
  const std::string with_more = message + "more";
  const FoundMessage found = find_message(with_more);
  ASSERT_TRUE(found.complete);
  EXPECT_FALSE(found.damaged);
  EXPECT_EQ(found.header.what, static_cast<u32>(What::kill));
  EXPECT_EQ(Fields(found.fields).take<u32>(), 1000u);
}

TEST(Messages, ASizeBeyondAllBoundsIsDamage) {
  std::string message = Writer(What::now).take();
  const u32 size = kMostBytes + 1;
  std::memcpy(message.data(), &size, sizeof size);
  EXPECT_TRUE(find_message(message).damaged);
  EXPECT_FALSE(find_message(message).complete);
}

TEST(Messages, ProgramMessageRoundTrips) {
  Writer writer(What::start);
  put_start(writer, {.program = {"/tmp/a b.exe", "\"a b.exe\" -c 1", 3, 0xc, {}}, .at_once = true, .detached = true});
  const std::string message = std::move(writer).take();
  Fields fields = fields_of(message);
  const auto read = read_start(fields);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->program.image, "/tmp/a b.exe");
  EXPECT_EQ(read->program.command_line, "\"a b.exe\" -c 1");
  EXPECT_EQ(read->program.core, 3u);
  EXPECT_EQ(read->program.affinity, 0xcu);
  EXPECT_TRUE(read->at_once);
  EXPECT_TRUE(read->detached);
}

TEST(Messages, AProgramWithMissingBytesOrAZeroIsRefused) {
  Writer writer(What::start);
  put_start(writer, {.program = {"p.exe", "p.exe", 0, 0, {}}, .at_once = false, .detached = false});
  const std::string message = std::move(writer).take();
  const bytes::Span all = find_message(message).fields;
  for (size_t size = 0; size < all.size(); ++size) {
    Fields fields(all.first(size));
    EXPECT_FALSE(read_start(fields).has_value()) << size;
  }
  Writer zero(What::start);
  put_start(zero, {.program = {std::string("p\0.exe", 6), "p.exe", 0, 0, {}}, .at_once = false, .detached = false});
  const std::string with_zero = std::move(zero).take();
  Fields fields = fields_of(with_zero);
  EXPECT_FALSE(read_start(fields).has_value());
}

TEST(Messages, ThoseOfAMomentAreFoundAmongOthers) {
  Writer read(What::read_memory);
  read.put(u32{1}).in_moment();
  const std::string first = Writer(What::now).take(), second = std::move(read).take();
  const std::string all = first + second;
  EXPECT_EQ(find_message(all).begin, 0u);
  const FoundMessage found = find_message(all, true);
  ASSERT_TRUE(found.complete);
  EXPECT_EQ(found.begin, first.size());
  EXPECT_EQ(found.header.what, static_cast<u32>(What::read_memory) | kInMoment);
  EXPECT_EQ(found.fields.size(), sizeof(u32));
  EXPECT_FALSE(find_message(second).complete);
  EXPECT_FALSE(find_message(first, true).complete);
  EXPECT_FALSE(find_message(all.substr(0, all.size() - 1), true).complete);
}

TEST(Messages, AMomentTravels) {
  const std::string message =
      Writer::news({.time_ns = 1, .ticks = 2, .pc = 3, .process = 4, .thread = 5, .core = 6}).take();
  EXPECT_EQ(find_message(message).header.what, kMoment);
  Fields fields = fields_of(message);
  const auto moment = read_moment(fields);
  ASSERT_TRUE(moment.has_value());
  EXPECT_EQ(moment->ticks, 2u);
  EXPECT_EQ(moment->pc, 3u);
  EXPECT_EQ(moment->process, 4u);
  EXPECT_EQ(moment->thread, 5u);
  Fields cut(find_message(message).fields.first(12));
  EXPECT_FALSE(read_moment(cut).has_value());
}

TEST(Messages, MemoryIsReadWithinBounds) {
  const auto read = [](u64 size, u64 extra) {
    Writer writer(What::read_memory);
    put_memory_request(writer, {.process = 7, .address = ~u64{0}, .size = size});
    if (extra != 0) writer.put(extra);
    const std::string message = std::move(writer).take();
    Fields fields = fields_of(message);
    return read_memory_request(fields);
  };
  ASSERT_TRUE(read(kMostMemory, 0).has_value());
  EXPECT_EQ(read(kMostMemory, 0)->address, ~u64{0});
  EXPECT_FALSE(read(kMostMemory + 1, 0).has_value());
  EXPECT_FALSE(read(~u64{0}, 0).has_value());
  EXPECT_FALSE(read(8, 1).has_value());
}

TEST(Messages, ProcessesTravelWithModulesAndThreads) {
  std::vector<readings::Process> all(2);
  all[0] = {.pid = 1000,
            .image = "/x/p.exe",
            .core = 1,
            .running = true,
            .exit_code = 0,
            .modules = {},
            .threads = {1004, 101004}};
  all[0].modules = {{.name = "p.exe", .path = "/x/p.exe", .base = 0x140000000, .size = 0x5000, .entry = 0x140001000},
                    {.name = "ntdll.dll", .path = "", .base = 0x7ff0000000, .size = 0x90000, .entry = 0}};
  all[1].pid = 1008;
  Writer writer = Writer::answer();
  put_processes(writer, all);
  const std::string message = std::move(writer).take();
  Fields fields = fields_of(message);
  const auto read = read_processes(fields);
  EXPECT_TRUE(fields.sound());
  EXPECT_TRUE(fields.ended());
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].threads, all[0].threads);
  ASSERT_EQ(read[0].modules.size(), 2u);
  EXPECT_EQ(read[0].modules[1].name, "ntdll.dll");
  EXPECT_EQ(read[0].modules[1].base, 0x7ff0000000u);
  EXPECT_TRUE(read[0].running);
  EXPECT_EQ(read[1].pid, 1008u);
}

TEST(Messages, ARefusalCarriesItsError) {
  const std::string message = Writer::refusal({.text = "no", .hint = "yes", .code = diag::ExitCode::usage}).take();
  EXPECT_EQ(find_message(message).header.what, 1u);
  Fields fields = fields_of(message);
  const diag::Error error = read_error(fields);
  EXPECT_EQ(error.text, "no");
  EXPECT_EQ(error.hint, "yes");
  EXPECT_EQ(error.code, diag::ExitCode::usage);
}

TEST(Messages, AnErrorCodeThatDoesNotExistIsAFailure) {
  const std::string message =
      Writer::refusal({.text = "x", .hint = {}, .code = static_cast<diag::ExitCode>(77)}).take();
  Fields fields = fields_of(message);
  EXPECT_EQ(read_error(fields).code, diag::ExitCode::failed);
}

}  // namespace
}  // namespace wperf::live
