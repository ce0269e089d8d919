#include "bench/harness/options.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <copse/runtime/error.hpp>
#include <cstdio>
#include <system_error>

#include "bench/harness/numbers.hpp"
#include "bench/harness/threads.hpp"

namespace copse::bench {

CLI::Option* add_choice(CLI::App& app, std::string const& name, std::string& choice,
                        std::vector<std::string> const& choices, std::string const& help) {
    std::string all;
    for (auto const& c : choices) all += (all.empty() ? "" : "|") + c;
    return app.add_option(name, choice, help)->check(CLI::IsMember(choices).description(""))->type_name(all);
}

CLI::Option* add_list(CLI::App& app, std::string const& name, std::vector<std::string>& list, std::string const& help) {
    return app.add_option(name, list, help)
        ->check(CLI::IsMember(std::vector<std::string>(list)).description(""))
        ->type_name("name,...")
        ->delimiter(',')
        ->allow_extra_args(false);
}

CLI::Option* add_whole(CLI::App& app, std::string const& name, int& number, int low, int high,
                       std::string const& help) {
    auto const read = [&number, name, low, high](std::string const& text) {
        number = static_cast<int>(parse_whole(name, text, low, high));
    };
    return app.add_option_function<std::string>(name, read, help)->type_name("n");
}

CLI::Option* add_node_dimension(CLI::App& app, int& dimension) {
    auto const read = [&dimension](std::string const& text) { dimension = std::stoi(text); };
    return app
        .add_option_function<std::string>("--node-dimension", read,
                                          "d of the HiSparse tree, where one is made (default 128)")
        ->check(CLI::IsMember(std::vector<std::string>{"64", "128", "256"}).description(""))
        ->type_name("64|128|256");
}

void add_threads(CLI::App& app, int& threads) {
    add_whole(app, "--threads", threads, 1, most_threads,
              "CPU threads (default: one for each processor that it may use)");
}

void print(std::string const& text) {
    errno = 0;
    bool const is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!is_written) throw error("cannot write to standard output: " + std::generic_category().message(errno));
}

}  // namespace copse::bench
