// The executors that calls run on, and what matrices say of formats and places that an operation does not take.
#include "matrix.hpp"

#include <copse/runtime/cpu.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace copse::python {
namespace {

thread_local int threads_of_this_thread = 0;

/// Executors by number. Never destroyed: at the end of the process Python objects may outlive what is static here.
template <class Executor>
class executor_list {
  public:
    template <class Make>
    Executor& get(int number, Make const& make) {
        std::scoped_lock const lock(mutex_);
        auto& found = all_[number];
        if (!found) found = std::make_unique<Executor>(make());
        return *found;
    }
    static executor_list& of_process() {
        static auto* const all = new executor_list;
        return *all;
    }

  private:
    std::mutex mutex_;
    std::map<int, std::unique_ptr<Executor>> all_;
};

}  // namespace

std::string place::name() const {
    if (kind == place_kind::cpu) return "cpu";
    return (kind == place_kind::gpu ? "cuda:" : "emulated:") + std::to_string(device);
}

place place_of(std::string const& name) {
    if (name == "cpu") return {};
    for (auto const kind : {place_kind::gpu, place_kind::emulated})
        for (int device = 0; device < 64; ++device)
            if (place const p{kind, device}; p.name() == name) return p;
    throw argument_error("device: '" + name + "' is none of 'cpu' and 'cuda:0', 'cuda:1' ...");
}

cpu& executor() {
    int const threads = threads_of_this_thread;
    return executor_list<cpu>::of_process().get(threads, [&] { return cpu(threads); });
}
emulated& emulated_executor() {
    return executor_list<emulated>::of_process().get(0, [] { return emulated(); });
}
gpu& gpu_executor(int device) {
    // DLPack's consumers are ready for what they are given, and its producers for them, on the legacy default stream.
    auto* const legacy_stream = reinterpret_cast<void*>(std::uintptr_t{1});  // cudaStreamLegacy
    return executor_list<gpu>::of_process().get(device,
                                                [&] { return gpu({.device = device, .stream = legacy_stream}); });
}

int use_threads(int threads) {
    if (threads < 0)
        throw argument_error("threads: the number of threads is " + std::to_string(threads) +
                             "; give 1 or more, or 0 for one on each usable processor");
    set_loop_threads(threads);
    return std::exchange(threads_of_this_thread, threads);
}

int asked_threads() {
    return threads_of_this_thread;
}

void check_on_cpu(char const* operation, place where) {
    if (where.kind != place_kind::cpu)
        throw argument_error(std::string(operation) + ": the matrix is on " + where.name() +
                             "; give A.to_device('cpu')");
}

void matrix::refuse_format(char const* operation, char const* format) {
    throw argument_error(std::string(operation) + ": the matrix is in the format " + format +
                         "; give A.asformat('hisparse')");
}

void matrix::refuse_operand(char const* operation) {
    throw argument_error(std::string(operation) +
                         ": all matrices must be in the format hisparse, on one device, and have values of one type");
}

}  // namespace copse::python
