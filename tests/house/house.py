#!/usr/bin/env python3
"""The house's rules, read off the includes, and its counts.

    tests/house/house.py                 what goes against the rules, a line each; exit status 1 if anything does
    tests/house/house.py --counts        what the house weighs: files, lines, doors, who knows the kinds of leaves
    tests/house/house.py --root FOLDER   another checkout (an older one may have other rooms; counts work there too)

The rules (docs/architecture.md says why):
  order    includes go one way: runtime <- formats <- cpu <- algebra <- cli, bench, tests, examples, python
  circle   no file includes itself through others
  door     examples/, cli/, python/ and tests/install/ include headers that stand directly in a room
  shelf    a room's own folder holds headers for others; sources lie in its folders
  contract a header at a door names nothing of detail:: in what it declares to others
  missing  a header <copse/...> that an include names is there
  named    a header or source that a page or a comment names is there (CONTRIBUTING.md names some to be written, and
           CHANGELOG.md some that are gone)
  piece    a header below a door that one file alone includes is a part of it, unless that makes more than 400 lines,
           the file is a door, or others have its name in other rooms: a kind of leaf, an executor's worker
  length   a file of the library has at most 400 lines
  sign     a room's README has at most 30 lines
  width    a line has at most 120 columns: of sources, scripts and pages, but for tables
"""
import argparse
import collections
import pathlib
import re
import sys

ROOMS = ["runtime", "formats", "cpu", "algebra"]
USERS = ["cli", "bench", "tests", "examples", "python"]
DOORS_ONLY = ["cli/", "examples/", "python/", "tests/install/"]
SOURCES = {".hpp", ".cuh", ".cpp", ".cu"}
SCRIPTS = {".py", ".sh", ".cmake", ".awk", ".md", ".pml"}
MOST_LINES = 400
PAGES = ["README.md", "docs/*.md", "*/README.md", "bench/results/*.md"]
NAMED = re.compile(r"""(?<![\w<>{}*/."-])((?:\w[\w-]*/)*[a-z]\w*(?:-inl)?\.(?:hpp|cuh|cpp|cu))\b""")
INCLUDE = re.compile(r"^\s*#\s*include\s*<copse/([^>]+)>", re.M)
TYPE = re.compile(r"\b(class|struct|union)\b(?!.*\)\s*(const|noexcept|override|->.*)*$)")
KINDS = re.compile(r"\bnode_kind::|\bis_wide(_leaf)?\b|\bdiagonal_runs\b|\brun_count\b")


class house:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.text = {}
        for room in ROOMS + USERS:
            for path in sorted((self.root / room).rglob("*")):
                if path.suffix in SOURCES and path.is_file():
                    self.text[path.relative_to(self.root).as_posix()] = path.read_text(encoding="utf-8")
        self.includes = {name: INCLUDE.findall(text) for name, text in self.text.items()}

    def of_rooms(self):
        return [name for name in self.text if room_of(name) in ROOMS]

    def doors(self):
        return [name for name in self.of_rooms() if is_door(name)]


def room_of(name):
    return name.split("/", 1)[0]


def is_door(name):
    return name.count("/") == 1 and name.endswith((".hpp", ".cuh"))


def against_order(h):
    rank = {room: k for k, room in enumerate(ROOMS)}
    for name, included in h.includes.items():
        for other in included:
            if rank.get(room_of(name), len(ROOMS)) < rank.get(room_of(other), len(ROOMS)):
                yield f"order: {name} includes <copse/{other}>, and {room_of(name)}/ stands below {room_of(other)}/"


def circles(h):
    state = {}  # name -> on the way (1) or done (2)
    for start in h.text:
        if start in state:
            continue
        state[start] = 1
        way = [(start, iter(h.includes[start]))]
        while way:
            name, rest = way[-1]
            other = next((o for o in rest if o in h.text and state.get(o) != 2), None)
            if other is None:
                state[name] = 2
                way.pop()
            elif state.get(other) == 1:
                names = [n for n, _ in way]
                yield "circle: " + " -> ".join(names[names.index(other):] + [other])
            else:
                state[other] = 1
                way.append((other, iter(h.includes[other])))


