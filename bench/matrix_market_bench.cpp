// How fast Matrix Market text is read, on one thread and on all, from memory and from a file (in the page cache).
//
//   copse_matrix_market_bench [megabytes of text, default 64] [repeats, default 5]
//
// For each case one line for people and one JSON object. A case is timed only after its result was compared with the
// entries that the text was made from. `scan` is the speed at which one thread merely counts line feeds: the ceiling.
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <copse/formats/matrix_market.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

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

template <class Work>
double seconds_of(Work const& work) {
    auto const start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void check(copse::coo<double> const& got, sample const& s) {
    if (got.rows != s.entries.rows || got.columns != s.entries.columns || got.values != s.entries.values) {
        throw std::runtime_error("the entries read for case " + s.name + " are not those of its text");
    }
}

double scan_seconds(std::string const& text) {
    std::int64_t lines = 0;
    auto const seconds = seconds_of([&] { lines = std::count(text.begin(), text.end(), '\n'); });
    if (lines < 2) throw std::runtime_error("the text has no lines");
    return seconds;
}

/// `read` gives the matrix; `source` says from where.
template <class Read>
void measure(sample const& s, char const* source, int threads, int repeats, Read const& read) {
    omp_set_num_threads(threads);
    check(read(), s);
    std::vector<double> times;
    std::vector<double> scans;
    for (int i = 0; i < repeats; ++i) {
        times.push_back(seconds_of([&] { read(); }));
        scans.push_back(scan_seconds(s.text));
    }
    std::sort(times.begin(), times.end());
    std::sort(scans.begin(), scans.end());
    auto const median = times[times.size() / 2];
    auto const bytes = static_cast<double>(s.text.size());
    auto const speed = bytes / median / 1e6;
    auto const scan = bytes / scans[scans.size() / 2] / 1e6;
    fmt::print(
        "{:14} {:6} {:2} threads: {:6.0f} MB/s, {:5.0f} MB/s per thread ({:.3f} s, {:.3f} .. {:.3f}; scan {:.0f})\n",
        s.name, source, threads, speed, speed / threads, median, times.front(), times.back(), scan);
    fmt::print(
        "{{\"op\":\"read_matrix_market\",\"case\":\"{}\",\"source\":\"{}\",\"threads\":{},\"bytes\":{},\"entries\":{},"
        "\"seconds\":{:.6f},\"min_seconds\":{:.6f},\"max_seconds\":{:.6f},\"mbytes_per_second\":{:.1f},"
        "\"mbytes_per_second_per_thread\":{:.1f},\"scan_mbytes_per_second\":{:.1f}}}\n",
        s.name, source, threads, s.text.size(), s.entries.entry_count(), median, times.front(), times.back(), speed,
        speed / threads, scan);
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
    auto const all = omp_get_max_threads();
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
        auto const megabytes = argc > 1 ? std::stoul(argv[1]) : 64;
        auto const repeats = argc > 2 ? std::stoi(argv[2]) : 5;
        if (megabytes < 1 || repeats < 1) throw std::invalid_argument("both numbers have to be at least 1");
        run(megabytes * 1'000'000, repeats);
    } catch (std::exception const& e) {
        fmt::print(stderr, "copse_matrix_market_bench [megabytes] [repeats]: {}\n", e.what());
        return 1;
    }
}
