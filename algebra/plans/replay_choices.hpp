// What replaying on a GPU may do one way or the other. The defaults are what products do; measurements take others.
#pragma once

#include <algorithm>
#include <copse/algebra/spmv_plan.hpp>
#include <cstdint>
#include <type_traits>

namespace copse::detail {

/// How many blocks share the items of a kernel in which nothing is pushed: a plan's parts, or a flat format's product.
/// resident: as many blocks as the device has room for at once; each goes on to the item that is so many further, and
/// all of them through the items in order. whole: a worker for each item, and the device starts blocks as others end.
/// (Drawing items by a counter would need that zeroed in each product.)
enum class plan_grid { resident, whole };

/// What is copied on chip, the next ones while the lanes are at work on one: nothing, leaves, leaves and their x
/// (replay_staged.hpp). Not yet timed.
enum class plan_staging { none, leaves, leaves_and_x };

/// per_block: items that a block works on at once; resident: blocks that the device has room for.
constexpr std::int64_t blocks_of(plan_grid grid, std::int64_t count, std::int64_t per_block, std::int64_t resident) {
    std::int64_t constexpr most = std::int64_t{1} << 30;
    std::int64_t const whole = std::min((count + per_block - 1) / per_block, most);
    return grid == plan_grid::resident ? std::min(whole, resident) : whole;
}

/// An H200 takes 1.05 times as long for resident blocks (18 products: 0.99 to 1.25), and 1.07 times for the stencils'
/// replays where nothing is fetched ahead.
struct replay_choices {
    plan_grid grid = plan_grid::whole;
    bool fetch_ahead = true;  // L2 is asked for the next leaf while the lanes are at work on one
    plan_staging staged = plan_staging::none;
    bool keep_twins = true;  // L2 keeps leaves as other lines where many stand at two places: plan_direction
    // The four warps of a block take a part's items in turn, each with its own sums, which are added up in the end:
    // other bits than a warp's, the same each time. For parts of four times as many entries (block_shape). Not yet
    // timed.
    bool by_blocks = false;
    // spmv_both() in one launch (both_products.hpp): the same bits. Its kernel with sums of double keeps 8 bytes more
    // in local memory, and no leaf is the first to leave L2. Not yet timed.
    bool both_at_once = false;
    // normal_product() part by part (normal_tasks.hpp): z has other bits from run to run. Not yet timed.
    bool normal_by_parts = false;
};

/// What products do. Code that takes these in place of replay_choices has no other way compiled: a product with an
/// epilogue is compiled where it is called, by those who call it.
struct default_choices : replay_choices {};

template <class Choices>
inline constexpr bool may_choose = !std::is_same_v<Choices, default_choices>;

/// spmv_async() with a plan, as chosen: for measurements. Throws what it throws.
template <class T>
void replay_on_gpu(gpu& executor, T alpha, spmv_plan<T> const& plan, vector_view<T const> x, T beta, vector_view<T> y,
                   replay_choices const& choices);

}  // namespace copse::detail
