#include "bench/gpu_comparison/cusparse_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <copse/runtime/error.hpp>
#include <cstdlib>
#include <optional>
#include <vector>

namespace copse::bench {
namespace {

std::string loader_message() {
    char const* const message = dlerror();
    return message ? message : "unknown reason";
}

void* open_library(std::string& why) {
    // The headers that this was compiled with name the version: another one may have other enumerators.
    auto const name = fmt::format("libcusparse.so.{}", CUSPARSE_VER_MAJOR);
    std::vector<std::string> places{name};
    if (char const* const toolkit = std::getenv("CUDA_PATH"))
        places.push_back(fmt::format("{}/lib64/{}", toolkit, name));
    places.push_back("/usr/local/cuda/lib64/" + name);
    why.clear();
    for (auto const& place : places) {
        if (void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
        why += (why.empty() ? "" : "; ") + loader_message();
    }
    return nullptr;
}

}  // namespace

cusparse_library::symbol cusparse_library::find(char const* name) const {
    void* const address = dlsym(library_, name);
    if (!address) throw cuda_error(loader_message());
    return {address};
}

cusparse_library const* load_cusparse(std::string& why) {
    static std::optional<cusparse_library> found;
    try {
        if (void* const library = open_library(why)) return &found.emplace(library);
    } catch (cuda_error const& e) {
        why = e.what();
    }
    return nullptr;
}

}  // namespace copse::bench
