// Where and when a measurement was made, for its record.
#pragma once

#include <string>

namespace copse::bench {

struct machine {
    std::string cpu_model;     // "unknown" where the system does not say
    std::string instructions;  // the widest vectors that copse's products use, by Highway's name
    std::string gpu;           // name; empty without one that can be used
    std::string date;          // UTC, ISO 8601
    double load_average = 0;   // of the last minute, before the start; -1: unknown
    std::string commit;        // of the sources: COPSE_COMMIT of the environment, which bench/run sets; else "unknown"
};

machine this_machine();

}  // namespace copse::bench
