# SPDX-License-Identifier: MIT
"""Random C types: how one is thought up, spelled in C, written as calls of builders, and made smaller."""
import copy
import random

# Spelling, name in ist_type, bytes, what a compiler needs for it.
INTEGERS = [
    ("char", "CHAR", 1), ("signed char", "SCHAR", 1), ("unsigned char", "UCHAR", 1),
    ("short", "SHORT", 2), ("unsigned short", "USHORT", 2), ("int", "INT", 4), ("unsigned int", "UINT", 4),
    ("long", "LONG", 8), ("unsigned long", "ULONG", 8), ("long long", "LLONG", 8), ("unsigned long long", "ULLONG", 8),
]
OTHERS = [
    ("_Bool", "BOOL", 1), ("__int128", "INT128", 16), ("unsigned __int128", "UINT128", 16),
    ("float", "FLOAT", 4), ("double", "DOUBLE", 8), ("long double", "LONG_DOUBLE", 16), ("__float128", "FLOAT128", 16),
    ("float _Complex", "COMPLEX_FLOAT", 8), ("double _Complex", "COMPLEX_DOUBLE", 16),
    ("long double _Complex", "COMPLEX_LONG_DOUBLE", 32),
    ("_Float16", "FLOAT16", 2), ("_Float128", "FLOAT128", 16), ("_Float128 _Complex", "COMPLEX_FLOAT128", 32),
]
# Types that gcc has and clang 14 has not, on this processor.
GCC_ONLY = {"_Float16", "_Float128", "_Float128 _Complex"}
VECTOR_ELEMENTS = INTEGERS + [("float", "FLOAT", 4), ("double", "DOUBLE", 8)]
# Enumerators, the type that gcc and clang choose (C11 6.7.2.2 leaves it to them), that of a packed one.
ENUMS = [
    (["0", "1"], "UINT", "UCHAR"), (["-1", "1"], "INT", "SCHAR"), (["0", "300"], "UINT", "USHORT"),
    (["-200", "5"], "INT", "SHORT"), (["0", "0x80000000"], "UINT", "UINT"), (["-1", "0x7fffffff"], "INT", "INT"),
    (["0", "0x100000000"], "ULONG", "ULONG"), (["-1", "0x100000000"], "LONG", "LONG"), (["255"], "UINT", "UCHAR"),
]
SIZES = {name: size for _, name, size in INTEGERS + OTHERS}


class Scalar:
    def __init__(self, spelling, name):
        self.spelling, self.name = spelling, name
        self.arrayable = True


class Enum:
    def __init__(self, values, name, packed):
        self.values, self.name, self.packed = values, name, packed
        self.arrayable = True


class Vector:
    def __init__(self, spelling, name, size):
        self.spelling, self.name, self.size = spelling, name, size
        self.arrayable = True


class Pointer:
    """To void, to an unknown struct, to a function, to the type of another member."""

    def __init__(self, kind):
        self.kind = kind
        self.arrayable = True


class Array:
    def __init__(self, element, dimensions):
        self.element, self.dimensions = element, dimensions  # None: without end.
        self.arrayable = dimensions[0] is not None and element.arrayable


class Typedef:
    def __init__(self, target, alignment):
        self.target, self.alignment = target, alignment  # 0: none.
        self.arrayable = target.arrayable and alignment in (0, 1)


class Group:
    def __init__(self, keyword):
        self.keyword, self.members = keyword, []
        self.packed, self.alignment, self.pack = False, 0, 0
        self.inline = True  # Spelled where it is used; else declared before, under `#pragma pack(self.pack)`.
        self.attributes_first = False
        self.arrayable = True


class Member:
    def __init__(self, target, name):
        self.target, self.name = target, name  # None: unnamed.
        self.bits = None
        self.packed, self.alignment, self.alignas, self.qualifier = False, 0, 0, ""


def leaf(type_):
    """What is left of a type without its names and dimensions."""
    while isinstance(type_, (Array, Typedef)):
        type_ = type_.element if isinstance(type_, Array) else type_.target
    return type_


# ---- Thinking one up ----

