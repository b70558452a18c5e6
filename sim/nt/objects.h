// SPDX-License-Identifier: BSD-3-Clause
// The kernel objects of a process, and its handles to them.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ints.h"
#include "sim/nt/file_uses.h"
#include "sim/nt/guest_files.h"
#include "sim/nt/image_file.h"
#include "sim/nt/memory.h"
#include "sim/nt/network.h"
#include "sim/nt/page_ranges.h"
#include "sim/nt/registry.h"

namespace wperf::sim::nt {

struct Object {
  enum class Kind : u8 {
    event,
    semaphore,
    mutant,
    timer,
    thread,
    process,
    file,
    section,
    port,
    token,
    directory,
    job,
    key,
    link,
    keyed_event
  };
  explicit Object(Kind object_kind) : kind(object_kind) {}
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  // Other objects may still refer to this one.
  virtual void last_handle_closed() {}

  const Kind kind;
  u32 handles = 0;         // in all processes
  bool signalled = false;  // ends waits; semaphores, mutants and timers have their own fields
  u64 due_ns = ~u64{0};    // the time at which the object may become signalled without a call
  std::string name;        // the full name, if the object has one
};
using ObjectPointer = std::shared_ptr<Object>;

struct Event final : Object {
  static constexpr Kind kKind = Kind::event;
  explicit Event(bool resets) : Object(kKind), resets_itself(resets) {}
  bool resets_itself;  // the wait that it ends resets it
};

struct Semaphore final : Object {
  static constexpr Kind kKind = Kind::semaphore;
  Semaphore(u32 at_first, u32 at_most) : Object(kKind), count(at_first), most(at_most) {}
  u32 count, most;
};

struct Mutant final : Object {
  static constexpr Kind kKind = Kind::mutant;
  Mutant() : Object(kKind) {}
  u32 owner = 0;  // a thread's id; 0: free
  u32 depth = 0;
  bool abandoned = false;
};

struct Timer final : Object {
  static constexpr Kind kKind = Kind::timer;
  explicit Timer(bool resets) : Object(kKind), resets_itself(resets) {}
  bool resets_itself;
  u64 period_ns = 0;
  u64 routine = 0, context = 0;  // the thread `caller` calls the routine when the timer is due; 0: none
  u32 caller = 0;
  u64 owed_ns = ~u64{0};  // the due time for which the routine has not been called yet; ~0: none
};

struct ThreadObject final : Object {
  static constexpr Kind kKind = Kind::thread;
  explicit ThreadObject(u32 thread_id) : Object(kKind), id(thread_id) {}
  u32 id;
};

struct ProcessObject final : Object {
  static constexpr Kind kKind = Kind::process;
  static constexpr u32 kRuns = 0x103;  // the exit code of a process that has not ended
  ProcessObject() : Object(kKind) {}
  u32 id = 0;
  u32 exit_code = kRuns;
};

struct Port;

// IO_COUNTERS: how many reads, writes and other operations, and the bytes of each.
using IoCounts = std::array<u64, 6>;

// Processes that end together.
struct Job final : Object, std::enable_shared_from_this<Job> {
  static constexpr Kind kKind = Kind::job;
  static constexpr u32 kKillsAtClose = 0x2000;
  Job() : Object(kKind) {}
  u32 flags() const { return static_cast<u32>(limits[2]); }  // JOB_OBJECT_LIMIT_…
  std::vector<u32> processes;                                // all processes that were ever members
  std::array<u64, 18> limits{};                              // JOBOBJECT_EXTENDED_LIMIT_INFORMATION
  std::shared_ptr<Port> port;                                // receives the job's notifications; may be null
  u64 port_key = 0;
  IoCounts io_of_ended{};  // of the processes that have ended
};

// An object that has no state except its kind and name.
template <Object::Kind own_kind>
struct PlainObject final : Object {
  static constexpr Kind kKind = own_kind;
  PlainObject() : Object(kKind) {}
};
using TokenObject = PlainObject<Object::Kind::token>;
using Directory = PlainObject<Object::Kind::directory>;
using Link = PlainObject<Object::Kind::link>;  // among the names of objects
using KeyedEvent = PlainObject<Object::Kind::keyed_event>;

struct Key final : Object {
  static constexpr Kind kKind = Kind::key;
  Key(std::string path, std::shared_ptr<RegistryKey> opened) : Object(kKind), key(std::move(opened)) {
    name = std::move(path);
  }
  std::shared_ptr<RegistryKey> key;
};

// A completion port.
struct Port final : Object {
  static constexpr Kind kKind = Kind::port;
  struct Packet {
    u64 key = 0, value = 0, status = 0, information = 0;
  };
  static constexpr usize kMostPackets = 1 << 20;
  Port() : Object(kKind) {}
  std::deque<Packet> packets;
};

struct File;

// An operation on a file that ends later.
struct PendingIo {
  u32 process = 0, thread = 0;
  std::weak_ptr<File> file = {};           // expires when the file is closed
  std::shared_ptr<Event> event = nullptr;  // may be null
  std::shared_ptr<Port> port = nullptr;    // of the file; may be null
  u64 port_key = 0;
  u64 routine = 0;    // the thread calls it at the end; 0: none
  u64 context = 0;    // for the routine, or for the packet to the completion port
  u64 status_at = 0;  // in the memory of the process
};

// An overlapped read of an empty pipe.
struct PendingRead : PendingIo {
  u64 buffer = 0, length = 0;  // in the memory of the process
  bool connects = false;       // it waits for a client instead of bytes
};

// The two ends of a pipe: 0 is the server's, 1 the client's. Each has the bytes that it can read.
struct Pipe {
  static constexpr usize kServer = 0, kClient = 1;
  std::deque<char> bytes[2];
  bool has_messages = false;
  std::deque<u64> messages[2];  // for a pipe of messages: the lengths of the messages in `bytes`
  std::deque<PendingRead> reads[2];
  u64 most[2] = {};
  bool is_open[2] = {true, false};
  bool was_connected = false;
  u32 processes[2] = {};   // that opened its ends
  bool is_listed = false;  // in the list of pipes with pending reads
  u32 most_instances = 1;  // pipes of the same name

