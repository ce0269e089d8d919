// What is done with a HiSparse matrix behind its conversion, by name.
#pragma once

#include <array>

namespace copse::bench {

/// In the records, for people, and how often each is timed at most: three times where most of it is the host's work.
struct follow_up_name {
    char const* key;
    char const* text;
    int most_repeats;
};
inline constexpr std::array follow_up_names{
    follow_up_name{"values", "new values", 9},     // with_values(): the places known, in `peak_bytes` the first time
    follow_up_name{"edit", "edit", 3},             // of a thousand entries, or all of fewer
    follow_up_name{"update", "plan's update", 3},  // with that edit
    follow_up_name{"prune", "prune", 9},           // every other entry being zero
    follow_up_name{"compact", "compaction", 3}};   // through the host, whoever the controller is: once

}  // namespace copse::bench
