// Bytes as gzip compresses them.
#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

/// One gzip member with `text` in it.
inline std::string gzipped(std::string const& text) {
    z_stream stream{};
    constexpr int gzip_alone = 16;
    if (::deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, gzip_alone + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::runtime_error("cannot compress");
    }
    std::string bytes(::deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_out = static_cast<uInt>(bytes.size());
    auto const status = ::deflate(&stream, Z_FINISH);
    ::deflateEnd(&stream);
    if (status != Z_STREAM_END) throw std::runtime_error("cannot compress");
    return bytes.substr(0, stream.total_out);
}
