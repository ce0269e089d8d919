# For bench/kernels: reads reports of ptxas (-v), and behind them a disassembly (cuobjdump -sass) or none, with names
# demangled; prints a table (with mode == "hot" a line for each hot kernel, and one for all others of a kind), or with
# mode == "check" the kernels that use more local memory than they may.
#
#   ptxas info    : Function properties for NAME                             Function : NAME
#       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads           /*0010*/   LDG.E.128 R4, [R2.64] ;
#   ptxas info    : Used 40 registers, used 0 barriers, 2064 bytes smem
#
# Both name a kernel alike.

BEGIN {
    while ((getline line < hot) > 0) {
        split(line, field, "\t")
        if (field[1] == "hot") wanted[++wanted_count] = field[2]
        if (field[1] != "allowed") continue
        patterns[++pattern_count] = field[2]
        most[pattern_count] = field[3]
    }
    # Kernels of the library, and their threads per block. Others have a line too, without what follows from threads.
    threads["plain_kernel"] = threads["drain_kernel"] = threads["resident_kernel"] = threads["seed_kernel"] = 128
    threads["controller_kernel"] = 32
    threads["step_kernel"] = threads["group_kernel"] = threads["for_each_kernel"] = threads["gather_kernel"] = 256
    threads["look_kernel"] = threads["collect_kernel"] = 64
    column_count = split("load8 load32 load64 load128 generic store8 global_atomics shared_atomics local all", columns,
        " ")
}

# Of kernels, and of functions that are called.
/Function properties for / {
    name = $0
    sub(/.*Function properties for /, "", name)
    next
}
/bytes stack frame/ {
    if (!(name in stack)) functions[++function_count] = name
    # Several objects may hold one function: the worst counts.
    if ($1 + 0 >= stack[name] + 0) stack[name] = $1 + 0
    if ($5 + $9 >= stores[name] + loads[name]) {
        stores[name] = $5 + 0
        loads[name] = $9 + 0
    }
    next
}
/: Used [0-9]+ registers/ {
    if (!(name in registers)) kernels[++kernel_count] = name
    registers[name] = number_before("registers")
    shared[name] = number_before("bytes smem")
    next
}
/Function : / {
    disassembled = 1
    name = $0
    sub(/.*Function : /, "", name)
    if (listed[name]++ > 0) name = ""  # of another object
    next
}
/^[ \t]*\/\*[0-9a-f]+\*\/ / {
    operation = $2 ~ /^@/ ? $3 : $2
    if (operation ~ /^LDG/) {
        width = operation ~ /\.128/ ? 128 : operation ~ /\.64/ ? 64 : operation ~ /\.[US](8|16)/ ? 8 : 32
        ++count[name, "load" width]
    } else if (operation ~ /^LD(\.|$)/) {
        ++count[name, "generic"]
    } else if (operation ~ /^(STG|ST)\.(.*\.)?[US]8(\.|$)/) {
        ++count[name, "store8"]
    } else if (operation ~ /^(LDL|STL)/) {
        ++count[name, "local"]
    } else if (operation ~ /^(ATOMG|ATOM|RED|REDG|UBLKRED)(\.|$)/) {
        ++count[name, "global_atomics"]
    } else if (operation ~ /^ATOMS/) {
        ++count[name, "shared_atomics"]
    }
    ++count[name, "all"]
}

# The number in front of these words, 0 if they are not there.
function number_before(words,    at, text) {
    if (!match($0, "[0-9]+ " words)) return 0
    text = substr($0, RSTART, RLENGTH)
    return text + 0
}

