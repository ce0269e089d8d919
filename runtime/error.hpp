// The exceptions of the library. An error that can be known before work starts is thrown before it starts.
//
//   error
//   +-- shape_error      dimensions or sizes that do not fit together
//   +-- format_error     a file that is not what it says it is (file and line)
//   +-- argument_error   an argument outside its range, memory that the executor cannot reach
//   +-- cuda_error       a CUDA call that failed, or no GPU that can be used
//   +-- too_much_padding a format would pad beyond its limit (padding_bytes, limit_bytes; formats/flat_matrix.hpp)
//   +-- queue_full       a task queue is full (queue, capacity, items)
//   +-- task_error       a task function reported failure (queue, code)
//   +-- worker_misuse    a task function broke the worker's rules (all of them are seen by the emulated executor only)
//   +-- stalled          launched work did not start within the time limit
//   +-- cancelled        a stop was requested (run_options::cancelled_by, cancellable.hpp)
//
//   std::bad_alloc
//   +-- out_of_memory    the host has too little memory for a buffer or a matrix (bytes asked for, bytes available)
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>

namespace copse {

class error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class shape_error : public error {
  public:
    using error::error;
};

/// A malformed file. `what()` reads "file:line: reason"; line 0 means the file as a whole.
class format_error : public error {
  public:
    format_error(std::string const& file, std::int64_t line, std::string const& reason)
        : error(line > 0 ? file + ":" + std::to_string(line) + ": " + reason : file + ": " + reason),
          file_(file),
          line_(line) {}
    std::string const& file() const noexcept { return file_; }
    std::int64_t line() const noexcept { return line_; }

  private:
    std::string file_;
    std::int64_t line_;
};

class argument_error : public error {
  public:
    using error::error;
};

class cuda_error : public error {
  public:
    using error::error;
};

/// A queue could not take an item. The run was abandoned and its results are undefined. The executor stays usable.
class queue_full : public error {
  public:
    queue_full(std::string const& queue, std::int64_t capacity, std::int64_t items, bool of_ranges = false)
        : error("queue '" + queue + "' is full: it " + (of_ranges ? "has taken " : "holds ") + std::to_string(items) +
                (of_ranges ? " ranges" : " items") + " of at most " + std::to_string(capacity) +
                "; give it more with run_options().capacity<Task>(items" + (of_ranges ? ", spill, ranges)" : ")")),
          queue_(queue),
          capacity_(capacity),
          items_(items) {}
    std::string const& queue() const noexcept { return queue_; }
    std::int64_t capacity() const noexcept { return capacity_; }
    std::int64_t items() const noexcept { return items_; }

  private:
    std::string queue_;
    std::int64_t capacity_;
    std::int64_t items_;
};

/// A task function called `worker.fail(code)`.
class task_error : public error {
  public:
    task_error(std::string const& queue, std::int64_t code)
        : error("task '" + queue + "' failed with code " + std::to_string(code)), queue_(queue), code_(code) {}
    std::string const& queue() const noexcept { return queue_; }
    std::int64_t code() const noexcept { return code_; }

  private:
    std::string queue_;
    std::int64_t code_;
};

class worker_misuse : public error {
  public:
    using error::error;
};

class stalled : public error {
  public:
    using error::error;
};

/// A run, or the work of a `cancellable` scope, was cancelled by its stop token. The results of a run are undefined.
/// The executor stays usable.
class cancelled : public error {
  public:
    cancelled() : error("cancelled: a stop was requested of the token in run_options, or in a cancellable scope") {}
};

class out_of_memory : public std::bad_alloc {
  public:
    /// available: bytes that the system says are left; SIZE_MAX if it does not say.
    out_of_memory(std::size_t asked, std::size_t available) noexcept : asked_(asked), available_(available) {
        if (available == SIZE_MAX)
            std::snprintf(text_, sizeof text_, "out of memory: %zu bytes were asked for", asked);
        else
            std::snprintf(text_, sizeof text_, "out of memory: %zu bytes were asked for, %zu are available", asked,
                          available);
    }
    char const* what() const noexcept override { return text_; }
    std::size_t asked() const noexcept { return asked_; }
    std::size_t available() const noexcept { return available_; }

  private:
    std::size_t asked_;
    std::size_t available_;
    char text_[112];
};

namespace detail {

/// Returns `owned`, what an object owns. Throws argument_error if it is null, as in an object that was moved from.
template <class Pointer>
Pointer const& unless_moved_from(Pointer const& owned, char const* what) {
    if (!owned)
        throw argument_error(std::string(what) +
                             ": this object was moved from; assign another one to it before its use");
    return owned;
}

}  // namespace detail

}  // namespace copse