class Thinker:
    def __init__(self, rng):
        self.rng = rng
        self.names = 0
        self.budget = rng.choice([3, 6, 10, 20, 40])
        # What a type is made of differs from type to type, so that features meet often.
        self.attributes = rng.choice([0, 0, 0.1, 0.3])
        self.bit_rate = rng.choice([0, 0.2, 0.6, 0.9])
        self.group_rate = rng.choice([0.05, 0.2, 0.4])
        self.packs = rng.choice([0, 0, 0.3, 0.8])
        self.known = []

    def chance(self, probability):
        return self.rng.random() < probability

    def name(self):
        self.names += 1
        return f"m{self.names}"

    def scalar(self):
        return Scalar(*self.rng.choice(INTEGERS if self.chance(0.6) else OTHERS)[:2])

    def enum(self):
        values, plain, packed = self.rng.choice(ENUMS)
        small = self.chance(0.4)
        return Enum(values, packed if small else plain, small)

    def vector(self):
        spelling, name, size = self.rng.choice(VECTOR_ELEMENTS)
        return Vector(spelling, name, self.rng.choice([n for n in (8, 16, 32, 64) if n >= size]))

    def simple(self):
        roll = self.rng.random()
        if roll < 0.7:
            return self.scalar()
        if roll < 0.8:
            return self.enum()
        if roll < 0.88:
            return self.vector()
        return Pointer(self.rng.choice(["void", "unknown", "function", "double"]))

    def type(self, depth):
        if self.known and self.chance(0.1):
            made = self.rng.choice(self.known)
        elif depth < 5 and self.chance(self.group_rate):
            made = self.group(depth + 1)
            if not made.inline:
                self.known.append(made)
        else:
            made = self.simple()
        if self.chance(0.1 if self.attributes else 0.02):
            made = Typedef(made, self.rng.choice([0, 1, 2, 4, 8, 16, 32]) if self.attributes else 0)
        if made.arrayable and self.chance(0.2):
            made = Array(made, [self.rng.choice([0, 1, 1, 2, 3, 5, 7]) for _ in range(self.rng.choice([1, 1, 2, 3]))])
            if self.chance(0.1):
                made = Typedef(made, self.rng.choice([0, 2, 8, 16]))
        return made

    def bit_type(self):
        roll = self.rng.random()
        if roll < 0.72:
            made = Scalar(*self.rng.choice(INTEGERS)[:2])
        elif roll < 0.82:
            made = Scalar("_Bool", "BOOL")
        elif roll < 0.97:
            made = self.enum()
        else:
            made = Scalar("__int128", "INT128")
        if self.attributes and self.chance(0.1):
            made = Typedef(made, self.rng.choice([1, 2, 4, 8, 16]))
        return made

    def bit_member(self):
        target = self.bit_type()
        name = leaf(target).name
        width = 1 if name == "BOOL" else 8 * SIZES[name]
        member = Member(target, self.name())
        member.bits = self.rng.choice([1, self.rng.randint(1, width), self.rng.randint(1, width), width])
        if self.chance(0.15):
            member.name, member.bits = None, self.rng.choice([0, 0, member.bits])
        return member

    def decorate(self, member):
        if member.name is None and member.bits is None:
            return  # They would be those of the struct.
        if self.chance(self.attributes):
            member.packed = self.chance(0.5)
            if not member.packed or self.chance(0.3):
                if member.bits is None and not isinstance(leaf(member.target), Group) and self.chance(0.3):
                    member.alignas = self.rng.choice([64, 128])
                else:
                    member.alignment = self.rng.choice([1, 2, 4, 8, 16, 32])
        if member.bits is None and not isinstance(leaf(member.target), Group) and self.chance(0.03):
            member.qualifier = self.rng.choice(["const", "volatile"])

    def member(self, depth):
        self.budget -= 1
        if self.chance(self.bit_rate):
            member = self.bit_member()
        else:
            target = self.type(depth)
            anonymous = isinstance(target, Group) and target.inline and self.chance(0.5)
            member = Member(target, None if anonymous else self.name())
        self.decorate(member)
        return member

    def group(self, depth):
        made = Group("union" if self.chance(0.25) else "struct")
        count = self.rng.choice([0, 1, 2, 3, 4, 6, 9]) if depth else max(2, self.budget)
        while len(made.members) < count and self.budget > 0:
            made.members.append(self.member(depth))
        made.packed = self.chance(self.attributes)
        made.alignment = self.rng.choice([1, 2, 4, 8, 16, 32, 64]) if self.chance(self.attributes * 0.7) else 0
        made.pack = self.rng.choice([1, 2, 4, 8, 16]) if self.chance(self.packs) else 0
        made.inline = depth > 0 and self.chance(0.6)
        made.attributes_first = self.chance(0.5)
        return made

    def top(self):
        made = self.group(0)
        named = any(m.name is not None for m in made.members)
        if made.keyword == "struct" and named and self.chance(0.06):
            element = self.simple()
            made.members.append(Member(Array(element, [None]), self.name()))
        return made


