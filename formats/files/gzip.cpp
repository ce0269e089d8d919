// Text that was compressed by gzip: see text_file.hpp. One thread inflates about 200 MB of text a second; all
// threads parse it.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <copse/formats/files/text_file.hpp>
#include <copse/runtime/cancellable.hpp>
#include <copse/runtime/error.hpp>
#include <cstring>
#include <new>
#include <utility>

namespace copse::detail {
namespace {

constexpr auto most_at_once = std::size_t{1} << 26;  // bytes in and out of one call: a stop waits for its end

/// zlib's state for one gzip member at a time.
class inflater {
  public:
    inflater() {
        constexpr int gzip_alone = 16;
        if (::inflateInit2(&state_, gzip_alone + MAX_WBITS) != Z_OK) throw std::bad_alloc();
    }
    ~inflater() { ::inflateEnd(&state_); }
    inflater(inflater const&) = delete;
    inflater& operator=(inflater const&) = delete;

    /// Takes up to most_at_once bytes from the front of `bytes`, and appends as many to `text`, up to `capacity`.
    /// Returns zlib's status.
    int run(std::string_view& bytes, text_file& text, std::size_t capacity) noexcept {
        auto const given = std::min(bytes.size(), most_at_once);
        auto const room = std::min(capacity - text.size, most_at_once);
        state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        state_.avail_in = static_cast<uInt>(given);
        state_.next_out = reinterpret_cast<Bytef*>(text.bytes.get() + text.size);
        state_.avail_out = static_cast<uInt>(room);
        auto const status = ::inflate(&state_, Z_NO_FLUSH);
        bytes.remove_prefix(given - state_.avail_in);
        text.size += room - state_.avail_out;
        return status;
    }

    void start_next_member() noexcept { ::inflateReset(&state_); }
    char const* message() const noexcept { return state_.msg ? state_.msg : "unknown reason"; }

  private:
    z_stream state_{};
};

void set_capacity(text_file& text, std::size_t& capacity, std::size_t bytes) {
    auto larger = std::make_unique_for_overwrite<char[]>(bytes);
    if (text.size > 0) std::memcpy(larger.get(), text.bytes.get(), text.size);
    text.bytes = std::move(larger);
    capacity = bytes;
}

/// Room for the text: the last four bytes of a file of one member say how long it is, modulo 2^32. They are believed as
/// far as deflate can compress, which is to a thousandth.
std::size_t first_capacity(std::string_view bytes) noexcept {
    std::size_t length = 0;
    for (std::size_t k = 0; k < 4 && k < bytes.size(); ++k) {
        length = length << 8 | static_cast<unsigned char>(bytes[bytes.size() - 1 - k]);
    }
    constexpr std::size_t trailer = 64;  // inflate() wants room when it reads the member's end, too
    return std::clamp(length + trailer, 2 * bytes.size() + trailer, 1032 * bytes.size() + trailer);
}

[[noreturn]] void fail(text_file const& text, std::string const& name, std::string const& reason) {
    auto const line = 1 + std::count(text.bytes.get(), text.bytes.get() + text.size, '\n');
    throw format_error(name, line, reason + ": get the file again");
}

}  // namespace

text_file gunzip(std::string_view bytes, std::string const& name, std::size_t limit) {
    inflater stream;
    text_file text;
    std::size_t capacity = 0;
    set_capacity(text, capacity, std::min(limit, first_capacity(bytes)));
    std::stop_token const stop = cancellable::of_this_thread();
    for (;;) {
        check_stop(stop);
        if (text.size == capacity) {
            if (capacity == limit) return text;
            set_capacity(text, capacity, std::min(limit, 2 * capacity));
        }
        auto const status = stream.run(bytes, text, capacity);
        if (status == Z_OK) continue;
        if (status == Z_MEM_ERROR) throw std::bad_alloc();
        if (status == Z_BUF_ERROR) fail(text, name, "the gzip data are cut short here");
        if (status != Z_STREAM_END) {
            fail(text, name, fmt::format("the gzip data are damaged at or before this line ({})", stream.message()));
        }
        bytes.remove_prefix(std::min(bytes.find_first_not_of('\0'), bytes.size()));  // padding, as of tapes
        if (bytes.empty()) return text;
        if (!is_gzip(bytes)) {
            fail(text, name, fmt::format("{} bytes that are no gzip data follow the gzip data", bytes.size()));
        }
        stream.start_next_member();
    }
}

}  // namespace copse::detail
