// A model of a run: queue, credits, ranges, what is outstanding, failure and end, for the model checker SPIN.
//
// SPIN tries every order in which the steps of all processes can follow one another, and checks what run() relies on.
// CMakeLists.txt lists the bounds, the mutations, and the property that must fail for each. By hand:
//
//   tests/models/check.sh holds -DFITS                             SPIN finds no error in the model
//   tests/models/check.sh ended_early -DFITS -DFINISH_EARLY        ... and this one with a mutation
//   tests/models/check.sh --trail ended_early -DFITS -DFINISH_EARLY      and prints the steps that lead to it
//
//   worker       a thread of a cpu, or a block: claims items, copies them out, runs them, pushes their children
//   lane         with LANES == 2 a worker's second lane: publishes one of two items that are pushed together
//   controller   with DEVICE_CONTROLLER or HOST_CONTROLLER: launches workers, which leave when their queue is empty
//   host         with CANCEL: may stop the run
//   memory       lets late accesses take effect, and looks at what is left after the run
//
// A step is one access to memory that others use. A comment names its function and its memory order:
// - A relaxed addition whose result nobody uses (give_back() of credits, to `available`, to `outstanding`) and the
//   plain stores of a task function may take effect later than they stand in the program. They go to late_*, and
//   `memory` lets each take effect at any later step.
// - A release (store_release, add_acq_rel, exchange_if) waits until the late accesses of its lane have taken effect;
//   after a barrier, also those of the lanes that were at the barrier.
// - A relaxed addition whose result is used takes effect where it stands, because what follows depends on the result.
// - A load sees the last value. A worker that sees an older one finds less to do, or the end later, and looks again.
//   Two loads in a row are in order, because the first is an acquire.
//
// A worker that polls waits in a guard. If it would poll for ever, SPIN says 'invalid end state': a deadlock.
//
// Not in the model: statistics (`peak`, batches, clocks), priorities, sums and tiles, the sizes of launches, an
// executor that gives a run up. claim_size::of() is any number from 1 to 2. A queue's spill is room in the same ring.

// ---- Bounds ----
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef LANES
#define LANES 1
#endif
#ifndef SLOTS
#define SLOTS 2 /* or 4 */
#endif
#ifndef MOST_CLAIMED
#define MOST_CLAIMED 2 /* or 1 */
#endif

/* Items are numbers from 1. Item 1 is the seed; item i pushes the items FIRST_CHILD(i) .. + CHILDREN(i) - 1.
   Trees: chain of pairs (at most two items wait at once), bush (three), and pair (a seed and two leaves). */
#if defined(BUSH)
#define ITEMS 5
#define FIRST_CHILD(i) (2 * (i))
#define CHILDREN(i) ((i) <= 2 -> 2 : 0)
#elif defined(LINE)
#define ITEMS 4
#define FIRST_CHILD(i) ((i) + 1)
#define CHILDREN(i) ((i) < ITEMS -> 1 : 0)
#elif defined(PAIR)
#define ITEMS 3
#define FIRST_CHILD(i) 2
#define CHILDREN(i) ((i) == 1 -> 2 : 0)
#else
#define ITEMS 5
#define FIRST_CHILD(i) ((i) == 1 -> 2 : (i) + 2)
#define CHILDREN(i) ((i) == 1 -> 2 : ((i) <= 3 -> 1 : 0))
#endif

/* With RANGES, items 1 to RANGES of the ring push a range of two items each, to a task of phase RANGE_PHASE. The items
   of ranges have the numbers ITEMS + 1 and on. */
#ifndef RANGES
#define RANGES 0
#endif
#ifndef RANGE_PHASE
#define RANGE_PHASE 1
#endif
#ifndef RANGE_SLOTS
#define RANGE_SLOTS RANGES
#endif
#define ALL_ITEMS (ITEMS + 2 * RANGES)
#define PHASES 2

#if defined(DEVICE_CONTROLLER) || defined(HOST_CONTROLLER)
#define CONTROLLER
#endif

