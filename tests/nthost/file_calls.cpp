// SPDX-License-Identifier: BSD-3-Clause
// Open handles and their requests: the I/O manager between programs and the driver.
#include "tests/nthost/file_calls.h"

#include "tests/nthost/check.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/ex_pool.h"
#include "tests/nthost/kernel/io_objects.h"
#include "tests/nthost/kernel/process_object.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/memory.h"
#include "tests/nthost/machine/pages.h"
#include "tests/nthost/machine/register_access.h"

namespace wperf::nthost {

struct File {
  FILE_OBJECT object;
  Process* process;
  DEVICE_OBJECT* named;  // the device that the name led to; requests go to the top of its stack
  DEVICE_OBJECT* top;
  bool in_use, cleaned;
};

namespace {

constexpr u32 kMostFiles = 64, kMostBuffers = 16;
constexpr u64 kBufferSize = 256 * 1024;  // larger buffers come from the pool
constexpr u64 kBufferBase = kStackBase + (1ull << 32);
constexpr u64 kHead = 64;  // canary before a buffer
constexpr u8 kCanary = 0x5c;
constexpr u32 kBufferTag = 0x66754253;
constexpr ACCESS_MASK kGenericReadWrite = 0x0012'019f;

SpinLock lock;
File files[kMostFiles];
u32 opened = 0;
u8 poison = 0xcd;
bool buffers_are_mapped = false;
u32 buffers_in_use = 0;  // one bit for each buffer

// A system buffer ends at an unmapped page, except for up to 15 bytes.
class SystemBuffer {
 public:
  explicit SystemBuffer(u64 size) : size_(size) {
    if (size == 0) return;
    if (size + kHead > kBufferSize) {
      bytes_ = static_cast<u8*>(allocate_pool(size, kBufferTag, "the I/O manager"));
      return;
    }
    slot_ = take_slot();
    const u64 end = slot_address(slot_) + kBufferSize;
    bytes_ = reinterpret_cast<u8*>(end - ((size + 15) & ~15ull));
    memset(bytes_ - kHead, kCanary, kHead);
    memset(bytes_ + size, kCanary, end - reinterpret_cast<u64>(bytes_ + size));
  }
  ~SystemBuffer() {
    if (bytes_ == nullptr) return;
    if (slot_ == kMostBuffers) {
      free_pool(bytes_, kBufferTag, "the I/O manager");
      return;
    }
    check_surroundings();
    const Guard guard(lock);
    buffers_in_use &= ~(1u << slot_);
  }
  SystemBuffer(const SystemBuffer&) = delete;
  SystemBuffer& operator=(const SystemBuffer&) = delete;
  u8* bytes() { return bytes_; }

 private:
  static u64 slot_address(u32 slot) { return kBufferBase + slot * 2 * kBufferSize; }

  static u32 take_slot() {
    const Guard guard(lock);
    if (!buffers_are_mapped) {
      for (u32 slot = 0; slot < kMostBuffers; ++slot) {
        for (u64 at = 0; at < kBufferSize; at += kPageSize) {
          map_kernel(slot_address(slot) + at, take_page(), Access::read_write);
        }
      }
      buffers_are_mapped = true;
    }
    for (u32 slot = 0; slot < kMostBuffers; ++slot) {
      if ((buffers_in_use >> slot & 1) != 0) continue;
      buffers_in_use |= 1u << slot;
      return slot;
    }
    give_up("more than {} system buffers", kMostBuffers);
  }

  void check_surroundings() {
    const u64 end = slot_address(slot_) + kBufferSize;
    bool touched = false;
    for (u64 i = 1; i <= kHead; ++i) touched |= *(bytes_ - i) != kCanary;
    for (u8* at = bytes_ + size_; reinterpret_cast<u64>(at) < end; ++at) touched |= *at != kCanary;
    if (touched) fail("the driver wrote outside a system buffer of {} bytes", size_);
  }

  u64 size_;
  u8* bytes_ = nullptr;
  u32 slot_ = kMostBuffers;
};

// While this object lives, the calling thread runs on behalf of this process. The address space is not switched,
// because no driver may touch the process's addresses, and each switch makes QEMU discard its translations.
class InProcess {
 public:
  explicit InProcess(Process& process) : before_(current_thread()->process) { current_thread()->process = &process; }
  ~InProcess() { current_thread()->process = before_; }
  InProcess(const InProcess&) = delete;
  InProcess& operator=(const InProcess&) = delete;

