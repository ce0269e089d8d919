// The report of a run: what it did, queue by queue.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace copse {

struct queue_report {
    std::string name;
    std::int64_t items = 0;      // items whose function has run
    std::int64_t batches = 0;    // claims that got one item or more; on a cpu, of what a thread kept, too
    std::int64_t launches = 0;   // kernels started for this queue (gpu and emulated: device and host controllers)
    std::int64_t peak_fill = 0;  // the most items that waited in the queue at once
    std::int64_t capacity = 0;   // items that may wait at once
    double seconds = 0;          // time in task functions, summed over threads (cpu) or blocks (gpu, emulated)
};

struct run_report {
    std::vector<queue_report> queues;
    double seconds = 0;  // from the call to the end of the run
};

}  // namespace copse