// ---- What the workers share: zeroed memory is an empty queue and a fresh run ----
short credits, available; /* ring_counters (scheduler/ring.hpp) */
byte tail, head;
byte ticket[SLOTS], slot_item[SLOTS];
#define SLOT(position) ((position) % SLOTS)
#define FREE_TICKET(position) ((position) / SLOTS * 2)
#if RANGES > 0
byte range_tail, range_head; /* range_counters, range_entry (scheduler/queue.hpp) */
byte range_first[RANGE_SLOTS], range_next[RANGE_SLOTS], range_published[RANGE_SLOTS];
#define RANGE_TO_CLAIM (range_head < range_tail && range_head < RANGE_SLOTS && range_published[range_head] == 1)
#else
#define RANGE_TO_CLAIM false
#endif

short outstanding[2]; /* run_control (scheduler/run_view.hpp): by phase */
byte failure_state;
bool stop;
#ifdef PHASE_NOT_AWAITED
#define PHASE_OPEN true
#else
#define PHASE_OPEN (RANGE_PHASE == 0 || outstanding[0] == 0) /* phase_open(): load_acquire */
#endif

// ---- Between one worker's processes, or a worker and its controller ----
#if LANES == 2
chan handed_over[WORKERS] = [0] of { byte, byte }; /* group.broadcast(): position, item */
bool lane_works[WORKERS];
#endif
#ifdef CONTROLLER
bool launched[WORKERS]; /* a launched block that has not ended: running_blocks */
#endif
byte ended;      /* workers that have seen the end */
bool stop_ended; /* the requester of a stop has recorded it */

// ---- What has not taken effect ----
short late_credits[WORKERS], late_available[WORKERS], late_count[WORKERS], late_ranges[WORKERS];
bool late_result[WORKERS]; /* what task functions write */
#define ALL_EFFECTIVE(w) (late_credits[w] == 0 && late_available[w] == 0 && late_count[w] == 0 && \
                          late_ranges[w] == 0 && !late_result[w])
#define OF_ANY(condition) (condition(0) || condition(WORKERS - 1) || condition(WORKERS / 2)) /* up to 3 workers */
#define RESULT_LATE(w) late_result[w]
#define SOME_LATE(w) (!ALL_EFFECTIVE(w))

// ---- The properties: each must stay false. No worker acts on what follows ----
bool ended_early;          /* a worker sees the end while items are outstanding */
bool result_unseen;        /* ... while what a task function wrote is not in memory */
bool run_twice;            /* a function runs twice for an item, or for what was never pushed */
bool item_lost;            /* the run ends well, and the function of an item has not run */
bool phase_opened_early;   /* an item of phase 1 runs while one of phase 0 is outstanding */
bool failed_with_room;     /* a queue is full though it has room for all that waits: with FITS */
bool failed_twice;         /* two failures are recorded */
bool failure_half_written; /* run() reads a failure that is being written */
bool room_lost;            /* after the run credits or `available` are not 0, or head is not tail */
bool run_stuck;            /* the host controller finds items outstanding, but none in a queue */
#define REQUIRE_NOT(wrong, condition) wrong = (condition); assert(!wrong)

byte live[2]; /* by phase: items in a queue, or whose function has not returned */
bit was_run[ALL_ITEMS + 1];
byte failures_recorded;

// ---- scheduler/run_view.hpp: run_control ----

/* run_control::fail(). exchange_if: acquire and release; then plain stores, and store_release. `releases` is false for
   the host, which has no late accesses. */
inline fail(lane, releases) {
#ifdef FAIL_WITHOUT_EXCHANGE
    if
    :: failure_state != 0
    :: failure_state == 0 ->
        failure_state = 1;
#else
    if
    :: failure_state != 0
    :: atomic { failure_state == 0 && (!(releases) || ALL_EFFECTIVE(lane)) -> failure_state = 1 };
#endif
        atomic {
            failures_recorded++;
            REQUIRE_NOT(failed_twice, failures_recorded > 1);
#ifdef FITS
            REQUIRE_NOT(failed_with_room, true);
#endif
        };
        failure_state = 2
    fi
}

// ---- scheduler/ring.hpp: producer ----

/* push_target::reserve() and ring_view::try_reserve(). All additions are relaxed; the results of those to credits and
   tail are used. */
