// What a matrix shares with others: a pointer to content that nobody changes, and that a move does not leave null.
#pragma once

#include <memory>
#include <utility>

namespace copse::detail {

/// A shared pointer. What it was moved from points to Content::empty(), the content of an empty 0 x 0 matrix in host
/// memory: a matrix with this member is such a matrix after it was moved from, and reading it costs no check.
template <class Content>
class shared_content {
  public:
    shared_content() : shared_content(nullptr) {}
    /// Null only while a matrix is made. The first one makes the empty content, so that no move has to: that takes
    /// memory.
    shared_content(std::shared_ptr<Content const> content) : content_(std::move(content)) { Content::empty(); }
    shared_content(shared_content const&) = default;
    shared_content(shared_content&& other) noexcept : content_(std::exchange(other.content_, Content::empty())) {}
    shared_content& operator=(shared_content const&) = default;
    shared_content& operator=(shared_content&& other) noexcept {
        content_ = std::exchange(other.content_, Content::empty());  // moved to itself it stays what it is
        return *this;
    }
    ~shared_content() = default;

    std::shared_ptr<Content const> const& pointer() const noexcept { return content_; }
    Content const& operator*() const noexcept { return *content_; }
    Content const* operator->() const noexcept { return content_.get(); }
    explicit operator bool() const noexcept { return content_ != nullptr; }

  private:
    std::shared_ptr<Content const> content_;
};

}  // namespace copse::detail
