// Few edits of a wide leaf: what lies between them is copied as it lies. (Of other leaves the entries are listed,
// leaf_edit.hpp.)
#pragma once

#include <algorithm>
#include <copse/formats/edits/leaf_edit.hpp>
#include <copse/formats/leaves/wide_leaf.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace copse::detail {

template <class T>
class wide_leaf_edit {
  public:
    /// leaf: neither transposed, so that its keys ascend, nor negative. edits: ascending, those of one key in the order
    /// in which they apply. Throws stored_sum_overflow.
    wide_leaf_edit(wide_leaf_view<T> const& leaf, wide_block_order order, std::span<keyed_edit<T> const> edits)
        : leaf_(leaf), order_(order), count_(leaf.count) {
        std::int64_t from = 0;
        for (auto edit = edits.begin(); edit != edits.end();) {
            std::uint32_t const key = edit->key;
            from = first_from(key, from);
            bool const is_there = from < leaf.count && key_of(from) == key;
            possible_entry<T> const old =
                is_there ? possible_entry<T>{true, leaf.values[static_cast<int>(from)]} : possible_entry<T>();
            possible_entry<T> entry = old;
            for (; edit != edits.end() && edit->key == key; ++edit) entry = edit->applied_to(entry);
            bool const same = keyed_entry<T>{key, entry.value} == keyed_entry<T>{key, old.value};
            if (entry.present == old.present && (same || !entry.present)) continue;
            changes_.push_back({from, is_there, key, entry});
            count_ += (entry.present ? 1 : 0) - (is_there ? 1 : 0);
        }
    }

    bool changes_nothing() const { return changes_.empty(); }
    /// Entries, edited.
    std::int64_t count() const { return count_; }

    /// False also where only a count of all blocks would tell: each change may take a block away.
    bool surely_stays_wide() const {
        std::int64_t const enough = (count_ + wide_mean_in_leaf - 1) / wide_mean_in_leaf + std::ssize(changes_);
        std::int64_t blocks = 0;
        std::uint32_t last = 0;
        for (std::int64_t i = 0; i < leaf_.count && blocks < enough; ++i) {
            std::uint32_t const block = order_.block(key_of(i));
            blocks += blocks == 0 || block != last ? 1 : 0;
            last = block;
        }
        return blocks >= enough && is_wide(count_, blocks - std::ssize(changes_));
    }

    /// memory: room for a wide leaf of count() entries.
    void write(std::byte* memory) const {
        wide_leaf_writer<T>::prepare(memory, count_);
        wide_leaf_writer<T> const writer(memory);
        std::int64_t from = 0, to = 0;
        auto const copy_until = [&](std::int64_t end) {
            for (std::int64_t i = from; i < end; ++i)
                writer.set_value(to + (i - from), leaf_.values[static_cast<int>(i)]);
            std::copy(leaf_.rows + from, leaf_.rows + end, writer.rows() + to);
            std::copy(leaf_.columns + from, leaf_.columns + end, writer.columns() + to);
            to += end - from;
        };
        for (change const& c : changes_) {
            copy_until(c.place);
            from = c.place + (c.replaces ? 1 : 0);
            if (c.entry.present) writer.put(to++, order_.row(c.key), order_.column(c.key), c.entry.value);
        }
        copy_until(leaf_.count);
    }

  private:
    struct change {
        std::int64_t place;  // of the entry, or of the first behind it
        bool replaces;
        std::uint32_t key;
        possible_entry<T> entry;
    };

    std::uint32_t key_of(std::int64_t i) const { return order_.key(leaf_.rows[i], leaf_.columns[i]); }
    /// The first entry from `first` on whose key is not smaller.
    std::int64_t first_from(std::uint32_t key, std::int64_t first) const {
        for (std::int64_t last = leaf_.count; first < last;) {
            std::int64_t const middle = first + (last - first) / 2;
            if (key_of(middle) < key)
                first = middle + 1;
            else
                last = middle;
        }
        return first;
    }

    wide_leaf_view<T> leaf_;
    wide_block_order order_;
    std::int64_t count_;
    std::vector<change> changes_;
};

}  // namespace copse::detail
