#include "bench/peers/mkl_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <vector>

namespace copse::bench::onemkl {
namespace {

namespace fs = std::filesystem;

/// libmkl_rt.so, or libmkl_rt.so.N with the largest N, in the folder.
std::string library_in(fs::path const& folder) {
    std::string best;
    std::error_code failure;
    for (auto const& entry : fs::directory_iterator(folder, failure))
        if (entry.path().filename().string().starts_with("libmkl_rt.so")) best = std::max(best, entry.path().string());
    if (best.empty()) throw error(fmt::format("no libmkl_rt.so is in COPSE_MKL={}", folder.string()));
    return best;
}

void* open_library() {
    std::vector<std::string> names{"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"};
    if (char const* const named = std::getenv("COPSE_MKL"); named != nullptr && *named != '\0')
        names = {fs::is_directory(named) ? library_in(named) : std::string(named)};
    for (auto const& name : names)
        if (void* const opened = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return opened;
    char const* const why = names.size() == 1 ? ::dlerror() : nullptr;
    throw error(why ? why : "libmkl_rt.so was not found");
}

/// MKL ends the process where it misses one of the libraries that it loads in its turn: they lie beside it, with the
/// same number behind their names.
void check_companions(void* opened) {
    link_map const* map = nullptr;
    if (::dlinfo(opened, RTLD_DI_LINKMAP, &map) != 0) throw error("libmkl_rt.so cannot be asked where it lies");
    auto const path = fs::canonical(map->l_name);
    auto const name = path.filename().string();
    auto const number = name.substr(std::min(name.find(".so"), name.size()));
    for (auto const* part : {"libmkl_core", "libmkl_intel_lp64", "libmkl_gnu_thread"}) {
        auto const companion = path.parent_path() / (part + number);
        if (!fs::exists(companion)) throw error(companion.string() + " is missing");
    }
}

template <class Function>
void find_function(void* where, char const* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(where, name));
    if (function == nullptr) throw error(fmt::format("libmkl_rt.so has no {}", name));
}

/// "oneMKL 2026.2-Product" of "Intel(R) oneAPI Math Kernel Library Version 2026.2-Product Build 20260915 for ..."
std::string short_version(std::string const& text) {
    std::string const before = "Version ";
    auto const begin = text.find(before);
    if (begin == text.npos) return text;
    auto const number = text.substr(begin + before.size());
    return "oneMKL " + number.substr(0, number.find(' '));
}

/// Layers are chosen before the first call that does work: GNU's OpenMP, which this program uses as well, so that no
/// second set of threads spins while the other competitors run.
library load() {
    void* const found = open_library();
    check_companions(found);
    library mkl;
    find_function(found, "MKL_Set_Interface_Layer", mkl.set_interface_layer);
    find_function(found, "MKL_Set_Threading_Layer", mkl.set_threading_layer);
    find_function(found, "MKL_Set_Num_Threads", mkl.set_num_threads);
    find_function(found, "MKL_Get_Version_String", mkl.get_version_string);
    find_function(found, "mkl_sparse_set_mv_hint", mkl.set_mv_hint);
    find_function(found, "mkl_sparse_set_mm_hint", mkl.set_mm_hint);
    find_function(found, "mkl_sparse_optimize", mkl.optimize);
    find_function(found, "mkl_sparse_convert_csr", mkl.convert_csr);
    find_function(found, "mkl_sparse_order", mkl.order);
    find_function(found, "mkl_sparse_destroy", mkl.destroy);
    find_function(found, "mkl_sparse_s_create_csr", mkl.of_float.create_csr);
    find_function(found, "mkl_sparse_d_create_csr", mkl.of_double.create_csr);
    find_function(found, "mkl_sparse_s_mv", mkl.of_float.mv);
    find_function(found, "mkl_sparse_d_mv", mkl.of_double.mv);
    find_function(found, "mkl_sparse_s_add", mkl.of_float.add);
    find_function(found, "mkl_sparse_d_add", mkl.of_double.add);
    find_function(found, "mkl_sparse_s_export_csr", mkl.of_float.export_csr);
    find_function(found, "mkl_sparse_d_export_csr", mkl.of_double.export_csr);
    find_function(found, "mkl_sparse_s_mm", mkl.of_float.mm);
    find_function(found, "mkl_sparse_d_mm", mkl.of_double.mm);
    mkl.set_interface_layer(interface_lp64);
    mkl.set_threading_layer(threading_gnu);
    std::array<char, 200> text{};
    mkl.get_version_string(text.data(), static_cast<int>(text.size()) - 1);
    mkl.version = short_version(text.data());
    return mkl;
}

}  // namespace

loaded const& find() {
    static loaded const found = []() -> loaded {
        try {
            return {load(), ""};
        } catch (std::exception const& e) {
            return {std::nullopt, e.what()};
        }
    }();
    return found;
}

void check(int status, char const* call) {
    if (status != success) throw error(fmt::format("MKL: {} failed with code {}", call, status));
}

}  // namespace copse::bench::onemkl