def think(seed, index):
    return Thinker(random.Random(f"{seed}/{index}")).top()


# ---- Spelling it in C ----

def attributes_of(item):
    words = (["packed"] if item.packed else []) + ([f"aligned({item.alignment})"] if item.alignment else [])
    return f" __attribute__(({', '.join(words)}))" if words else ""


class Speller:
    """`text` is C: everything that has to be declared before, and the type itself as `struct PREFIX` or `union PREFIX`."""

    def __init__(self, prefix, type_):
        self.prefix, self.count, self.declarations, self.needs = prefix, 0, [], set()
        self.spelled = {}
        self.tag = self.group_tag(type_, prefix)
        self.text = "\n".join(self.declarations) + "\n"

    def fresh(self, what):
        self.count += 1
        return f"{self.prefix}_{what}{self.count}"

    def once(self, type_, spell):
        if id(type_) not in self.spelled:
            self.spelled[id(type_)] = spell()
        return self.spelled[id(type_)]

    def enum(self, type_):
        tag = self.fresh("e")
        constants = ", ".join(f"{tag}_{i} = {value}" for i, value in enumerate(type_.values))
        packed = " __attribute__((packed))" if type_.packed else ""
        self.declarations.append(f"enum {tag} {{ {constants} }}{packed};")
        return f"enum {tag}"

    def vector(self, type_):
        name = self.fresh("v")
        self.declarations.append(f"typedef {type_.spelling} {name} __attribute__((vector_size({type_.size})));")
        return name

    def typedef(self, type_):
        name = self.fresh("t")
        spelled = self.declare(type_.target, name)
        aligned = f" __attribute__((aligned({type_.alignment})))" if type_.alignment else ""
        self.declarations.append(f"typedef {spelled}{aligned};")
        return name

    def group_tag(self, type_, tag):
        body = self.body(type_, tag, "")
        if type_.pack:
            self.declarations.append(f"#pragma pack(push, {type_.pack})\n{body};\n#pragma pack(pop)")
        else:
            self.declarations.append(f"{body};")
        return f"{type_.keyword} {tag}"

    def body(self, type_, tag, indent):
        attributes = attributes_of(type_)
        first, last = (attributes, "") if type_.attributes_first else ("", attributes)
        lines = [f"{indent}    {self.member(m, indent + '    ')};\n" for m in type_.members]
        return f"{type_.keyword}{first}{' ' + tag if tag else ''} {{\n{''.join(lines)}{indent}}}{last}"

    def member(self, member, indent):
        declarator = member.name or ""
        if isinstance(member.target, Group) and member.target.inline:
            spelled = f"{self.body(member.target, '', indent)} {declarator}".rstrip()
        else:
            spelled = self.declare(member.target, declarator, indent).rstrip()
        bits = "" if member.bits is None else f" : {member.bits}"
        before = f"_Alignas({member.alignas}) " if member.alignas else ""
        before += f"{member.qualifier} " if member.qualifier else ""
        return f"{before}{spelled}{bits}{attributes_of(member)}"

    def declare(self, type_, declarator, indent=""):
        if isinstance(type_, Array):
            suffix = "".join("[]" if n is None else f"[{n}]" for n in type_.dimensions)
            return self.declare(type_.element, declarator + suffix, indent)
        if isinstance(type_, Pointer):
            inner = f"*{declarator}"
            return {"void": f"void {inner}", "unknown": f"struct {self.prefix}_unknown {inner}",
                    "double": f"char *{inner}", "function": f"int ({inner})(const char *, ...)"}[type_.kind]
        if isinstance(type_, Scalar):
            if type_.spelling in GCC_ONLY:
                self.needs.add(type_.spelling)
            return f"{type_.spelling} {declarator}"
        if isinstance(type_, Group) and type_.inline:
            return f"{self.body(type_, '', indent)} {declarator}"
        spell = {Enum: self.enum, Vector: self.vector, Typedef: self.typedef,
                 Group: lambda t: self.group_tag(t, self.fresh("s"))}[type(type_)]
        return f"{self.once(type_, lambda: spell(type_))} {declarator}"


