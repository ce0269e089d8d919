// How fast Matrix Market text is read, on one thread and on all, from memory and from a file (in the page cache).
//
//   copse_matrix_market_bench [megabytes of text, default 64] [repeats, default 5]
//
// For each case one line for people and one JSON object. A case is timed only after its result was compared with the
// entries that the text was made from. Per core means per second of processor time, of all threads together, so that
// other programs on the machine count little. `scan` is the speed at which one thread merely counts line feeds: the
// ceiling.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <copse/formats/matrix_market.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/harness/numbers.hpp"
#include "bench/harness/timing.hpp"

namespace {

using copse::bench::timing_of;

struct sample {
    std::string name;
    copse::coo<double> entries;
    std::string text;
};

/// Values of all digits, of six digits, or none (pattern).
enum class digits { all, six, none };

constexpr std::int64_t dimension = 1'000'000;

void append_value(std::string& text, double value, digits kind) {
    char number[32];
    auto const end = kind == digits::all
                         ? std::to_chars(number, number + sizeof number, value).ptr
                         : std::to_chars(number, number + sizeof number, value, std::chars_format::general, 6).ptr;
    text += ' ';
    text.append(number, end);
}

sample make_sample(std::string name, digits kind, std::size_t bytes) {
    sample s{std::move(name), {dimension, dimension, {}, {}, {}}, {}};
    std::mt19937_64 random(2017);
    std::string lines;
    while (lines.size() < bytes) {
        auto const row = static_cast<std::int32_t>(random() % dimension);
        auto const column = static_cast<std::int32_t>(random() % dimension);
        double value = kind == digits::none ? 1.0 : static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
        lines += fmt::format("{} {}", row + 1, column + 1);
        if (kind != digits::none) {
            auto const start = lines.size() + 1;
            append_value(lines, value, kind);
            std::from_chars(lines.data() + start, lines.data() + lines.size(), value);
        }
        lines += '\n';
        s.entries.rows.push_back(row);
        s.entries.columns.push_back(column);
        s.entries.values.push_back(value);
    }
    s.text = fmt::format("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n",
                         kind == digits::none ? "pattern" : "real", dimension, dimension, s.entries.entry_count());
    s.text += lines;
    return s;
}

struct duration {
    double seconds = 0;      // by the clock on the wall
    double cpu_seconds = 0;  // of all threads
};

template <class Work>
duration both_times_of(Work const& work) {
    auto const start = std::clock();
    double const seconds = copse::bench::seconds_of(work);
    return {seconds, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC};
}

void check(copse::coo<double> const& got, sample const& s) {
    if (got.rows != s.entries.rows || got.columns != s.entries.columns || got.values != s.entries.values) {
        throw std::runtime_error("the entries read for case " + s.name + " are not those of its text");
    }
}

double scan_seconds(std::string const& text) {
    std::int64_t lines = 0;
    auto const time = both_times_of([&] { lines = std::count(text.begin(), text.end(), '\n'); });
    if (lines < 2) throw std::runtime_error("the text has no lines");
    return time.seconds;
}

/// `read` gives the matrix; `source` says from where.
template <class Read>
void measure(sample const& s, char const* source, int threads, int repeats, Read const& read) {
    copse::set_loop_threads(threads);
    check(read(), s);
    std::vector<double> times, cpu_times, scans;
    for (int i = 0; i < repeats; ++i) {
        auto const time = both_times_of([&] { read(); });
        times.push_back(time.seconds);
        cpu_times.push_back(time.cpu_seconds);
        scans.push_back(scan_seconds(s.text));
    }
    auto const wall = timing_of(times);
    auto const seconds = wall.median, cpu_seconds = timing_of(cpu_times).median;
    auto const megabytes = static_cast<double>(s.text.size()) / 1e6;
    auto const per_core = megabytes / cpu_seconds;
    auto const scan = megabytes / timing_of(scans).median;
    fmt::print(
        "{:14} {:6} {:3} threads: {:6.0f} MB/s, {:4.0f} MB/s per core ({:.3f} s, {:.3f} .. {:.3f}; scan {:.0f})\n",
        s.name, source, threads, megabytes / seconds, per_core, seconds, wall.least, wall.most, scan);
    fmt::print(
        "{{\"op\":\"read_matrix_market\",\"case\":\"{}\",\"source\":\"{}\",\"threads\":{},\"bytes\":{},\"entries\":{},"
        "\"seconds\":{:.6f},\"min_seconds\":{:.6f},\"max_seconds\":{:.6f},\"cpu_seconds\":{:.6f},"
        "\"mbytes_per_second\":{:.1f},\"mbytes_per_core_second\":{:.1f},\"scan_mbytes_per_second\":{:.1f}}}\n",
        s.name, source, threads, s.text.size(), s.entries.entry_count(), seconds, wall.least, wall.most, cpu_seconds,
        megabytes / seconds, per_core, scan);
}

class temporary_file {
  public:
    explicit temporary_file(std::string const& text)
        : path_(std::filesystem::temp_directory_path() / fmt::format("copse_matrix_market_bench_{}.mtx", ::getpid())) {
        std::ofstream file(path_, std::ios::binary);
        file << text;
        if (!file.flush()) throw std::runtime_error("cannot write " + path_.string());
    }
    ~temporary_file() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    temporary_file(temporary_file const&) = delete;
    temporary_file& operator=(temporary_file const&) = delete;
    std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

void run(std::size_t bytes, int repeats) {
    auto const all = copse::usable_processors();
    for (auto const& [name, kind] :
         {std::pair{"real-17-digits", digits::all}, {"real-6-digits", digits::six}, {"pattern", digits::none}}) {
        auto const s = make_sample(name, kind, bytes);
        temporary_file const file(s.text);
        for (int const threads : all > 1 ? std::vector{1, all} : std::vector{1}) {
            measure(s, "memory", threads, repeats, [&] { return copse::parse_matrix_market<double>(s.text, s.name); });
            measure(s, "file", threads, repeats, [&] { return copse::read_matrix_market<double>(file.path()); });
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        auto const number = [&](int k, char const* what, std::int64_t otherwise, std::int64_t most) {
            return argc > k ? copse::bench::parse_whole(what, argv[k], 1, most) : otherwise;
        };
        auto const megabytes = static_cast<std::size_t>(number(1, "megabytes", 64, 1'000'000));
        run(megabytes * 1'000'000, static_cast<int>(number(2, "repeats", 5, 1000)));
    } catch (std::exception const& e) {
        fmt::print(stderr, "copse_matrix_market_bench [megabytes] [repeats]: {}\n", e.what());
        return 1;
    }
}