 private:
  Process* before_;
};

File* take_file() {
  const Guard guard(lock);
  for (File& it : files) {
    if (it.in_use) continue;
    it = {};
    it.in_use = true;
    ++opened;
    return &it;
  }
  give_up("more than {} open files", kMostFiles);
}

bool give_file(File& file) {  // returns true for the last reference
  const Guard guard(lock);
  --file.named->ReferenceCount;
  __atomic_fetch_sub(&file.process->open_files, 1, __ATOMIC_ACQ_REL);
  memset(static_cast<void*>(&file), 0xdd, sizeof file);
  file.in_use = false;
  return --opened == 0;
}

Completed send(File& file, Request request) {
  const InProcess in_process(*file.process);
  request.file = &file.object;
  return send_request(file.top, request);
}

Completed send_create(File& file, Opener opener) {
  ACCESS_STATE access = {};
  access.RemainingDesiredAccess = access.OriginalDesiredAccess = kGenericReadWrite;
  access.SubjectSecurityContext.PrimaryToken = &file.process->token;
  access.SubjectSecurityContext.ProcessAuditId = reinterpret_cast<PVOID>(static_cast<u64>(file.process->id));
  IO_SECURITY_CONTEXT security = {nullptr, &access, kGenericReadWrite, 0};
  Request request = {.major = IRP_MJ_CREATE};
  if (opener != Opener::program) request.mode = KernelMode;
  if (opener == Opener::kernel_for_program) request.parameters.Flags = SL_FORCE_ACCESS_CHECK;
  request.parameters.Parameters.Create.SecurityContext = &security;
  request.parameters.Parameters.Create.Options = 1u << 24;  // FILE_OPEN
  request.parameters.Parameters.Create.ShareAccess = 3;
  return send(file, request);
}

}  // namespace

u32 open_files() {
  return __atomic_load_n(&opened, __ATOMIC_ACQUIRE);
}
void set_buffer_poison(u8 value) {
  poison = value;
}

Opened open(Process& process, Opener opener) {
  DEVICE_OBJECT* named = is_going() ? nullptr : find_device_by_link();
  if (named == nullptr && !is_going()) named = device_of_interface();
  if (named == nullptr) return {static_cast<u32>(STATUS_OBJECT_NAME_NOT_FOUND), nullptr};
  File& file = *take_file();
  file.process = &process;
  file.named = named;
  file.top = top_of_stack(named);
  file.object.Type = 5;
  file.object.Size = sizeof file.object;
  file.object.DeviceObject = named;
  {
    const Guard guard(lock);
    ++named->ReferenceCount;
    __atomic_fetch_add(&process.open_files, 1, __ATOMIC_ACQ_REL);
  }
  const Completed done = send_create(file, opener);
  if (NT_SUCCESS(done.status)) return {static_cast<u32>(done.status), &file};
  if (give_file(file)) last_file_closed();  // a failed create gets no cleanup and no close
  return {static_cast<u32>(done.status), nullptr};
}

u32 control(File& file, u32 code, const void* input, u32 input_size, void* output, u32 capacity, u32* returned) {
  if (!file.in_use) give_up("control() of a closed file");
  if (returned != nullptr) *returned = 0;
  const u64 size = input_size > capacity ? input_size : capacity;
  SystemBuffer buffer(size);
  if (size != 0 && buffer.bytes() == nullptr) return static_cast<u32>(STATUS_INSUFFICIENT_RESOURCES);
  if (size != 0) {
    memcpy(buffer.bytes(), input, input_size);
    memset(buffer.bytes() + input_size, poison, size - input_size);
  }
  Request request = {.major = IRP_MJ_DEVICE_CONTROL, .system_buffer = buffer.bytes()};
  request.parameters.Parameters.DeviceIoControl.IoControlCode = code;
  request.parameters.Parameters.DeviceIoControl.InputBufferLength = input_size;
  request.parameters.Parameters.DeviceIoControl.OutputBufferLength = capacity;
  const Completed done = send(file, request);
  const u32 status = static_cast<u32>(done.status);
  if (done.information > capacity) {
    fail("request {x}: {} bytes returned into {}", code, done.information, capacity);
    return status;
  }
  if (status >> 30 == 3) {  // after an error no bytes are copied
    if (done.information != 0) fail("request {x}: status {x} with {} bytes", code, status, done.information);
    return status;
  }
  if (done.information != 0) memcpy(output, buffer.bytes(), done.information);
  if (returned != nullptr) *returned = static_cast<u32>(done.information);
  return status;
}

u32 cleanup(File& file) {
  if (!file.in_use || file.cleaned) give_up("a second cleanup of a file");
  file.cleaned = true;
  return static_cast<u32>(send(file, {.major = IRP_MJ_CLEANUP}).status);
}

void close(File* file) {
  if (!file->in_use) give_up("a second close of a file");
  const Completed done = send(*file, {.major = IRP_MJ_CLOSE});
  if (!NT_SUCCESS(done.status)) fail("IRP_MJ_CLOSE was completed with {x}", static_cast<u32>(done.status));
  if (give_file(*file)) last_file_closed();
}

void cleanup_and_close(File* file) {
  const u32 status = cleanup(*file);
  if (status != 0) fail("IRP_MJ_CLEANUP was completed with {x}", status);
  close(file);
}

u32 other_request(File& file, u8 major, u8 minor) {
  return static_cast<u32>(send(file, {.major = major, .minor = minor}).status);
}

}  // namespace wperf::nthost