# ---- The places in it that can be asked for ----

def places(type_, path=""):
    """(path, bits or None, whether storage is sure to be there, whether it has a size) of each named member."""
    for member in type_.members:
        inner = member.target
        dimensions = ""
        solid = True
        while isinstance(inner, (Array, Typedef)):
            if isinstance(inner, Array):
                dimensions += "[0]" * len(inner.dimensions)
                solid = solid and all(inner.dimensions)
                inner = inner.element
            else:
                inner = inner.target
        here = path
        if member.name is not None:
            here = f"{path}.{member.name}" if path else member.name
            sized = not (isinstance(member.target, Array) and member.target.dimensions[0] is None)
            yield here, member.bits, True, sized
        if isinstance(inner, Group):
            for below, bits, there, sized in places(inner, here + dimensions):
                yield below, bits, there and solid, sized


# ---- As calls of builders; tell.c reads them ----

def build(type_, pack=0):
    if isinstance(type_, Scalar):
        return [f"s {type_.name}"]
    if isinstance(type_, Enum):
        return [f"s {type_.name}", "e"]
    if isinstance(type_, Vector):
        return [f"s {type_.name}", f"v {type_.size // SIZES[type_.name]}"]
    if isinstance(type_, Pointer):
        return ["s ADDRESS"]
    if isinstance(type_, Typedef):  # Declared before, under no pragma.
        return build(type_.target) + ([f"a {type_.alignment}"] if type_.alignment else [])
    if isinstance(type_, Array):
        calls = build(type_.element, pack)
        for count in reversed(type_.dimensions):
            calls.append(f"n {'-' if count is None else count}")
        return calls
    if not type_.inline:
        pack = type_.pack
    calls = ["{"]
    for member in type_.members:
        calls += build(member.target, pack)
        bits = {None: 0, 0: -1}.get(member.bits, member.bits)
        calls.append(f"m {member.name or '-'} {bits} {int(member.packed)} {max(member.alignment, member.alignas)}")
    return calls + [f"}} {type_.keyword} {int(type_.packed)} {type_.alignment} {pack}"]


# ---- Making it smaller ----

def groups(type_, seen=None):
    """The groups in a type, each once."""
    seen = set() if seen is None else seen
    if id(type_) in seen:
        return
    seen.add(id(type_))
    if isinstance(type_, Group):
        yield type_
        for member in type_.members:
            yield from groups(member.target, seen)
    elif isinstance(type_, (Array, Typedef)):
        yield from groups(type_.element if isinstance(type_, Array) else type_.target, seen)


def edits(group):
    """Changes of a group that make it smaller or plainer, as functions that make them in place."""
    for i in range(len(group.members)):
        yield lambda g, i=i: g.members.pop(i)
    for name, plain in (("packed", False), ("alignment", 0), ("pack", 0)):
        if getattr(group, name):
            yield lambda g, name=name, plain=plain: setattr(g, name, plain)
    for i, member in enumerate(group.members):
        for name, plain in (("packed", False), ("alignment", 0), ("alignas", 0), ("qualifier", "")):
            if getattr(member, name):
                yield lambda g, i=i, name=name, plain=plain: setattr(g.members[i], name, plain)
        if isinstance(member.target, (Array, Typedef)):
            yield lambda g, i=i: setattr(g.members[i], "target", step_in(g.members[i].target))
        if isinstance(member.target, Group) and member.bits is None:
            yield lambda g, i=i: g.members.__setitem__(slice(i, i + 1), g.members[i].target.members)
        if isinstance(member.target, (Scalar, Enum, Vector, Pointer)) and member.bits is None:
            for spelling, name in (("char", "CHAR"), ("int", "INT"), ("long", "LONG")):
                if getattr(member.target, "spelling", "") not in ("char", "int", "long"):
                    yield lambda g, i=i, s=spelling, n=name: setattr(g.members[i], "target", Scalar(s, n))
        if member.bits is not None and member.bits > 1:
            for bits in (1, member.bits // 2, member.bits - 1):
                yield lambda g, i=i, bits=bits: setattr(g.members[i], "bits", bits)


def step_in(type_):
    return type_.element if isinstance(type_, Array) else type_.target


def smaller(type_):
    """All types that are one change smaller."""
    for number, group in enumerate(groups(type_)):
        for edit in edits(group):
            made = copy.deepcopy(type_)
            edit(list(groups(made))[number])
            yield made