function kernel_of(name,    text) {
    text = name
    gsub(/\(anonymous namespace\)::/, "", text)
    sub(/[<(].*/, "", text)
    sub(/.*[: ]/, "", text)
    return text
}

# The first template argument of `text`, and in `more` how many follow.
function first_argument(text,    i, c, depth, begin, end) {
    begin = index(text, "<") + 1
    more = depth = end = 0
    for (i = begin; i <= length(text); ++i) {
        c = substr(text, i, 1)
        if (c == "<" || c == "(") ++depth
        if (c == ")") --depth
        if (c == ">" && depth-- == 0) break
        if (c == "," && depth == 0 && more++ == 0) end = i
    }
    return substr(text, begin, (end > 0 ? end : i) - begin)
}

# The kernel's name and its first task, without namespaces.
function short_name(name,    text, kernel, i) {
    kernel = kernel_of(name)
    gsub(/\(anonymous namespace\)::/, "", name)
    i = index(name, "<")
    if (i == 0 || (index(name, "(") > 0 && index(name, "(") < i)) return kernel
    text = first_argument(name)
    if (sub(/^copse::run_view<copse::gpu_machine, /, "copse::run_view<", text)) text = first_argument(text)
    gsub(/\(copse::node_kind\)0/, "sparse", text)
    gsub(/\(copse::node_kind\)1/, "dense", text)
    gsub(/\(copse::detail::leaf_kinds\)0/, "sparse", text)
    gsub(/\(copse::detail::leaf_kinds\)1/, "diagonal", text)
    gsub(/\(copse::detail::leaf_kinds\)2/, "dense", text)
    gsub(/[a-z_]+::/, "", text)
    sub(/task_list<.*>, /, "", text)
    text = kernel "<" text ">" (kernel ~ /^(resident|controller)_kernel$/ && more > 0 ? " and " more " more" : "")
    gsub(/ >/, ">", text)
    return (name ~ /separable/ ? "rdc " : "") text
}

# sm_90: 65536 registers in four parts, given to warps by 256; 228 KiB, of which a block has 1 more than it asks for, by
# 128 bytes; 64 warps; 32 blocks.
function blocks_of(name,    warps, by_registers, by_memory, most_blocks) {
    warps = threads[kernel_of(name)] / 32
    by_registers = int(int(16384 / (int((registers[name] + 7) / 8) * 256)) * 4 / warps)
    by_memory = int(233472 / (int((shared[name] + 1024 + 127) / 128) * 128))
    most_blocks = int(64 / warps)
    if (most_blocks > 32) most_blocks = 32
    if (by_registers < most_blocks) most_blocks = by_registers
    if (by_memory < most_blocks) most_blocks = by_memory
    return most_blocks
}

function print_row(text, name, blocks, per_block,    i, row) {
    row = sprintf("| %s | %d | %d | %s | %s | %d | %d/%d |", text, registers[name], shared[name], blocks,
                  blocks == "" ? "" : blocks * per_block, stack[name], stores[name], loads[name])
    for (i = 1; disassembled && i <= column_count; ++i) row = row sprintf(" %d |", count[name, columns[i]])
    print row
}

# Into `total`: what kernels that share a row have at most.
function add_to_most(total, name,    i) {
    if (members[total]++ == 0) totals[++total_count] = total
    if (registers[name] > registers[total] + 0) registers[total] = registers[name]
    if (shared[name] > shared[total] + 0) shared[total] = shared[name]
    if (stack[name] > stack[total] + 0) stack[total] = stack[name]
    if (stores[name] > stores[total] + 0) stores[total] = stores[name]
    if (loads[name] > loads[total] + 0) loads[total] = loads[name]
    for (i = 1; i <= column_count; ++i)
        if (count[name, columns[i]] > count[total, columns[i]] + 0) count[total, columns[i]] = count[name, columns[i]]
}

# What is compiled for the device controller is the same code once more.
function is_hot(name,    k) {
    if (name ~ /::separable::/) return 0
    for (k = 1; k <= wanted_count; ++k)
        if (name ~ wanted[k]) return 1
    return 0
}

# The row of several kernels that this one shares; none: it has its own. CUB's kernels are not ours.
function row_of(name,    kernel) {
    if (name ~ /^(void )?cub::/) return "CUB's"
    if (mode != "hot" || is_hot(name)) return ""
    if (name ~ /::separable::/) return "for the device controller"
    kernel = kernel_of(name)
    return kernel ~ /^(plain|drain|resident|step)_kernel$/ ? kernel : "other kernels"
}

function print_table(    i, name, twin, per_block, row) {
    print "| kernel | registers | shared bytes | blocks | threads | stack bytes | spilled bytes, stores/loads |" \
        (disassembled ? " loads of 1-2 bytes | 4 | 8 | 16 | generic | stores of 1 byte | global atomics | shared |" \
            " local | instructions |" : "")
    print "|---|--:|--:|--:|--:|--:|--:|" (disassembled ? "--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|" : "")
    for (i = 1; i <= kernel_count; ++i) {
        name = kernels[i]
        if (mode == "hot" && printed[short_name(name)]++) continue  # the same function among other tasks
        twin = name  # shared memory of separable compilation is known when it is linked: as much as without
        if (sub(/::separable::/, "::whole::", twin) && twin in shared) shared[name] = shared[twin]
        row = row_of(name)
        if (row != "") {
            add_to_most(row, name)
            continue
        }
        per_block = threads[kernel_of(name)]
        print_row(short_name(name), name, per_block > 0 ? blocks_of(name) : "", per_block)
    }
    for (i = 1; i <= total_count; ++i)
        print_row(totals[i] ", the most of " members[totals[i]], totals[i], "", 0)
}

# What a kernel or function may keep in local memory, in bytes; -1 if it is not the library's.
function most_stack(name,    i) {
    for (i = 1; i <= pattern_count; ++i)
        if (name ~ patterns[i]) return most[i]
    return name ~ /copse::/ ? 0 : -1
}

function check(    i, k, name, may, seen, bad) {
    for (i = 1; i <= function_count; ++i) {
        name = functions[i]
        may = most_stack(name)
        if (may < 0) continue
        ++seen
        if (stack[name] <= may && (stores[name] + loads[name] == 0 || may > 0)) continue
        printf "local memory: %d bytes of stack, %d stored and %d loaded by spills (%d of stack allowed): %s\n", \
            stack[name], stores[name], loads[name], may, name
        ++bad
    }
    for (k = 1; k <= wanted_count; ++k) {
        for (i = 1; i <= kernel_count && kernels[i] !~ wanted[k]; ++i) continue
        if (i <= kernel_count && most_stack(kernels[i]) == 0) continue
        print (i > kernel_count ? "no such kernel: " : "hot, but allowed local memory: ") wanted[k]
        ++bad
    }
    printf "%d kernels and functions, %d complaints\n", seen, bad
    return bad > 0 || seen == 0
}

END {
    if (mode == "check") exit check()
    print_table()
}
