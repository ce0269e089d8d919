// First light: what everything on a GPU hangs on, answered in under two minutes on a machine with nothing but a driver.
//
//   first_light --list             the questions' names, each with the seconds that its answer may take
//   first_light --question NAME    one question. The stage of bench/gpu asks each in a process of its own under a time
//                                  limit, so that one that hangs or crashes hides none of the others
//
// Answers are JSON objects on standard output, one per line. Exits with 1 when a question got none or a wrong one.
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include "questions.hpp"

int main(int count, char** arguments) {
    using namespace first_light;
    bool const lists = count == 2 && std::strcmp(arguments[1], "--list") == 0;
    bool const asks = count == 3 && std::strcmp(arguments[1], "--question") == 0;
    for (auto const& questions : {scheduler_questions(), gpu_questions(), rate_questions()})
        for (question const& q : questions) {
            if (lists) std::printf("%s %d\n", q.name, q.seconds);
            if (!asks || std::strcmp(arguments[2], q.name) != 0) continue;
            try {
                q.ask();
                return 0;
            } catch (std::exception const& e) {
                print({{"question", q.name}, {"failed", e.what()}});
                return 1;
            }
        }
    if (lists) return 0;
    std::fprintf(stderr, "usage: first_light --list | --question NAME\n");
    return 2;
}