inline reserve(wanted_, granted_, first_) {
    atomic {
        credits = credits + late_credits[me]; /* what this lane gave back earlier: one location, one order */
        late_credits[me] = 0;
        granted_ = (SLOTS - credits >= wanted_ -> wanted_ : (SLOTS > credits -> SLOTS - credits : 0));
        credits = credits + wanted_;
#ifndef KEEP_EXCESS_CREDITS
        late_credits[me] = granted_ - wanted_;
#endif
        live[0] = live[0] + granted_
    };
    if
    :: granted_ > 0 ->
        atomic {
            first_ = tail;
            tail = tail + granted_;
            late_available[me] = late_available[me] + granted_;
#if defined(COUNT_WHAT_WAS_WANTED)
            late_count[me] = late_count[me] + wanted_
#elif !defined(COUNT_AFTER_PUBLICATION)
            late_count[me] = late_count[me] + granted_
#endif
        }
    :: else
    fi;
#ifndef FULL_NOT_RECORDED
    if
    :: granted_ < wanted_ -> fail(me, true)
    :: else
    fi
#endif
}

/* ring_view::write(): load_acquire of the ticket, plain stores, store_release of the ticket. `releases`: whose late
   accesses the release waits for. */
inline write(position_, item_, releases) {
#ifndef WRITE_WITHOUT_WAIT
    ticket[SLOT(position_)] == FREE_TICKET(position_);
#endif
#ifndef PUBLISH_BEFORE_ITEM
    slot_item[SLOT(position_)] = item_;
#endif
#ifndef PUBLISH_RELAXED
    atomic { releases -> ticket[SLOT(position_)] = FREE_TICKET(position_) + 1 };
#else
    ticket[SLOT(position_)] = FREE_TICKET(position_) + 1;
#endif
#ifdef PUBLISH_BEFORE_ITEM
    slot_item[SLOT(position_)] = item_;
#endif
}

/* The lanes' part of push_target::push_together() behind the reservation. group.broadcast() orders what rank 0 did
   before it before what the other lanes do after it (gpu: __syncwarp): their releases cover the count. */
#ifdef BROADCAST_UNORDERED
#define COUNTED true
#else
#define COUNTED ALL_EFFECTIVE(me)
#endif

#if LANES == 2
proctype lane(byte me) {
    byte position, item;
end:
    do
    :: handed_over[me] ? position, item;
        write(position, item, COUNTED);
        atomic { lane_works[me] = false; position = 0; item = 0 }
    od
}
#endif

/* Of `waiting`, items of one task function: on a gpu push_together(), on a cpu cpu_thread_state::flush(). */
inline push() {
    reserve(waiting_count, n, first);
#if LANES == 2
    if
    :: n > 1 ->
        lane_works[me] = true;
        handed_over[me] ! first + 1, waiting[1]
    :: else
    fi;
    if
    :: n > 0 -> write(first, waiting[0], ALL_EFFECTIVE(me))
    :: else
    fi;
#else
    i = 0;
    do
    :: i < n ->
        write(first + i, waiting[i], ALL_EFFECTIVE(me));
        i++
    :: else -> break
    od;
#endif
#ifdef COUNT_AFTER_PUBLICATION
    late_count[me] = late_count[me] + n;
#endif
    atomic {
        waiting_count = 0;
        waiting[0] = 0;
        waiting[1] = 0;
#ifdef CPU
        waiting[2] = 0;
        waiting[3] = 0;
#endif
        i = 0;
        n = 0;
        first = 0
    }
}

// ---- scheduler/ring.hpp: consumer ----

/* ring_view::try_claim(): load_relaxed and additions to available, then to head, all relaxed; the first and the last
   addition's results are used. After the load that the guard is. */
inline try_claim_of_ring() {
    if
    :: wanted = 1
    :: wanted = MOST_CLAIMED
    fi;
    atomic {
        available = available + late_available[me];
        late_available[me] = 0;
        claimed = (available >= wanted -> wanted : (available > 0 -> available : 0));
        available = available - wanted;
#ifndef KEEP_EXCESS_CLAIM
        late_available[me] = wanted - claimed;
#endif
#ifdef CLAIM_WHAT_WAS_WANTED
        claimed = wanted;
#endif
        wanted = 0
    };
    if
    :: claimed > 0 -> atomic { first = head; head = head + claimed }
    :: else
    fi
}