def past_doors(h):
    for name, included in h.includes.items():
        if name.startswith(tuple(DOORS_ONLY)):
            for other in included:
                if not is_door(other):
                    yield f"door: {name} includes <copse/{other}>, which is nobody's but {room_of(other)}/'s own"


def off_the_shelf(h):
    for name in h.of_rooms():
        if name.count("/") == 1 and not is_door(name):
            yield f"shelf: {name} is no header: it belongs into a folder of {room_of(name)}/"


def lonely_pieces(h):
    users = collections.defaultdict(set)
    for name, included in h.includes.items():
        for other in included:
            users[other].add(name)
    for name in h.of_rooms():
        if is_door(name) or not name.endswith((".hpp", ".cuh")) or len(users[name]) != 1:
            continue
        (user,) = users[name]
        has_twins = re.search(r"_leaf(-inl)?\.hpp$|/worker\.(hpp|cuh)$", name)
        both = lines(h, [name, user])
        if not is_door(user) and room_of(user) in ROOMS and not has_twins and both <= MOST_LINES:
            yield f"piece: only {user} includes {name}: make it a part of that file; both have {both} lines"


def long_files(h):
    for name in h.of_rooms():
        if lines(h, [name]) > MOST_LINES:
            yield f"length: {name} has {lines(h, [name])} lines; a file of the library is to have at most {MOST_LINES}"


def missing(h):
    for name, included in h.includes.items():
        for other in included:
            if not (h.root / other).is_file():
                yield f"missing: {name} includes <copse/{other}>, which is not there"


def gone_names(h):
    texts = {name: "\n".join(re.findall(r"//[^\n]*", text)) for name, text in h.text.items()}
    pages = {p.relative_to(h.root).as_posix(): p.read_text("utf-8") for page in PAGES for p in h.root.glob(page)}
    tails = {"/".join(parts[k:]) for parts in (name.split("/") for name in h.text) for k in range(len(parts))}
    for name, text in {**texts, **pages}.items():
        for other in sorted(set(NAMED.findall(text))):
            if other not in tails and other.removeprefix("copse/") not in tails:
                yield f"named: {name} names {other}, which is not there"


def long_signs(h):
    for room in ROOMS:
        sign = h.root / room / "README.md"
        count = len(sign.read_text(encoding="utf-8").splitlines()) if sign.is_file() else 0
        if count > 30:
            yield f"sign: {room}/README.md has {count} lines; it is to have at most 30"


def without_comments(text):
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)


def public_lines(text):
    """(line number, text) of what a header declares to others: outside bodies of functions, namespace detail, private
    parts of classes and the preprocessor."""
    text = re.sub(r"^\s*#[^\n]*", "", without_comments(text), flags=re.M)
    line, begun, statement = 1, 1, ""
    scopes = []  # of each open brace: 'open' (namespace), 'class', or 'shut'
    hidden = []  # of each open class: whether its private part is being read
    for c in text:
        if c == "\n":
            line += 1
        shut = "shut" in scopes or any(hidden)
        if c == "{":
            head = " ".join(statement.split())
            kind = "shut"
            if re.search(r"\bnamespace\b", head):
                kind = "shut" if re.search(r"\bdetail\b", head) else "open"
            elif TYPE.search(head) and "=" not in head:
                kind = "class"
            if not shut and kind != "open" and head:
                yield begun, head
            scopes.append(kind)
            if kind == "class":
                hidden.append(bool(re.search(r"\bclass\b", head)) and not re.search(r"\benum\b", head))
            statement, begun = "", line
        elif c == "}":
            if scopes and scopes.pop() == "class":
                hidden.pop()
            statement, begun = "", line
        elif c == ";":
            head = " ".join(statement.split())
            if not shut and head:
                yield begun, head
            statement, begun = "", line
        elif c == ":" and re.search(r"\b(public|private|protected)\s*$", statement):
            if hidden:
                hidden[-1] = not re.search(r"\bpublic\s*$", statement)
            statement, begun = "", line
        else:
            if not statement.strip():
                begun = line
            statement += c


