// Memory where it is short: the ways to it that cost least come first.
#pragma once

namespace copse::detail {

/// Whether attempt() found memory: at once; behind trim(), which gives back what nobody uses and waits for nothing; or
/// behind wait(), when what is on its way back can be given back too. Where may_wait() is false there is one attempt.
template <class Attempt, class MayWait, class Trim, class Wait>
[[nodiscard]] bool find_room(Attempt const& attempt, MayWait const& may_wait, Trim const& trim, Wait const& wait) {
    if (attempt()) return true;
    if (!may_wait()) return false;
    trim();
    if (attempt()) return true;
    wait();
    trim();
    return attempt();
}

}  // namespace copse::detail
