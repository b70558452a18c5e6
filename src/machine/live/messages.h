// SPDX-License-Identifier: BSD-3-Clause
// The messages between a machine that stays on and its clients: a header, followed by fields. Both sides are the same
// build, which `hello` checks, so numbers and plain structs are sent as they are in memory.
#pragma once
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/bytes/bytes.h"
#include "ground/diag/result.h"
#include "machine/device/driver_machine.h"
#include "machine/wperf_driver/sim_machine.h"

namespace wperf::live {

enum class What : u32 {
  hello,
  control,
  start,
  process,
  kill,
  interrupt,
  processes,
  wait,
  now,
  watch_schedule,
  take_schedule,
  visit_cores,
  schedule_truth,
  stop,
  watch_samples,
  // Sent at the moment of a sample, like `processes` and `now`:
  read_memory,
  end_moment
};

// The greeting of a client; the machine refuses any other greeting.
std::string greeting();

struct Header {
  u32 size = 0;  // size of the message after this header
  u32 what = 0;  // in requests: a What; in answers: 0; in refusals: 1; in reports of a sample: kMoment
};
inline constexpr u32 kMostBytes = 64u << 20;
// The machine reports each sample to the client that watches. It stands still while the client makes further requests;
// these and their answers have the mark kInMoment. Meanwhile, an earlier request of the client may still be unanswered.
inline constexpr u32 kMoment = 2, kInMoment = 1u << 31;

class Writer {
 public:
  explicit Writer(What what) : Writer(static_cast<u32>(what)) {}
  static Writer answer() { return Writer(0); }
  static Writer refusal(const diag::Error& error);
  static Writer news(const device::SampleWatcher::Moment& moment);
  Writer& in_moment();  // adds the mark

  template <typename T>
  Writer& put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Writer& put_text(std::string_view text) {
    put(u64{text.size()});
    bytes_.append(text);
    return *this;
  }
  Writer& put_bytes(bytes::Span bytes) { return put_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); }
  template <typename T>
  Writer& put_list(std::span<const T> list) {
    return put_bytes(std::as_bytes(list));
  }
  // Returns the whole message with its size.
  std::string take() &&;

 private:
  explicit Writer(u32 what);
  std::string bytes_;
};

// A read beyond the end makes sound() false for good.
class Fields {
 public:
  explicit Fields(bytes::Span bytes) : reader_(bytes) {}
  bool sound() const { return reader_.sound(); }
  bool ended() const { return reader_.left() == 0; }

  template <typename T>
  T take() {
    T value{};
    const bytes::Span bytes = reader_.bytes(sizeof value);
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  bytes::Span take_bytes() { return reader_.bytes(reader_.word()); }
  std::string take_text() {
    const bytes::Span text = take_bytes();
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }
  template <typename T>
  std::vector<T> take_list() {
    const bytes::Span bytes = take_bytes();
    std::vector<T> list(bytes.size() / sizeof(T));
    if (!list.empty()) std::memcpy(list.data(), bytes.data(), list.size() * sizeof(T));
    return list;
  }

 private:
  bytes::Reader reader_;
};

// Reads the error in a refusal.
diag::Error read_error(Fields& fields);
void put_processes(Writer& writer, const std::vector<readings::Process>& processes);
std::vector<readings::Process> read_processes(Fields& fields);

struct StartRequest {
  wperf_driver::SimulatedProgram program;  // without its streams
  bool at_once = false;                    // the program starts before this client's next wait
  bool detached = false;                   // the program does not end with this client
};
void put_start(Writer& writer, const StartRequest& request);
std::optional<StartRequest> read_start(Fields& fields);  // nullopt if damaged

std::optional<device::SampleWatcher::Moment> read_moment(Fields& fields);  // nullopt if damaged

inline constexpr u64 kMostMemory = 4u << 20;  // bytes of one request
struct MemoryRequest {
  u32 process = 0;
  u64 address = 0, size = 0;
};
void put_memory_request(Writer& writer, const MemoryRequest& request);
std::optional<MemoryRequest> read_memory_request(Fields& fields);  // nullopt if damaged or too large

// The answer to a request that cannot be understood.
Writer refusal_of_damage();

// The first complete message in `bytes` that has the mark kInMoment if `in_moment` is true, and otherwise no mark: its
// position, header and fields. `damaged`: no further message can be read.
struct FoundMessage {
  bool complete = false, damaged = false;
  size_t begin = 0;
  Header header;
  bytes::Span fields;
};
FoundMessage find_message(std::string_view bytes, bool in_moment = false);

}  // namespace wperf::live
