// A file that takes its place only when it is complete.
#pragma once

#include <string>
#include <string_view>

namespace copse::detail {

/// What the system says of an error number of a file, and what to do where that is plain.
std::string reason_of(int code);

/// A file that is written beside `path` and renamed to it by `commit`. Without `commit` nothing stays.
/// A symbolic link is followed; a device or a pipe is written directly.
/// Every function but the destructor throws argument_error that names the path and the reason.
class replacing_file {
  public:
    explicit replacing_file(std::string const& path);
    ~replacing_file();
    replacing_file(replacing_file const&) = delete;
    replacing_file& operator=(replacing_file const&) = delete;

    void append(std::string_view text);
    void commit();

    /// remove_unfinished_files() of matrix_market.hpp.
    static void remove_all() noexcept;

  private:
    struct unfinished_file;  // what a handler of a signal sees of this

    [[noreturn]] void fail(int code) const;
    void open_temporary();
    static void forget(unfinished_file* file) noexcept;

    std::string path_;       // as the caller calls it
    std::string target_;     // behind symbolic links
    std::string temporary_;  // empty: written directly
    unfinished_file* unfinished_ = nullptr;
    int file_ = -1;
};

}  // namespace copse::detail
