#include <copse/runtime/memory.hpp>
#include <cstring>
#include <new>

namespace copse {
namespace {

class host_memory_type final : public memory {
  public:
    memory_space space() const noexcept override { return memory_space::host; }
    void* allocate(std::size_t bytes) override {
        return bytes == 0 ? nullptr : ::operator new(bytes, std::align_val_t(256));
    }
    void deallocate(void* p) noexcept override { ::operator delete(p, std::align_val_t(256)); }
    void copy_from_host(void* to, void const* from, std::size_t bytes) override {
        if (bytes > 0) std::memcpy(to, from, bytes);
    }
    void copy_to_host(void* to, void const* from, std::size_t bytes) override { copy_from_host(to, from, bytes); }
};

}  // namespace

std::shared_ptr<memory> const& host_memory() {
    static std::shared_ptr<memory> const instance = std::make_shared<host_memory_type>();
    return instance;
}

}  // namespace copse
