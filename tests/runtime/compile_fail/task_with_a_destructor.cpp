// copse: a task must be trivially copyable: it is handed to every block
#include "prelude.hpp"

struct owner : blameless {
    std::vector<int> memory;
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<owner>(0), owner{});
}
