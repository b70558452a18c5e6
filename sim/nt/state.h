// SPDX-License-Identifier: BSD-3-Clause
// The state of a process under the NT layer. NtProcess (nt_process.h) is its public face; the *_calls.cpp files change
// it through Call.
#pragma once
#include <algorithm>
#include <array>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/cpu/core_engine.h"
#include "sim/nt/folder_watches.h"
#include "sim/nt/guest_memory.h"
#include "sim/nt/memory.h"
#include "sim/nt/objects.h"
#include "sim/nt/paths.h"
#include "sim/nt/program.h"

namespace wperf::sim::nt {

inline constexpr u64 kNever = ~u64{0};

struct State;
struct Thread;
struct Service;         // a system call that this layer has (services.h)
struct ProcessOptions;  // nt_process.h

// An asynchronous procedure call that waits for the thread to be alertable.
struct Apc {
  u64 function = 0;
  u64 arguments[3] = {};
};

// The wait of a thread. It ends when its objects allow it, at its deadline, or with an APC.
struct Wait {
  enum class Kind : u8 { none, time, objects, alert, packets, host, meeting };
  Kind kind = Kind::none;
  std::vector<ObjectPointer>
      objects;  // for packets: the completion port; for a meeting of threads: the keyed event, if any
  bool all = false;
  bool alertable = false;
  u64 deadline_ns = kNever;
  u64 wake_ns = kNever;  // the time of the deadline, or of a timer that may end it
  u64 turn = 0;          // threads that have waited longer have smaller numbers
  // Where a wait for packets puts its results.
  u64 key_at = 0, value_at = 0, status_at = 0;  // of NtRemoveIoCompletion
  u64 packets_at = 0, count_at = 0;             // of NtRemoveIoCompletionEx
  u32 most_packets = 0;
  // Two threads meet if their keys are equal and one of them releases (keyed_event_calls.cpp).
  u64 key = 0;
  bool releases = false;
  // A wait for a stream of the host, a pipe or the lock of a file. When it ends, the call `again` is repeated; it has
  // already transferred `done_before` bytes.
  const Service* again = nullptr;
  u64 done_before = 0;
  std::shared_ptr<Pipe> pipe;
  std::shared_ptr<FileUses> locks;  // the locks of the file; the thread wants to lock `wanted`
  LockedRange wanted;
};

struct Thread {
  ThreadState registers;
  u32 id = 0;
  u64 teb = 0;
  u64 stack = 0;                        // its allocation
  u64 stack_guard = 0;                  // the address of its guard page
  u64 stack_limit = 0, stack_base = 0;  // base is the high end
  u32 processor = 0;                    // the core on which it runs
  u64 affinity = 1;                     // the cores on which it may run
  u64 ready_ns = 0;                     // not before this time
  u32 suspended = 0;
  std::int32_t priority = 0;  // relative to the process's priority; it does not influence the schedule
  bool boosts = true;         // its priority rises after a wait; without effect
  bool ended = false;
  bool alerted = false;  // NtAlertThreadByThreadId came while it did not wait
  u32 exit_code = 0;
  Wait wait;
  std::deque<Apc> apcs;
  std::vector<std::weak_ptr<Timer>> timers;  // that may call a routine in this thread
  std::string name;
  bool ignores_interrupts_after = false;  // its process ignores Ctrl-C again when the thread has ended
  std::shared_ptr<ThreadObject> object;
};

// A call on a socket that has not ended (socket_calls.cpp).
struct SocketCall : PendingIo {
  struct Piece {
    u64 address = 0, size = 0;
  };
  struct Polled {
    u64 handle = 0;
    std::weak_ptr<File> file;
    u32 wanted = 0;  // poll::…
  };
  u32 code = 0;
  u64 deadline_ns = kNever;
  u64 output = 0, output_size = 0;
  std::vector<Piece> pieces;  // memory to send from, or to receive into
  u64 done = 0;               // bytes that were sent or received
  bool peeks = false, takes_all = false;
  u64 address_at = 0, address_size_at = 0, flags_at = 0;  // for the sender of a datagram; 0: not wanted
  std::shared_ptr<File> accepting;                        // the file that becomes the accepted socket
  u64 first_bytes = 0, local_bytes = 0;                   // parts of the output of AcceptEx
  std::vector<Polled> polled;
};

// The atoms that all programs of the machine share.
struct GlobalAtoms {
  static constexpr u32 kFirst = 0xc000, kMost = 0x4000;
  struct Atom {
    std::string name;
    u32 uses = 0;  // 0: its number is free
  };
  std::vector<Atom> atoms;             // the first has the number kFirst
  std::map<std::string, u32> numbers;  // by name in lower case
  std::vector<u32> free;               // numbers of deleted atoms
};

// The parts of Windows that the processes of one machine share.
struct System {
  std::vector<State*> processes;                                  // running processes
  std::map<std::string, std::weak_ptr<Object>> names;             // full names; case matters
  std::map<std::string, std::vector<std::weak_ptr<File>>> pipes;  // ends of servers, by name in lower case
  std::vector<std::weak_ptr<Pipe>> pipes_with_reads;
  OpenFiles open_files;
  FolderWatches watches;
  Network network;
  std::list<SocketCall> socket_calls;  // calls that have not ended, the oldest first
  GlobalAtoms atoms;
  u64 turns = 0;                // number of waits so far
  u64 local_ids = 0;            // number of LUIDs given out so far
  ProgramHost* host = nullptr;  // null: programs cannot start others
  std::vector<ProcessorFacts> processors;
};

// The part of the parameters of a process that only its own DLLs read: STARTUPINFO.
struct StartupFacts {
  std::array<u32, 9> window{};            // place, size, colours, flags
  std::array<std::vector<u16>, 3> texts;  // title, desktop, and the shell's information
  std::vector<std::byte> data;            // lpReserved2: the descriptors of the C runtime
};

// The things that a process gets from the process that created it.
struct Inheritance {
  std::shared_ptr<FileSystem> files;
  std::shared_ptr<Registry> registry;
  std::shared_ptr<StandardStreams> streams;
  std::shared_ptr<u64> input_read;
  Handles handles;
  u64 standard_handles[3] = {};  // in `handles`; 0: none
  u32 console_flags = 0;         // 1: ignores Ctrl-C
  u32 console = 0;               // the first process that used its console; 0: itself
  u32 group = 0;                 // the number of its group; 0: a new group
  std::string program_path;      // "C:\work\a.exe"
  std::string current_folder;
  std::vector<u16> environment;  // name=value, each ended by a zero
  StartupFacts startup;
};

struct State {
  State(u64 random_seed, std::shared_ptr<System> shared_system, std::shared_ptr<FileSystem> file_system)
      : shared_files(std::move(file_system)),
        files(*shared_files),
        memory(space, random_seed),
        guest(space, &memory),
        seed(random_seed),
        system(std::move(shared_system)) {
    system->processes.push_back(this);
  }
  ~State() { std::erase(system->processes, this); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  AddressSpace space;                        // the first member, so it is destroyed last
  std::shared_ptr<FileSystem> shared_files;  // declared before all members that hold files
  FileSystem& files;
  Memory memory;
  GuestMemory guest;
  u64 seed;
  u64 chances = 0;  // number of random values taken so far

  std::vector<std::unique_ptr<Thread>> threads;  // all threads so far, the oldest first
  std::shared_ptr<System> system;
  std::shared_ptr<Registry> registry;
  Handles handles;

  std::shared_ptr<StandardStreams> streams;  // may be null
  std::shared_ptr<u64> input_read = std::make_shared<u64>(0);
  std::vector<u16> console_line;         // read and not taken yet
  std::optional<u32> input_mode_before;  // the console's input mode before this process changed it
  u32 output_mode = 3;                   // of the console, as in a new one
  u16 console_colours = 7;               // grey on black

  std::shared_ptr<ImageContents> program;
  u64 program_base = 0;
  std::string program_path;  // as the program sees it: "C:\app\fib.exe"
  std::string command_line;
  std::vector<std::weak_ptr<Job>> jobs;              // the jobs of which it is a member
  std::vector<Module> modules;                       // the program is the first
  std::unordered_map<u32, const Service*> services;  // by the immediate of the SVC; null for unknown ones
  std::unordered_map<u32, std::string> service_names;
  u64 images_mapped = 0;
  std::unordered_map<std::string, std::weak_ptr<ImageContents>> images;  // by path
  std::shared_ptr<SectionSums> sections = std::make_shared<SectionSums>();
  std::unordered_map<u64, std::string> guest_paths;  // of mapped images, by base
  struct View {
    std::shared_ptr<Section> section;
    u64 offset = 0;  // in the section
  };
  std::unordered_map<u64, View> views;  // of other sections, by base

  u64 peb = 0;
  bool is_starting = true;  // ntdll's loader has not reached the program's entry point yet
  u32 process_id = 0, processor_count = 1;
  u64 affinity = 1;       // the cores on which its threads may run
  u8 priority_class = 2;  // PROCESS_PRIORITY_CLASS_NORMAL; it does not influence the schedule
  // Functions of ntdll at which the kernel makes a thread continue.
  u64 loader_start = 0, thread_start = 0, exception_dispatcher = 0, apc_dispatcher = 0;
  u64 console_control = 0;                    // kernelbase's function for Ctrl-C; 0 before it is loaded
  u32 console = 0;                            // the number of the first process that used its console
  u32 group = 0;                              // of processes that get Ctrl-Break together
  std::unordered_map<u64, u64> nls_sections;  // (type << 32 | id) -> address

  std::shared_ptr<ProcessObject> process_object = std::make_shared<ProcessObject>();
  IoCounts io{};       // of reads and writes
  bool boosts = true;  // a new thread's priority rises after a wait; without effect
  u32 exit_code = 0;
  std::string crash_text;
  bool ends_in_order = false;  // ExitProcess() has ended the other threads
  bool is_unhandled = false;   // ntdll ended it: an exception that nothing handled, or its loader failed
  bool lacked = false;         // it ended because the simulated Windows lacks a feature
  std::string last_exception;  // for the text of a crash
  std::string missing_dll;     // the DLL that ntdll's loader did not find or could not load
  std::string dll_needed_by;   // the module that needs this DLL
  // Files that could not be loaded as images: the name in lower case, and a sentence with the reason.
  std::vector<std::pair<std::string, std::string>> refused_images;
  std::string debug_text;  // the latest debug output of the DLLs
};

inline constexpr u32 kThreadIdsApart = 100'000;  // other processes have the numbers in between
inline constexpr u64 kMostSectionBytes = 8ull << 30;
inline constexpr usize kMostThreads = 1024, kMostThreadsEver = 65536;
inline constexpr u64 kSharedData = 0x7ffe0000;
inline constexpr u64 kOwnHostPart = 1;  // the handle by which ntdll names its part on the host
inline constexpr std::string_view kComputerName = "SIMULATED", kUserSidText = "S-1-5-21-0-0-0-1000";
inline constexpr u32 kBuild = 26100;  // of Windows
// The simulated machine was switched on at 2025-01-01 00:00 UTC, in 100 ns since 1601.
inline constexpr u64 kBootTime = (1'735'689'600 + 11'644'473'600) * 10'000'000ull;
inline constexpr u64 kUptimeTicks = 60 * 10'000'000ull;  // a minute has passed; some programs fail if the clock is 0
inline constexpr u64 kNsPerTick = 100;                   // the resolution of NT's clocks and of the performance counter
inline constexpr u64 kTebSize = 0x4000;
inline constexpr u64 kMemoryBytes = 8ull << 30;  // of the machine

u64 all_processors(const State& state);  // a mask
usize count_living_threads(const State& state);
const Module* module_at(const State& state, u64 address);       // null if it is in no image
std::string describe_address(const State& state, u64 address);  // "bignum.dll+0x1010"
std::string hex(u64 value);
std::string printable(std::string_view text);  // a terminal must not interpret the program's output

inline constexpr std::string_view kWayToDlls =
    "scripts/windows-dlls fetches the DLLs; windows=FOLDER names another folder";

// process_loading.cpp
[[nodiscard]] bool load_program(State& state, const ProcessOptions& options, LoadError& error);

// start.cpp
// `inherited` is null without a creator.
[[nodiscard]] bool prepare_process(State& state, const Inheritance* inherited, LoadError& error);
void set_shared_time(State& state, u64 now_ns);
// Reserves and commits pages, in the lowest 2 GiB if `low`. Returns 0 if memory is short.
u64 map_pages(State& state, u64 address, u64 size, u32 protection, bool low);
struct ThreadOptions {
  u64 start = 0, argument = 0;
  u64 stack_size = 0;  // 0: the size in the program's header
};
// Adds a thread. Null if memory is short.
Thread* make_thread(State& state, const ThreadOptions& options);
void release_stack(State& state, Thread& thread);

// process_parameters.cpp: writes the parameters and the environment, and their address into the PEB.
[[nodiscard]] bool map_parameters(State& state, const Inheritance* inherited);

// exceptions.cpp
struct Exception {
  u32 code = 0, flags = 0;
  u64 address = 0;
  std::vector<u64> parameters;
};
// The thread continues in ntdll's exception dispatcher. Returns false if its stack has no room for that.
[[nodiscard]] bool deliver(State& state, Thread& thread, const Exception& exception);
[[nodiscard]] bool deliver_apc(State& state, Thread& thread, Status status);
// The thread calls the routine in its next alertable wait, or now if it is in one.
Status add_apc(State& state, Thread& thread, const Apc& apc, u64 now_ns);

// Creation time, exit time, kernel time and user time, in NT's order and unit.
std::array<u64, 4> times_of(const System& system, u32 process, u32 thread);

// The cycles of cores that were spent for the thread, or for the process if `thread` is 0.
u64 cycles_of(const System& system, u32 process, u32 thread);

// The thread with this id; null if there never was one.
Thread* find_thread(const State& state, u32 id);
// The running process with this number, or null.
State* find_process(const System& system, u32 id);
// The object with this full name, or null.
ObjectPointer find_name(const System& system, std::string_view name, bool ignores_case);
// Notes the object's name. Returns false if there are too many names.
[[nodiscard]] bool keep_name(State& state, const std::string& key, const ObjectPointer& object);

// thread_calls.cpp: the thread leaves a core on which it may no longer run.
void move_to_allowed(Thread& thread);

// section_calls.cpp: keeps the reason why the file "C:\app\a.dll" cannot be loaded, for the text of a crash. `why` is a
// predicate.
void note_refused_image(State& state, const std::string& path, const std::string& why);
// Commits pages. Pages in a view of a section that reserves belong to the section, so its other views in the process
// get them, too.
[[nodiscard]] Status commit_pages(State& state, u64 address, u64 size, u32 protection);
// Commits a page of a view if another process committed that page of the section. Returns true if it committed the
// page.
bool commit_shared_page(State& state, u64 address);

// pipe_calls.cpp: ends the waits for pipes that had one end closed.
void go_on_with_pipes(System& system, u64 now_ns);
// lock_calls.cpp: ends the waits for locks of files that are free now, and those of a file that was closed.
void go_on_with_locks(const System& system, u64 now_ns, const void* closed = nullptr);

// console_calls.cpp: sets whether the process ignores Ctrl-C. Returns whether it did so before.
bool ignore_interrupts(State& process, bool ignores);

// socket_calls.cpp: ends the calls for which a change of sockets suffices.
void go_on_with_sockets(System& system, u64 now_ns);
// Ends the calls whose time is over.
void end_late_socket_calls(System& system, u64 now_ns);

// watch_calls.cpp: reports the changes that the process made to the watches of folders.
void report_changes(State& state, u64 now_ns);
// Ends the calls on folders that have no handle any more.
void end_closed_watches(System& system, u64 now_ns);

// job_calls.cpp
void join_job(State& process, const std::shared_ptr<Job>& job, u64 now_ns);
// Called when the process has ended.
void leave_jobs(const State& process, u32 exit_code, u64 now_ns);
// Ends all processes of the job except `spared`.
void end_job(System& system, const Job& job, u32 exit_code, u32 spared);
// Called after a handle to the object was closed. If only the argument still points to a job, the job may end its
// processes now. Returns whether the caller is one of them; it must then end itself.
[[nodiscard]] bool close_job(System& system, const ObjectPointer& closed, u32 caller);

// waits.cpp
// The routines of the thread's timers that are due become APCs.
void add_due_routines(State& state, Thread& thread, u64 now_ns);
// Returns whether a thread that does not wait has APCs, including APCs of its timers.
bool has_apcs(State& state, Thread& thread, u64 now_ns);
// Ends the wait if its objects allow it at this time. Returns false if the thread still waits.
bool try_to_end_wait(State& state, Thread& thread, u64 now_ns);
void end_wait(Thread& thread, Status status, u64 now_ns);
void wake_waiters(System& system, const Object& object, u64 now_ns);
void set_wake_time(Thread& thread);
void end_thread(State& state, Thread& thread, u32 exit_code, u64 now_ns);

}  // namespace wperf::sim::nt