/* ring_view::give_back(): relaxed. */
inline give_back() {
#ifndef KEEP_CREDITS
    late_credits[me] = late_credits[me] - claimed
#else
    skip
#endif
}

/* ring_view::read(): load_acquire of the ticket, plain loads. ring_view::release(): store_release of the ticket. */
#define PUBLISHED(position) (ticket[SLOT(position)] == FREE_TICKET(position) + 1)
inline read_and_release(at) {
#ifdef RELEASE_BEFORE_COPY
    ticket[SLOT(first + at)] = FREE_TICKET(first + at) + 2;
#endif
    copied[at] = slot_item[SLOT(first + at)];
#ifndef RELEASE_BEFORE_COPY
    atomic { ALL_EFFECTIVE(me) -> ticket[SLOT(first + at)] = FREE_TICKET(first + at) + 2 };
#endif
    i = i + 1 + at
}

/* A cpu's thread copies one item after the other; a block's threads copy them side by side (copy_batch() in
   scheduler/block_drain.hpp), none waits for another. Bits of i: which are copied. */
#ifdef CPU
#define FIRST_COPIED (i & 1) == 1
#define LAST_OF_BATCH (k + 1 == claimed) /* flush() behind the batch: one reservation for what all its items pushed */
#else
#define FIRST_COPIED true
#define LAST_OF_BATCH true
#endif
inline copy_out() {
    do
    :: (i & 1) == 0 && PUBLISHED(first) -> read_and_release(0)
    :: (i & 2) == 0 && claimed > 1 && PUBLISHED(first + 1) && FIRST_COPIED -> read_and_release(1)
    :: i == 2 * claimed - 1 -> break
    od;
    atomic { i = 0; first = 0 }
}

// ---- A batch ----

/* run_control::finish(): add_acq_rel, when the functions have returned and what they pushed is counted. On a gpu and
   emulated, tell() in scheduler/block_drain.hpp. */
#ifdef FINISH_RELAXED
#define FINISHES true
#else
#define FINISHES ALL_EFFECTIVE(me)
#endif
inline finish(phase_) {
    atomic {
        FINISHES -> outstanding[phase_] = outstanding[phase_] - done;
        done = 0
    }
}

/* The task function, for copied[k]. It has returned when what it pushed is in the queue. */
inline run_item() {
    atomic {
        REQUIRE_NOT(run_twice, was_run[copied[k]] == 1 || copied[k] == 0);
        was_run[copied[k]] = 1;
        late_result[me] = true;
        do
        :: i < CHILDREN(copied[k]) ->
            waiting[waiting_count] = FIRST_CHILD(copied[k]) + i;
            waiting_count++;
            i++
        :: else -> break
        od;
        i = 0
    }
}

/* cpu_batches() in runtime/cpu.hpp, and drain_batch() in scheduler/block_drain.hpp: the same but for when room goes
   back, when children are pushed, and when the batch is counted as finished. An item that a CPU's thread keeps for
   itself is a part of the claimed item that it comes from: it is never in the queue. */
inline work_off_batch() {
#ifndef CPU
    give_back(); /* claim_batch(): before the items are copied */
#endif
    drop = failure_state != 0; /* run_control::failed(): load_relaxed */
    copy_out();
#ifdef CPU
    give_back();
#endif
    do
    :: k < claimed ->
#ifdef FINISH_EARLY
        atomic { done = 1; outstanding[0] = outstanding[0] - done; done = 0 };
#endif
        if
        :: !drop -> run_item()
        :: else
        fi;
        if
        :: waiting_count > 0 && LAST_OF_BATCH -> push()
        :: else
        fi;
#if RANGES > 0
        if
        :: !drop && copied[k] <= RANGES -> push_range()
        :: else
        fi;
#endif
#if LANES == 2
        !lane_works[me]; /* block.sync(): a barrier */
#endif
        atomic { live[0]--; copied[k] = 0; k++ }
    :: else -> break
    od;
    atomic {
#if defined(FORGET_DROPPED)
        done = done + (drop -> 0 : claimed);
#elif !defined(FINISH_EARLY)
        done = done + claimed;
#endif
        claimed = 0;
        k = 0;
        drop = false
    }
}

#if RANGES > 0
// ---- scheduler/queue.hpp: range_list_view ----