  bool is_empty(usize end) const { return has_messages ? messages[end].empty() : bytes[end].empty(); }
  bool has_ended(usize end) const { return was_connected && !is_open[1 - end]; }
};

class FileSystem;
struct FolderWatch;

// A file, a folder, a standard stream, the null device, an end of a pipe, the device of all pipes, or a socket.
struct File final : Object {
  static constexpr Kind kKind = Kind::file;
  enum class Type : u8 { disk, folder, input, output, error, null, pipe, pipes, socket, mounts };
  File(Type file_type, GuestFiles* in) : Object(kKind), type(file_type), files(in) {}
  ~File() override;
  void last_handle_closed() override;
  // From now on the handle restricts other uses of the file.
  void restrict_others(std::shared_ptr<FileUses> of_file);
  // The file will be removed with the last handle, and cannot be opened from now on.
  void announce_removal(bool removed);
  void remove_it();
  bool is_stream() const { return type != Type::disk && type != Type::folder; }
  bool is_standard() const { return type >= Type::input && type <= Type::error; }
  int stream() const { return static_cast<int>(type) - static_cast<int>(Type::input); }  // for StandardStreams

  Type type;
  GuestFiles* files;                   // for disk files and folders
  std::shared_ptr<FileSystem> keeps;   // owns `files`
  std::string host_name;               // the name for calls of `files`
  std::string path;                    // "\??\C:\work\a.txt"
  u32 number = 0;                      // the number of an open disk file
  u64 position = 0;                    // the next byte of a read or write without an offset
  bool appends = false;                // may only append
  bool may_write = true;               // false for a disk file that was opened for other uses
  bool removed_at_end = false;         // deleted when the last handle is closed
  bool announced = false;              // its removal was announced
  u32 rights = right::kAll;            // of its handles
  u32 shared = 0;                      // the uses that it leaves to others
  std::shared_ptr<FileUses> uses;      // of the file on the host, while there are handles; may be null
  bool answers_at_once = true;         // not opened for overlapped use
  bool quiet_at_once = false;          // no packet for operations that are completed at once
  std::vector<std::string> entries;    // the names in a fixed folder
  std::vector<std::string> found;      // the names in a folder that is being listed
  usize next = 0;                      // index in `found`
  bool listed = false;                 // a search has begun
  std::shared_ptr<FolderWatch> watch;  // null before a program watches the folder
  std::shared_ptr<Pipe> pipe;
  usize end = Pipe::kServer;       // the end of the pipe
  bool may_wait = true;            // reads of an empty pipe may wait
  bool reads_messages = false;     // one message of the pipe at a time
  std::shared_ptr<Socket> socket;  // null before it is made
  std::shared_ptr<Port> port;      // receives the completions
  u64 port_key = 0;
};

// The memory and addresses that the sections of a process take.
struct SectionSums {
  u64 bytes = 0;     // their memory
  u64 reserved = 0;  // the sizes of sections that reserve
};

struct Section final : Object {
  static constexpr Kind kKind = Kind::section;
  explicit Section(std::shared_ptr<SectionSums> of_process) : Object(kKind), sums(std::move(of_process)) {}
  ~Section() override;
  std::shared_ptr<ImageContents> image;  // for an image
  std::string path;                      // for an image: its name in lists of modules
  std::shared_ptr<File> file;            // for a mapped file
  std::shared_ptr<FileUses> uses;        // of the mapped file
  std::shared_ptr<HostMemory> memory;    // for all sections but images
  u64 size = 0;
  std::shared_ptr<SectionSums> sums;
  u64 charged = 0;  // its part of their bytes
  u32 protection = 0;
  bool reserves = false;  // the program commits its pages, in any of its views
  PageRanges committed;   // if it reserves; offsets in the section
};

// The reference of a handle to its object.
class HandleReference {
 public:
  HandleReference() = default;
  explicit HandleReference(ObjectPointer object) : object_(std::move(object)) {
    if (object_ != nullptr) ++object_->handles;
  }
  HandleReference(const HandleReference& other) : HandleReference(other.object_) {}
  HandleReference(HandleReference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  HandleReference& operator=(HandleReference other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~HandleReference() {
    if (object_ != nullptr && --object_->handles == 0) object_->last_handle_closed();
  }
  const ObjectPointer& object() const { return object_; }

 private:
  ObjectPointer object_;
};

class Handles {
 public:
  static constexpr usize kMost = 65536;

  // `inherits`: processes that this process creates get the handle, too. Returns 0 if there are too many.
  u64 add(ObjectPointer object, bool inherits = false);
  // Returns the inherited handles with their numbers: only the handles in `only`, or all if `only` is empty.
  Handles inherited(const std::vector<u64>& only) const;
  bool inherits(u64 handle) const;
  void set_inherits(u64 handle, bool inherits);
  // A protected handle cannot be closed.
  bool is_protected(u64 handle) const;
  void set_protected(u64 handle, bool is_protected);
  ObjectPointer at(u64 handle) const;  // null for an unknown handle
  template <class T>
  std::shared_ptr<T> at(u64 handle) const {
    ObjectPointer object = at(handle);
    return object != nullptr && object->kind == T::kKind ? std::static_pointer_cast<T>(object) : nullptr;
  }
  bool close(u64 handle);
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Entry& entry : entries_)
      if (entry.object() != nullptr) visit(*entry.object());
  }

 private:
  static constexpr u64 kStep = 4;
  struct Entry {
    HandleReference reference;
    bool inherits = false, is_protected = false;
    const ObjectPointer& object() const { return reference.object(); }
  };
  std::vector<Entry> entries_;  // index + 1 times kStep is the handle
  usize lowest_free_ = 0;       // no lower entry is free
};

}  // namespace wperf::sim::nt
