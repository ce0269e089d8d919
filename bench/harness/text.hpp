// Numbers and messages for people.
#pragma once

#include <string>
#include <string_view>

namespace copse::bench {

/// Three digits and a decimal unit: 194300000 -> "194 MB", 12 -> "12 B".
std::string human_bytes(double bytes);

/// Three digits and a unit: 0.0283 -> "28.3 ms".
std::string human_seconds(double seconds);

/// The same text without line breaks and other control characters, which would break a one-line message.
std::string one_line(std::string_view text);

}  // namespace copse::bench
