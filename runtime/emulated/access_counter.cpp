#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <copse/runtime/emulated/access_counter.hpp>
#include <copse/runtime/emulated/grid.hpp>

namespace copse {
namespace detail {
namespace {

constexpr std::size_t warp_lanes = 32;
constexpr std::uintptr_t sector_bytes = 32;

/// Sectors that the touched bytes lie in, and how many they would fill side by side. Sorts `touches`.
template <class Touches>
std::pair<std::int64_t, std::int64_t> count_sectors(Touches& touches) {
    std::sort(touches.begin(), touches.end(), [](auto const& a, auto const& b) { return a.address < b.address; });
    std::int64_t sectors = 0, bytes = 0;
    std::uintptr_t next_sector = 0, end = 0;
    for (auto const& t : touches) {
        std::uintptr_t const first = std::max(t.address / sector_bytes, next_sector);
        next_sector = std::max(next_sector, (t.address + t.bytes - 1) / sector_bytes + 1);
        sectors += first < next_sector ? static_cast<std::int64_t>(next_sector - first) : 0;
        std::uintptr_t const begin = std::max(t.address, end);
        end = std::max(end, t.address + t.bytes);
        bytes += begin < end ? static_cast<std::int64_t>(end - begin) : 0;
    }
    return {sectors, (bytes + 31) / 32};
}

/// The most lanes that want one address.
template <class Touches>
std::int64_t most_alike(Touches const& touches) {
    std::int64_t most = 0;
    for (auto const& t : touches)
        most = std::max<std::int64_t>(
            most, std::count_if(touches.begin(), touches.end(), [&](auto const& u) { return u.address == t.address; }));
    return most;
}

/// How often banks are read, and how often without conflicts. Lanes that want the same word are served together.
template <class Touches>
std::pair<std::int64_t, std::int64_t> count_passes(Touches const& touches) {
    constexpr std::uintptr_t banks = 32, word_bytes = 4;
    auto const lane_bytes = std::bit_ceil(std::clamp<std::size_t>(touches[0].bytes, word_bytes, 16));
    auto const at_once = static_cast<int>(warp_lanes * word_bytes / lane_bytes);
    std::int64_t passes = 0, least = 0;
    for (int first = 0; first < static_cast<int>(warp_lanes); first += at_once) {
        std::array<std::vector<std::uintptr_t>, banks> words;
        for (auto const& t : touches) {
            if (t.lane < first || t.lane >= first + at_once) continue;
            for (auto word = t.address / word_bytes; word <= (t.address + t.bytes - 1) / word_bytes; ++word) {
                auto& of_bank = words[word % banks];
                if (std::find(of_bank.begin(), of_bank.end(), word) == of_bank.end()) of_bank.push_back(word);
            }
        }
        std::size_t most = 0;
        for (auto const& of_bank : words) most = std::max(most, of_bank.size());
        passes += static_cast<std::int64_t>(most);
        least += most > 0 ? 1 : 0;
    }
    return {passes, least};
}

}  // namespace

std::size_t access_counter::key_hash::operator()(request_key const& key) const {
    std::uint64_t hash = 0;
    for (std::uint64_t const part : {key.item, key.collectives, key.line, key.times})
        hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

int access_counter::number_of(std::string (*task)(), access_kind kind, code_line at) {
    auto const [found, is_new] = numbers_.try_emplace({task, kind, at.file, at.line}, static_cast<int>(lines_.size()));
    if (is_new) {
        access_line line;
        line.task = task();
        line.file = at.file;
        line.line = at.line;
        line.kind = kind;
        lines_.push_back(line);
    }
    return found->second;
}

void access_counter::note(emulated_lane& lane, access_kind kind, void const* p, std::size_t bytes, code_line at) {
    auto& places = lane.accessed.places;
    auto place = std::find_if(places.begin(), places.end(), [&](access_lane::place const& known) {
        return known.at.line == at.line && known.kind == kind && known.at.file == at.file;
    });
    if (place == places.end()) place = places.insert(places.end(), {at, kind, number_of(lane.task(), kind, at), 0});
    requests& of_warp = warps_[{lane.block.index, lane.rank / static_cast<int>(warp_lanes)}];
    request_key const key{lane.accessed.item, lane.accessed.collectives, static_cast<std::uint32_t>(place->number),
                          place->times++};
    request& r = of_warp[key];
    r.on_chip = lane.block.has_scratch_at(p);
    r.touches.push_back({lane.rank % static_cast<int>(warp_lanes), reinterpret_cast<std::uintptr_t>(p), bytes});
    if (r.touches.size() < warp_lanes) return;
    count(place->number, r);
    of_warp.erase(key);
}

void access_counter::begin_batch(emulated_lane& lane) {
    lane.accessed.begin_batch();
    auto const of_warp = warps_.find({lane.block.index, lane.rank / static_cast<int>(warp_lanes)});
    if (of_warp != warps_.end()) count_all(of_warp->second);
}

void access_counter::finish() {
    for (auto& [warp, of_warp] : warps_) count_all(of_warp);
    warps_.clear();
}

void access_counter::count_all(requests& of_warp) {
    for (auto& [key, r] : of_warp) count(static_cast<int>(key.line), r);
    of_warp.clear();
}

void access_counter::count(int number, request& r) {
    access_line& line = lines_[static_cast<std::size_t>(number)];
    ++line.requests;
    line.lane_accesses += std::ssize(r.touches);
    for (touch const& t : r.touches) line.bytes += static_cast<std::int64_t>(t.bytes);
    auto const add = [](std::pair<std::int64_t, std::int64_t> const& found, std::int64_t& sum, std::int64_t& least) {
        sum += found.first;
        least += found.second;
    };
    if (line.kind == access_kind::scratch) return add(count_passes(r.touches), line.passes, line.least_passes);
    if (line.kind == access_kind::atomic) add({most_alike(r.touches), 1}, line.passes, line.least_passes);
    if (!r.on_chip) add(count_sectors(r.touches), line.sectors, line.least_sectors);
}

access_profile access_counter::profile() const {
    // One line of a header may be known by several names of its file, one for each source that includes it.
    std::map<std::tuple<std::string, access_kind, std::string, int>, access_line> merged;
    std::vector<std::string> tasks;
    for (access_line const& line : lines_) {
        if (std::find(tasks.begin(), tasks.end(), line.task) == tasks.end()) tasks.push_back(line.task);
        access_line& sum = merged[{line.task, line.kind, line.file, line.line}];
        access_line const before = sum;
        sum = line;
        sum.requests += before.requests;
        sum.lane_accesses += before.lane_accesses;
        sum.bytes += before.bytes;
        sum.sectors += before.sectors;
        sum.least_sectors += before.least_sectors;
        sum.passes += before.passes;
        sum.least_passes += before.least_passes;
    }
    access_profile result;
    for (std::string const& task : tasks) {
        auto const first = std::ssize(result.lines);
        for (auto const& [key, line] : merged)
            if (line.task == task) result.lines.push_back(line);
        std::stable_sort(result.lines.begin() + first, result.lines.end(), [](auto const& a, auto const& b) {
            return std::pair(a.sectors, a.passes) > std::pair(b.sectors, b.passes);
        });
    }
    return result;
}

namespace {

std::string with_commas(std::int64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, 1, ',');
    return digits;
}

/// The file's last folder and name.
std::string short_name(std::string const& file) {
    auto const slash = file.rfind('/');
    auto const folder = slash == file.npos || slash == 0 ? file.npos : file.rfind('/', slash - 1);
    return folder == file.npos ? file : file.substr(folder + 1);
}

/// Aligned columns, of which the first `left` are aligned to the left.
std::string aligned(std::vector<std::vector<std::string>> const& rows, std::size_t left) {
    std::vector<std::size_t> widths(rows[0].size(), 0);
    for (auto const& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (auto const& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i > 0) line += "  ";
            line += i < left ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("{:>{}}", row[i], widths[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

}  // namespace
}  // namespace detail

char const* name_of(access_kind kind) {
    switch (kind) {
        case access_kind::load:
            return "load";
        case access_kind::store:
            return "store";
        case access_kind::atomic:
            return "atomic";
        case access_kind::scratch:
            break;
    }
    return "scratch";
}

std::vector<access_total> access_profile::totals() const {
    std::vector<access_total> sums;
    for (access_line const& line : lines) {
        if (sums.empty() || sums.back().task != line.task) sums.push_back({line.task, 0, 0});
        if (line.sectors == 0) continue;
        sums.back().bytes += line.bytes;
        sums.back().moved_bytes += 32 * line.sectors;
    }
    return sums;
}

std::string to_text(access_profile const& profile) {
    using detail::with_commas;
    std::string text =
        "uncalibrated: counted by the emulated executor, without caches; not yet compared with a GPU's counters\n\n";
    std::vector<std::vector<std::string>> totals{{"task", "bytes", "moved"}};
    for (access_total const& total : profile.totals())
        totals.push_back({total.task, with_commas(total.bytes), with_commas(total.moved_bytes)});
    text += detail::aligned(totals, 1) + '\n';
    std::vector<std::vector<std::string>> rows{
        {"task", "place", "access", "requests", "idle lanes", "bytes", "sectors", "at least", "passes", "at least"}};
    for (access_line const& line : profile.lines) {
        auto const idle = 100 * static_cast<double>(line.idle_lanes()) / (32 * static_cast<double>(line.requests));
        auto const pair = [](std::int64_t number, std::int64_t least) {
            return least == 0 ? std::array<std::string, 2>{} : std::array{with_commas(number), with_commas(least)};
        };
        auto const sectors = pair(line.sectors, line.least_sectors), passes = pair(line.passes, line.least_passes);
        rows.push_back({line.task, detail::short_name(line.file) + ':' + std::to_string(line.line), name_of(line.kind),
                        with_commas(line.requests), fmt::format("{:.1f} %", idle), with_commas(line.bytes), sectors[0],
                        sectors[1], passes[0], passes[1]});
    }
    return text + detail::aligned(rows, 3);
}

}  // namespace copse