/* push_target::push_range() and try_push(): a relaxed addition to tail, announce() (the relaxed addition to
   outstanding), plain stores, store_release of published. */
inline push_range() {
    atomic { i = range_tail; range_tail++ };
    if
    :: i >= RANGE_SLOTS ->
        range_tail--;
        fail(me, true)
    :: else ->
        atomic {
#ifndef RANGE_COUNTED_LAST
            late_ranges[me] = late_ranges[me] + 2;
#endif
            live[RANGE_PHASE] = live[RANGE_PHASE] + 2;
        };
        range_first[i] = ITEMS + 2 * copied[k] - 1;
        atomic { ALL_EFFECTIVE(me) -> range_published[i] = 1 };
#ifdef RANGE_COUNTED_LAST
        late_ranges[me] = late_ranges[me] + 2;
#endif
    fi;
    i = 0
}

/* try_claim() of a range: load_acquire of head and published, load_relaxed of tail and next, a relaxed addition to
   next, exchange_if of head; then the batch. */
inline batch_of_range() {
    n = range_head;
    if
    :: n < range_tail && n < RANGE_SLOTS && range_published[n] == 1 ->
        if
        :: range_next[n] < 2 ->
            if
            :: wanted = 1
            :: wanted = 2
            fi;
            atomic {
                first = range_next[n];
                range_next[n] = range_next[n] + wanted;
#ifdef RANGE_OVERDRAWN
                claimed = wanted;
#else
                claimed = (first >= 2 -> 0 : (2 - first < wanted -> 2 - first : wanted));
#endif
                wanted = 0
            }
        :: else
        fi;
        if
        :: claimed > 0 ->
            drop = failure_state != 0;
            do
            :: k < claimed -> run_item_of_range()
            :: else -> break
            od;
            done = claimed;
            finish(RANGE_PHASE)
        :: else ->
#ifdef RANGE_HEAD_ADDED
            range_head++
#else
            atomic {
                if
                :: range_head == n -> range_head++
                :: else
                fi
            }
#endif
        fi
    :: else
    fi;
    atomic { n = 0; first = 0; claimed = 0; k = 0; drop = false }
}

inline run_item_of_range() {
    atomic {
        REQUIRE_NOT(phase_opened_early, RANGE_PHASE == 1 && live[0] > 0);
        if
        :: !drop ->
            REQUIRE_NOT(run_twice, first + k >= 2 || was_run[range_first[n] + first + k] == 1);
            was_run[range_first[n] + first + k] = 1;
            late_result[me] = true
        :: else
        fi;
        live[RANGE_PHASE]--;
        k++
    }
}
#endif

#ifdef PHASES_READ_BACKWARDS
#define FIRST_READ 1
#else
#define FIRST_READ 0
#endif

/* What whoever sees that nothing is outstanding relies on. */
inline see_end() {
    REQUIRE_NOT(ended_early, live[0] + live[1] > 0);
    REQUIRE_NOT(result_unseen, OF_ANY(RESULT_LATE))
}

/* cpu_work() in runtime/cpu.hpp; drain_all_queues() in scheduler/block_drain.hpp; with a controller, drain_queue(),
   again and again. */
proctype worker(byte me) {
    byte wanted, claimed, first, i, k, n, done, waiting_count;
    byte copied[MOST_CLAIMED], waiting[2 * MOST_CLAIMED];
    bool drop;

#ifdef CONTROLLER
end:
    launched[me];
#endif
    do
    :: available > 0 && !stop -> /* ring_view::try_claim(): load_relaxed */
        try_claim_of_ring();
        if
        :: claimed > 0 -> work_off_batch()
        :: else
        fi;
#if defined(CPU)
        if
        :: done > 0 -> finish(0)
        :: else
        fi
#endif
    :: done > 0 -> finish(0) /* count_batch(), or claim_batch() that found nothing: at some time */
#if RANGES > 0
    :: done == 0 && PHASE_OPEN && RANGE_TO_CLAIM && !stop -> batch_of_range()
#endif
#ifdef CONTROLLER
    :: done == 0 -> /* its queue is empty or so full that more blocks should be launched, or the run is stopped */
        launched[me] = false;
        goto end
#else
    :: done == 0 && outstanding[FIRST_READ] == 0 -> /* run_control::finished(): load_acquire, phase by phase */
        if
        :: outstanding[1 - FIRST_READ] == 0 ->
            atomic { see_end(); ended++ };
            break
        :: available > 0 || RANGE_TO_CLAIM
        fi
#endif
    od
}

