// SPDX-License-Identifier: BSD-3-Clause
// One system call of a simulated program: its arguments, the process that it may change, its answer. A wrong pointer
// gives STATUS_ACCESS_VIOLATION, as on Windows.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "sim/nt/state.h"

namespace wperf::sim::nt {

// Returned by a handler that has already set the thread's registers, or if the call is answered when its wait ends.
inline constexpr u64 kNoAnswer = kNever;

inline constexpr u64 kThisProcess = ~u64{0}, kThisThread = ~u64{1};

struct ObjectName {
  std::string text;  // "\??\C:\work\a.txt"; empty if there is no name
  u64 attributes = 0;
};

class Call {
 public:
  Call(State& process_state, Thread& calling_thread, std::string_view call_name, u64 virtual_now_ns, u64 done = 0)
      : state(process_state), thread(calling_thread), name(call_name), now_ns(virtual_now_ns), done_before(done) {}

  u64 argument(u32 index) const;  // from the ninth on they are on the stack; 0 if the stack cannot be read
  u32 argument32(u32 index) const { return static_cast<u32>(argument(index)); }

  // Access to the program's memory. A failure becomes the answer of the call.
  bool read(u64 address, void* out, u64 size);
  bool write(u64 address, const void* in, u64 size);
  template <class T>
  bool get(u64 address, T& value) {
    return read(address, &value, sizeof value);
  }
  template <class T>
  bool put(u64 address, const T& value) {
    return write(address, &value, sizeof value);
  }
  template <class T>
  bool put_if_wanted(u64 address, const T& value) {
    return address == 0 || put(address, value);
  }
  bool read_unicode(u64 address, std::string& out);  // a UNICODE_STRING, as UTF-8
  // Writes the header and the text of a UNICODE_STRING.
  static constexpr u64 kUnicodeHeader = 16;
  bool put_unicode(u64 address, std::span<const u16> text, bool ends_with_zero);
  // Reads the name in OBJECT_ATTRIBUTES. A name that is relative to a folder becomes a full name. A null pointer means
  // no name.
  Status read_name(u64 attributes, ObjectName& out);
  bool put_io_status(u64 address, Status status, u64 information);

  // Answers with `size` bytes of information of a class, if the program's buffer has room for all of them.
  Status answer_with(u64 buffer, u64 room, const void* bytes, u64 size, u64 size_at);

  // Like answer_with(), for calls on files, which return the size in the I/O status.
  Status answer_with_status(u64 status_at, u64 buffer, u64 room, const void* bytes, u64 size);

  // Creates a handle to the object and writes it to the address. The handle is inherited if the attributes that
  // read_name() read request it.
  Status give_handle(u64 address, ObjectPointer object);
  Thread* thread_of(u64 handle);  // of this process; null for a handle of a different kind
  Thread* thread_of_any_process(u64 handle);
  ObjectPointer object_of(u64 handle);                           // the pseudo-handles of process and thread included
  std::shared_ptr<ProcessObject> process_object_of(u64 handle);  // null for a handle of a different kind
  State* process_of(u64 handle);  // null for a handle of a different kind, and for a process that has ended

  u64 end_process(u32 code);
  u64 end_this_thread(u32 code);
  // Ends the program with an error sentence that names the call.
  u64 refuse(const std::string& why);
  // Ends the program because the simulated Windows lacks this thing, for example "the function ucrtbase.dll._spawn".
  u64 lack(const std::string& thing);

  bool failed() const { return bad_pointer_; }
  // Gives the thread the answer of its call, unless the answer comes later or the handler has set the registers.
  void end_with(u64 answer) const;
  CallOutcome outcome() const { return outcome_; }

  State& state;
  Thread& thread;
  const std::string_view name;
  const u64 now_ns;
  const u64 done_before;  // bytes that this call transferred before it waited for the host

 private:
  u64 crash(std::string why);
  // Puts the name of a folder or a key before a name that is relative to it.
  Status add_root(u64 root, std::string& text) const;

  bool bad_pointer_ = false;
  bool inherits_ = false;
  CallOutcome outcome_ = CallOutcome::resume;
};

}  // namespace wperf::sim::nt
