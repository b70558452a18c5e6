// SPDX-License-Identifier: BSD-3-Clause
#include "machine/live/sample_moments_linux.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <thread>

namespace wperf::live {
namespace {

constexpr u32 kProcess = 1000;
constexpr u64 kAddress = 0x140000000;

class FewPrograms final : public device::Programs {
 public:
  diag::Result<u32> spawn(const std::string&, const std::string&, u32) override { return kProcess; }
  device::ProcessState process(u32) override { return {}; }
  void kill(u32) override {}
  std::vector<readings::Process> processes() override { return std::vector<readings::Process>(3); }
  diag::Result<void> wait(u64, u32) override { return {}; }
  u64 now_ns() override { return 77; }
  bool read_memory(u32 pid, u64 address, std::span<std::byte> to) override {
    if (pid != kProcess || address != kAddress) return false;
    std::ranges::fill(to, std::byte{0x5a});
    return true;
  }
};

class SampleMomentsTest : public testing::Test {
 protected:
  SampleMomentsTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    client_.socket = Descriptor(ends[0]);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);  // as accepted sockets are
    other_.socket = Descriptor(ends[1]);
    moments_.set_watching(client_, true);
  }

  // The client's part.
  void send(Writer&& request) {
    request.in_moment();
    other_.out = std::move(request).take();
    other_.send();
  }
  Fields receive(u32 expected) {
    FoundMessage found;
    const bool is_answer = expected != kMoment;
    taken_.erase(0, end_);
    while (!(found = find_message(taken_, is_answer)).complete && !other_.gone) {
      other_.receive();
      taken_ += std::exchange(other_.in, {});
    }
    end_ = found.begin + sizeof(Header) + found.header.size;
    EXPECT_EQ(found.header.what, is_answer ? expected | kInMoment : expected);
    return Fields(found.fields);
  }
  Fields ask(Writer&& request, u32 expected = 0) {
    send(std::move(request));
    return receive(expected);
  }
  static Writer memory_request(u32 process, u64 address, u64 size) {
    Writer writer(What::read_memory);
    put_memory_request(writer, {process, address, size});
    return writer;
  }

  FewPrograms programs_;
  SampleMoments moments_{programs_, std::chrono::milliseconds(5)};
  SampleMoments patient_{programs_, std::chrono::minutes(1)};
  ClientSocket client_, other_;
  std::string taken_;
  size_t end_ = 0;
};

TEST_F(SampleMomentsTest, TheClientReadsWhileTheMachineStandsStill) {
  patient_.set_watching(client_, true);
  client_.in = Writer(What::wait).take();  // an earlier request, which has no answer yet
  std::thread client([&] {
    Fields news = receive(kMoment);
    const auto moment = read_moment(news);
    ASSERT_TRUE(moment.has_value());
    EXPECT_EQ(moment->time_ns, 1u);
    EXPECT_EQ(moment->core, 6u);
    Fields memory = ask(memory_request(kProcess, kAddress, 70'000));
    const bytes::Span bytes = memory.take_bytes();
    ASSERT_EQ(bytes.size(), 70'000u);
    EXPECT_EQ(bytes[69'999], std::byte{0x5a});
    ask(memory_request(kProcess, 0, 8), 1);
    ask(memory_request(kProcess + 1, kAddress, 8), 1);
    ask(memory_request(kProcess, kAddress, kMostMemory + 1), 1);
    ask(memory_request(kProcess, kAddress, ~u64{0}), 1);
    ask(Writer(What::read_memory), 1);
    ask(Writer(What::kill), 1);
    EXPECT_EQ(ask(Writer(What::now)).take<u64>(), 77u);
    Fields programs = ask(Writer(What::processes));
    EXPECT_EQ(read_processes(programs).size(), 3u);
    ask(Writer(What::end_moment));
  });
  patient_.see({.time_ns = 1, .ticks = 2, .pc = 3, .process = 4, .thread = 5, .core = 6});
  client.join();
  EXPECT_EQ(find_message(client_.in).header.what, static_cast<u32>(What::wait));
}

TEST_F(SampleMomentsTest, ASlowClientMissesSamplesUntilItHasFinished) {
  moments_.see({.time_ns = 1});
  moments_.see({.time_ns = 2});
  receive(kMoment);
  const auto late = [&](Writer&& request, u32 expected) {
    send(std::move(request));
    client_.receive();
    moments_.answer(client_);
    receive(expected);
  };
  late(memory_request(kProcess, kAddress, 8), 1);
  late(Writer(What::end_moment), 0);
  moments_.see({.time_ns = 3});
  Fields news = receive(kMoment);
  EXPECT_EQ(read_moment(news)->time_ns, 3u);
}

TEST_F(SampleMomentsTest, AClientThatIsGoneStopsNothing) {
  patient_.set_watching(client_, true);
  other_.socket = Descriptor();
  patient_.see({.time_ns = 1});
  EXPECT_TRUE(client_.gone);
}

TEST_F(SampleMomentsTest, OnlyTheLastWatcherIsTold) {
  ClientSocket later;
  moments_.set_watching(later, true);
  moments_.set_watching(client_, false);
  EXPECT_TRUE(moments_.is_watched());
  moments_.set_watching(later, false);
  EXPECT_FALSE(moments_.is_watched());
  moments_.see({.time_ns = 1});
  EXPECT_EQ(client_.out, "");
}

}  // namespace
}  // namespace wperf::live