#ifdef CONTROLLER
#define NONE_LAUNCHED (!launched[0] && !launched[1])

/* control_lane() in scheduler/controller.hpp; control_from_host() in runtime/gpu/run.cu, which looks when all launched
   blocks have ended, and with them all their accesses. ring_view::approximate_fill(): load_relaxed of head and tail.
   A launch may fail: stop_run(), store_release of stop, then fail(). */
#define FILLED (tail > head || (PHASE_OPEN && RANGE_TO_CLAIM))
proctype controller() {
    do
    :: atomic { outstanding[0] == 0 && outstanding[1] == 0 -> see_end() }; break
#ifdef DEVICE_CONTROLLER
    :: FILLED && !launched[0] -> launched[0] = true
    :: FILLED && !launched[1] -> launched[1] = true
#else
    :: NONE_LAUNCHED && ALL_EFFECTIVE(0) && ALL_EFFECTIVE(1) && outstanding[0] + outstanding[1] > 0 ->
        REQUIRE_NOT(run_stuck, !FILLED);
        if
        :: launched[0] = true
        :: atomic { launched[0] = true; launched[1] = true }
        fi
#endif
#ifdef LAUNCH_FAILS
    :: FILLED ->
        stop = true;
        fail(0, false);
        break
#endif
    od;
    NONE_LAUNCHED;
    ended = WORKERS
}
#endif

#define TAKE_EFFECT(w)                                                                                         \
    :: atomic { late_credits[w] != 0 -> credits = credits + late_credits[w]; late_credits[w] = 0 }             \
    :: atomic { late_available[w] != 0 -> available = available + late_available[w]; late_available[w] = 0 }   \
    :: atomic { late_count[w] != 0 -> outstanding[0] = outstanding[0] + late_count[w]; late_count[w] = 0 }     \
    :: atomic { late_ranges[w] != 0 ->                                                                         \
                outstanding[RANGE_PHASE] = outstanding[RANGE_PHASE] + late_ranges[w]; late_ranges[w] = 0 }     \
    :: atomic { late_result[w] -> late_result[w] = false }

#if !defined(CANCEL) || defined(READ_DURING_STOP)
#define STOP_ENDED true
#else
#define STOP_ENDED stop_ended
#endif

/* Late accesses take effect. When all workers have ended: what must hold after a run. */
proctype memory() {
    byte i;
end:
    do
    TAKE_EFFECT(0)
#if WORKERS > 1
    TAKE_EFFECT(1)
#endif
#if WORKERS > 2
    TAKE_EFFECT(2)
#endif
    :: ended == WORKERS && STOP_ENDED && !OF_ANY(SOME_LATE) -> break
    od;
    atomic {
        REQUIRE_NOT(room_lost, !stop && (credits != 0 || available != 0 || head != tail));
        do
        :: i < ALL_ITEMS ->
            i++;
            REQUIRE_NOT(item_lost, failure_state == 0 && was_run[i] == 0)
        :: else -> break
        od;
        REQUIRE_NOT(failure_half_written, failure_state == 1)
    }
}

/* cancel_on_stop() in scheduler/run_storage.hpp: from the requester's thread, at any time, or not at all. run() reads
   the failure when no requester writes it: the destructor of std::stop_callback waits for one that has begun. */
#ifdef CANCEL
proctype host() {
    if
    :: fail(0, false)
    :: true
    fi;
    stop_ended = true
}
#endif

init {
    atomic {
        /* push_seeds(): before the workers start, which orders it. */
        credits = 1;
        tail = 1;
        available = 1;
        ticket[0] = 1;
        slot_item[0] = 1;
        outstanding[0] = 1;
        live[0] = 1;
        byte w = 0;
        do
        :: w < WORKERS ->
            run worker(w);
#if LANES == 2
            run lane(w);
#endif
            w++
        :: else -> break
        od;
#ifdef CANCEL
        run host();
#endif
#ifdef CONTROLLER
        run controller();
#endif
        run memory()
    }
}