def leaking_contracts(h):
    for name in h.doors():
        for line, declared in public_lines(h.text[name]):
            if re.search(r"\bdetail::", declared) and not declared.startswith(("friend", "using namespace")):
                # What a constructor does with its members is no part of what it promises.
                promised = re.split(r"\)\s*(?:noexcept\s*)?:(?!:)", declared)[0].split(" = detail::")[0]
                if re.search(r"\bdetail::", promised):
                    yield f"contract: {name}:{line} names detail:: in what it declares: {declared[:90]}"


def other_texts(h):
    """Scripts and pages: name, text."""
    for path in sorted(h.root.glob("*")):
        for file in sorted(path.rglob("*")) if path.name in ROOMS + USERS + ["cmake", "docs", ".ci"] else [path]:
            if file.is_file() and (file.suffix in SCRIPTS or file.name == "CMakeLists.txt" or
                                   not file.suffix and file.read_bytes()[:2] == b"#!"):
                yield file.relative_to(h.root).as_posix(), file.read_text(encoding="utf-8")


def wide_lines(h):
    for name, text in [*h.text.items(), *other_texts(h)]:
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > 120 and not line.startswith("|") and line.count("|") < 6:  # no table
                yield f"width: {name}:{number} has {len(line)} columns; a line is to have at most 120"


RULES = [
    against_order,
    circles,
    past_doors,
    off_the_shelf,
    leaking_contracts,
    lonely_pieces,
    long_files,
    missing,
    gone_names,
    long_signs,
    wide_lines,
]


def lines(h, names):
    return sum(h.text[name].count("\n") for name in names)


def reached(h, start):
    """The files that a source passes on its way down, itself among them."""
    seen, todo = set(), [start]
    while todo:
        name = todo.pop()
        if name in seen or name not in h.text:
            continue
        seen.add(name)
        todo += h.includes[name]
    return seen


def print_counts(h):
    library = h.of_rooms()
    headers = [n for n in library if n.endswith((".hpp", ".cuh"))]
    print(f"{'':26}{'files':>8}{'lines':>8}")
    for room in ROOMS + USERS:
        names = [n for n in h.text if room_of(n) == room]
        print(f"{room + '/':26}{len(names):8}{lines(h, names):8}")
    print(f"{'library':26}{len(library):8}{lines(h, library):8}")
    print()
    print(f"{len(h.doors()):6} headers at a door, of {len(headers)} in the library")
    for room in ROOMS:
        at_door = sum(1 for n in library if room_of(n) == room and n.count("/") == 1)
        print(f"{at_door:6} files directly in {room}/")
    users = collections.Counter(other for name in library for other in set(h.includes[name]))
    below = [n for n in headers if not is_door(n)]
    print(f"{sum(1 for n in below if users[n] == 1):6} headers below a door that one library file includes")
    print(f"{sum(1 for n in library if h.text[n].count(chr(10)) <= 60):6} library files of 60 lines or fewer")
    knowing = sum(1 for n in library if KINDS.search(without_comments(h.text[n])))
    print(f"{knowing:6} library files that know the kinds of leaves")
    print(f"{sum(h.text[n].count('Worker::on_cpu') for n in library):6} times Worker::on_cpu")
    absent = [n for n in library if re.search(r"absent|_device\.cu$|/device\.cu$", n)]
    print(f"{len(absent):6} files that stand in for another controller or for a missing toolkit, "
          f"{lines(h, absent)} lines")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--counts", action="store_true")
    arguments = parser.parse_args()
    h = house(arguments.root)
    if not h.of_rooms():
        sys.exit(f"house.py: '{arguments.root}' has no rooms: {', '.join(ROOMS)}")
    if arguments.counts:
        print_counts(h)
        return
    found = [line for rule in RULES for line in rule(h)]
    print("\n".join(found) if found else f"{len(h.text)} files keep the rules")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
