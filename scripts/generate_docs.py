#!/usr/bin/env python3
"""Writes the reference of the dialect, the passes and the pipelines as Markdown.

usage: generate_docs.py --include DIR --mlir-include DIR --mlir-tblgen TOOL
                        --llvm-tblgen TOOL --facts TOOL --opt TOOL --out DIR

Operations, attributes and enums come from mlir-tblgen's generators, passes with
their options and statistics from the TableGen records of every Passes.td below
the include folder. What TableGen does not know (pipelines, interfaces that are
attached in C++) scan-doc-facts prints from the registry, and scan-opt the passes
that a pipeline consists of. Nothing is listed here by hand. What one of these
sources knows and another does not is a problem: it is printed, and it is in the
file DIR.problems, which a test expects to be empty.
"""

import argparse
import glob
import json
import os
import re
import subprocess
import sys
import textwrap

PROBLEMS = []

NOTICE = "<!-- Generated from {}; do not edit. `ninja -C build update-docs` writes it. -->\n"


def run(*command, text=None):
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"generate_docs.py: {' '.join(command)}\n{result.stderr}")
    return result.stdout, result.stderr


def sentence(text):
    """`text` as one line with a capital letter, unless it starts with a name."""
    text = " ".join(text.split()).rstrip(".")
    word = text.split(" ", 1)[0]
    return text if re.search(r"[`._]", word.rstrip(",:")) else text[:1].upper() + text[1:]


def cell(text):
    return " ".join(str(text).split()).replace("|", "\\|")


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(map(cell, row)) + " |" for row in rows]) + "\n"


def anchor(heading):
    """The fragment that GitHub gives a heading."""
    text = re.sub(r"[^\w\- ]", "", heading.lower())
    return text.strip().replace(" ", "-")


def link(heading, page=""):
    return f"[{heading}]({page}#{anchor(heading)})"


class Sources:
    """The TableGen files below the include folder, and what their headers say."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.include = ["-I", arguments.include, "-I", arguments.mlir_include]
        self.files = sorted(
            glob.glob(os.path.join(arguments.include, "Scan", "**", "*.td"), recursive=True))

    def records(self, path):
        out, _ = run(self.arguments.llvm_tblgen, "--dump-json", *self.include, path)
        return json.loads(out)

    def documents(self, path, generator, *options):
        out, _ = run(self.arguments.mlir_tblgen, generator, *options, *self.include, path)
        return re.sub(r"^<!--.*-->\n+", "", out)

    def order(self, path):
        """The names of the project's files that `path` includes and its own, in order."""
        with open(path, encoding="utf-8") as file:
            included = re.findall(r'^include "(Scan/.*)"', file.read(), re.M)
        return [os.path.basename(name) for name in (*included, path)]

    def name(self, path):
        return os.path.relpath(path, self.arguments.include).replace(os.sep, "/")

    def title(self, path):
        """`Scans to loops` of `//===- Passes.td - Scans to loops ---*- tablegen -*-===//`."""
        with open(path, encoding="utf-8") as file:
            first = file.readline()
        match = re.match(r"//===-+ \S+ - (.*?) -+\*- tablegen", first)
        if not match:
            PROBLEMS.append(f"{self.name(path)}:1: expected "
                            "'//===- FILE - what it is ---*- tablegen -*-===//'")
        return match.group(1) if match else self.name(path)


# What is registered -----------------------------------------------------------

ENTRY = re.compile(r"^      --(\S+) +- +(.*)$")
OPTION = re.compile(r"^        --([\w-]+)(?:=<(.*?)>)? +- (.*)$")


def registered(help_text):
    """Returns (passes, pipelines): name -> (summary, {option: (type, text)})."""
    found, current = ({}, {}), None
    for line in help_text.splitlines():
        if line in ("    Passes:", "    Pass Pipelines:"):
            current = found[line == "    Pass Pipelines:"]
            name = None
        elif current is not None and ENTRY.match(line):
            name, summary = ENTRY.match(line).groups()
            current[name] = (summary, {})
        elif current is not None and name and OPTION.match(line):
            option, kind, text = OPTION.match(line).groups()
            current[name][1][option] = (kind or "bool", text)
        elif re.match(r" {,2}-", line):  # The next option of the tool.
            current = None
    return found


class Facts:
    """What scan-doc-facts prints of the project, without what MLIR has itself."""

    def __init__(self, arguments):
        out, _ = run(arguments.facts)
        upstream = registered(run(arguments.facts, "upstream")[0])
        own = registered(out)
        self.passes, self.pipelines = (
            {name: entry for name, entry in mine.items() if name not in theirs}
            for mine, theirs in zip(own, upstream))
        self.defaults, self.interfaces = {}, {}
        for line in out.splitlines():
            if line.startswith("defaults "):
                _, name, values = line.split(" ", 2)
                self.defaults[name] = dict(re.findall(r"([\w-]+)=(\S*)", values.strip("{}")))
            elif line.startswith("interface "):
                _, interface, operation = line.split(" ")
                self.interfaces.setdefault(operation, []).append(interface)
        if not self.passes or not self.pipelines:
            PROBLEMS.append("scan-doc-facts printed no passes or no pipelines")


# Operations -------------------------------------------------------------------

HTML_ROW = re.compile(r"^<tr><td><code>(.*?)</code></td><td>(.*?)</td><td>(.*?)</td></tr>$")


def attribute_table(html, defaults):
    """mlir-tblgen's table of an operation's attributes as Markdown, if it is simple."""
    rows = [HTML_ROW.match(line) for line in html.splitlines()[1:-1]]
    if not all(rows[1:]):
        return html
    default = {name: f"; `{value}` by default" for name, value in defaults.items()}
    return table(["Attribute", "C++ type", "Description"],
                 [(f"`{row[1]}`", f"`{row[2].lstrip(':')}`", row[3] + default.get(row[1], ""))
                  for row in rows[1:]])


def attribute_defaults(records):
    """operation -> {attribute: default}, which mlir-tblgen does not write."""
    defaults = {}
    for name in records["!instanceof"].get("Op", []):
        operation = records[name]
        dialect = records[operation["opDialect"]["def"]]["name"]
        own = defaults[f"{dialect}.{operation['opName']}"] = {}
        for reference, argument in operation["arguments"]["args"]:
            default = records[reference["def"]].get("defaultValue")
            if default and default != "false":  # Unit attributes.
                own[argument] = default.strip('"')
    return defaults


def operations(text, records, facts):
    """Tidies what mlir-tblgen writes about operations; returns (text, names)."""
    names, defaults = [], attribute_defaults(records)

    def heading(match):
        names.append((match.group(1), sentence(match.group(3))))
        return f"### `{match.group(1)}`\n\n*{sentence(match.group(3))}.* C++: `mlir::{match.group(2)}`\n"

    def operation_of(match):
        """The operation in whose section this is: the heading before it."""
        return re.findall(r"^### `(\S+)`", text[:match.start()], re.MULTILINE)[-1]

    def interfaces(match):
        operation = operation_of(match)
        listed = re.findall(r"`[^`]*`", match.group(1))
        listed += [f"`{name}`" for name in facts.interfaces.get(operation, [])]
        return "Interfaces: " + ", ".join(sorted(set(listed))) + "\n"

    text = re.sub(r"^### `(\S+)` \((\S+)\)\n\n_(.*?)_\n", heading, text, flags=re.MULTILINE)
    text = re.sub(r"^Interfaces: (.*)\n", interfaces, text, flags=re.MULTILINE)
    text = re.sub(r"^Effects: `MemoryEffects::Effect\{\}`\n+", "", text, flags=re.MULTILINE)
    text = re.sub(r"^<table>\n.*?\n</table>\n",
                  lambda match: attribute_table(match[0], defaults[operation_of(match)]), text,
                  flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^#### (\w[\w ]*?):?$", r"**\1**", text, flags=re.MULTILINE)
    text = re.sub(r"^\|( :?-+:? \|)+$", lambda rule: "|" + "---|" * rule[0].count(" |"), text,
                  flags=re.MULTILINE)
    text = re.sub(r"^(?=### `)", "---\n\n", text, flags=re.MULTILINE)
    for name, _ in names:
        if name in facts.interfaces and f"`{facts.interfaces[name][0]}`" not in text:
            PROBLEMS.append(f"no place for the interfaces of {name}")
    return text, names


def attributes(records):
    """The attributes of the dialect with their parameters; (text, names)."""
    parts, names = [], []
    for name in records["!instanceof"]["AttrDef"]:
        record = records[name]
        if record["dialect"]["def"] != "Scan_Dialect" or not record["description"].strip():
            continue
        heading = f"`#{record['attrName']}`"
        names.append((heading, sentence(record["summary"])))
        rows = []
        for reference, parameter in record["parameters"]["args"]:
            kind = records[reference["def"]]
            default = kind.get("defaultValue") or ""
            rows.append((f"`{parameter}`", f"`{kind['cppType'].replace('::mlir::', '')}`",
                         f"`{default}`" if default else "", sentence(kind["summary"] or "")))
        parts.append(f"### {heading}\n\n*{sentence(record['summary'])}.* "
                     f"C++: `mlir::scan::{record['cppClassName']}`\n\n"
                     + textwrap.dedent(record["description"]).strip() + "\n\n"
                     + table(["Parameter", "Type", "Default", "Description"], rows))
    return "\n".join(parts), names


def enums(records):
    parts, names = [], []
    for name in records["!instanceof"]["EnumInfo"]:
        record = records[name]
        if record["cppNamespace"] != "::mlir::scan":
            continue
        heading = f"`{record['className']}`"
        names.append((heading, sentence(record["summary"])))
        cases = [records[case["def"]] for case in record["enumerants"]]
        parts.append(f"### {heading}\n\n*{sentence(record['summary'])}.*\n\n"
                     + table(["Spelling", "C++"],
                             [(f"`{case['str']}`", f"`scan::{record['className']}::{case['symbol']}`")
                              for case in cases]))
    return "\n".join(parts), names


def contents(groups, page=""):
    """A list of links per group of (heading, summary)."""
    return "\n".join(
        f"*   {title}: " + ", ".join(link(heading, page) for heading, _ in names)
        for title, names in groups if names) + "\n"


def dialect_page(sources, path, records, facts):
    """The page of the dialect: its description, operations, attributes, enums."""
    text = sources.documents(path, "-gen-dialect-doc", "-dialect=scan")
    introduction, rest = text.split("[TOC]", 1)
    introduction = re.sub(r"^# 'scan' Dialect\n\n_.*_\n", "", introduction).strip()
    body = re.split(r"^## (?:Attributes|Enums|Types)$", rest, maxsplit=1, flags=re.MULTILINE)[0]
    body, names = operations(body.strip().removeprefix("## Operations").strip(), records, facts)
    attribute_text, attribute_names = attributes(records)
    enum_text, enum_names = enums(records)
    names = [(f"`{name}`", summary) for name, summary in names]
    groups = [("Operations", names), ("Attributes", attribute_names), ("Enums", enum_names)]
    page = (NOTICE.format("include/" + sources.name(path)) + "\n# The dialect `scan`\n\n"
            + introduction + "\n\n" + contents(groups) + "\n## Operations\n\n" + body.strip()
            + "\n\n## Attributes\n\n" + attribute_text + "\n## Enums\n\n" + enum_text)
    return page, groups


def extension_page(sources, path, records, facts):
    """The page of operations that are added to a dialect of MLIR."""
    body, names = operations(sources.documents(path, "-gen-op-doc").strip(), records, facts)
    title = sources.title(path)
    names = [(f"`{name}`", summary) for name, summary in names]
    page = (NOTICE.format("include/" + sources.name(path)) + f"\n# {title}\n\n"
            + contents([("Operations", names)]) + "\n" + body.strip() + "\n")
    return page, [(title, names)]


# Passes -----------------------------------------------------------------------

def option_type(name):
    return {"std::string": "string", "::std::string": "string", "unsigned": "uint",
            "int64_t": "int", "uint64_t": "uint"}.get(name, name)


def pass_section(record, records):
    """Markdown of one pass."""
    base = re.search(r"OperationPass<(.*)>|InterfacePass<(.*)>", record["baseClass"])
    anchor_op = (base.group(1) or base.group(2)) if base else ""
    name = record["argument"]
    parts = [f"### `--{name}`\n", f"*{sentence(record['summary'])}.*\n"]
    description = textwrap.dedent(record["description"]).strip()
    if not description:
        PROBLEMS.append(f"--{name} has no description")
    parts.append(description + "\n")
    if anchor_op:
        anchor_op = {"::mlir::ModuleOp": "builtin.module", "::mlir::func::FuncOp": "func.func"}.get(
            anchor_op, anchor_op)
        parts.append(f"Runs on: `{anchor_op}`.\n")
    dialects = sorted({dialect.strip(":").split("::")[-2].lower()
                       for dialect in record["dependentDialects"]})
    if dialects:
        parts.append("Creates operations of: " + ", ".join(f"`{d}`" for d in dialects) + ".\n")
    options = [records[option["def"]] for option in record["options"]]
    if options:
        for option in options:
            if not option["description"]:
                PROBLEMS.append(f"option {option['argument']} of --{name} is not described")
        parts.append(table(["Option", "Type", "Default", "Meaning"],
                           [(f"`{o['argument']}`", option_type(o["type"]),
                             "`" + (o.get("defaultValue") or '""').strip('"') + "`"
                             if (o.get("defaultValue") or "").strip('"') else "",
                             o["description"]) for o in options]))
    statistics = [records[statistic["def"]] for statistic in record["statistics"]]
    if statistics:
        parts.append(table(["Statistic", "Counts"],
                           [(f"`{s['name']}`", s["description"]) for s in statistics]))
    return "\n".join(parts)


def passes_page(sources, facts, expansions):
    """The page of the passes, one section per Passes.td; returns (page, groups).

    The sections are in the order in which pipelines come to their first pass. A pass
    that checks comes early, and again later: where it is for the last time counts."""
    position = {}
    for text in expansions.values():
        last = {name: index for index, name in enumerate(re.findall(r"[\w-]+", text))}
        for name, index in last.items():
            position[name] = min(index, position.get(name, index))
    sections, known = [], set()
    for path in sources.files:
        if os.path.basename(path) != "Passes.td":
            continue
        records = sources.records(path)
        found = records["!instanceof"].get("PassBase", [])

        # In the order of the file, which is that of a pipeline.
        def place(name):
            file, line = records[name]["!locs"][0].rsplit(":", 1)
            return sources.order(path).index(os.path.basename(file)), int(line)

        found.sort(key=place)
        title = sources.title(path)
        names = [(f"`--{records[name]['argument']}`", sentence(records[name]["summary"]))
                 for name in found]
        arguments = {records[name]["argument"] for name in found}
        known |= arguments
        text = (f"## {title}\n\nDefined in `include/{sources.name(path)}`.\n\n"
                + "\n".join(pass_section(records[name], records) for name in found))
        first = min(position.get(argument, sys.maxsize) for argument in arguments)
        sections.append((first, title, names, text))
    sections.sort()
    groups = [(title, names) for _, title, names, _ in sections]
    if known != set(facts.passes):
        PROBLEMS.append("passes that are only registered or only defined: "
                        + ", ".join(sorted(known ^ set(facts.passes))))
    page = (NOTICE.format("include/**/Passes.td") + "\n# Passes\n\n"
            "Options are written `--pass=option=value`, in a textual pipeline\n"
            "`pass{option=value}`. `--mlir-pass-statistics` prints the statistics, but not with\n"
            "Debian's packages of LLVM: they count nothing.\n\n"
            + contents(groups) + "\n" + "\n".join(section[3] for section in sections))
    return page, groups


# Pipelines --------------------------------------------------------------------

def dumped(text, arguments, pipeline):
    _, printed = run(arguments.opt, pipeline, "--dump-pass-pipeline", "-", text=text)
    return printed[printed.index("builtin.module("):].strip()


def expansion(name, arguments):
    """The passes of a pipeline, one per line."""
    own = dumped("module {}", arguments, f"--{name}")
    bare = re.sub(r"\{[^{}]*(\{[^{}]*\}[^{}]*)*\}", "", own)
    default = dumped("module {}", arguments, f"--pass-pipeline={''.join(bare.split())}")
    lines = []
    for line, default_line in zip(own.splitlines(), default.splitlines(), strict=True):
        match = re.fullmatch(r"( *)([\w-]+)\{(.*)\}(,?)", line)
        if match:
            indent, pass_name, options, comma = match.groups()
            usual = set(VALUE.findall(default_line))
            changed = " ".join(value for value in VALUE.findall(options) if value not in usual)
            line = f"{indent}{pass_name}{'{' + changed + '}' if changed else ''}{comma}"
        lines.append(line)
    return "\n".join(lines)


VALUE = re.compile(r"[\w-]+=(?:\{[^{}]*\}|[^\s{}]*)")


def pipelines_page(facts, expansions):
    parts, names = [], []
    for name, (summary, options) in sorted(facts.pipelines.items()):
        heading = f"`--{name}`"
        names.append((heading, sentence(summary)))
        defaults = facts.defaults.get(name, {})
        if set(defaults) != set(options):
            PROBLEMS.append(f"--{name} has the options {sorted(options)}, scan-doc-facts prints "
                            f"defaults of {sorted(defaults)}: add a line to "
                            "tools/scan-doc-facts/scan-doc-facts.cpp")
        parts.append(f"## {heading}\n\n*{sentence(summary)}.*\n")
        if options:
            parts.append(table(["Option", "Type", "Default", "Meaning"],
                               [(f"`{option}`", kind, f"`{defaults[option]}`" if defaults.get(option) else "",
                                 text) for option, (kind, text) in sorted(options.items())]))
        parts.append("It consists of these passes; options are listed where they differ from the\n"
                     f"pass's own defaults:\n\n```\n{expansions[name]}\n```\n")
    page = (NOTICE.format("the registered pipelines") + "\n# Pipelines\n\n"
            "A pipeline is a list of passes under one name. Options are written\n"
            '`--pipeline="a=1 b=2"`, in a textual pipeline\n'
            "`builtin.module(pipeline{a=1 b=2})`.\n\n"
            + contents([("Pipelines", names)]) + "\n" + "\n".join(parts))
    return page, [("Pipelines", names)]


def index_page(pages):
    parts = [NOTICE.format("the definitions"), "# Reference\n",
             "Written from the definitions in every build.\n"
             "The [architecture](../architecture.md) says how it fits together,\n"
             "[embedding](../embedding.md) how to use it in another compiler.\n"]
    for file, groups in pages:
        parts.append(f"## [{file.removesuffix('.md').replace('-', ' ').capitalize()}]({file})\n")
        for title, names in groups:
            if not names:
                continue
            if len(groups) > 1:
                parts.append(f"### {title}\n")
            parts.append(table(["Name", "What it is"],
                               [(link(heading, file), summary) for heading, summary in names]))
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("include", "mlir-include", "mlir-tblgen", "llvm-tblgen", "facts", "opt", "out"):
        parser.add_argument(f"--{option}", required=True)
    arguments = parser.parse_args()
    sources, facts = Sources(arguments), Facts(arguments)

    texts, pages = {}, []

    def add(file, page):
        texts[file], groups = page
        pages.append((file, groups))

    for path in sources.files:
        if not path.endswith("Ops.td"):
            continue
        records = sources.records(path)
        if "Scan_Dialect" in records and os.path.basename(path) == "ScanOps.td":
            add("dialect.md", dialect_page(sources, path, records, facts))
        else:
            stem = os.path.basename(path).removesuffix(".td")
            add(re.sub(r"(?<=[a-z])(?=[A-Z])", "-", stem).lower() + ".md",
                extension_page(sources, path, records, facts))
    expansions = {name: expansion(name, arguments) for name in facts.pipelines}
    add("passes.md", passes_page(sources, facts, expansions))
    add("pipelines.md", pipelines_page(facts, expansions))
    texts["README.md"] = index_page(pages)

    os.makedirs(arguments.out, exist_ok=True)
    for old in os.listdir(arguments.out):
        if old not in texts:
            os.remove(os.path.join(arguments.out, old))
    for file, text in texts.items():
        text = re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE))
        with open(os.path.join(arguments.out, file), "w", encoding="utf-8") as output:
            output.write(text.strip() + "\n")
    with open(arguments.out + ".problems", "w", encoding="utf-8") as output:
        for problem in PROBLEMS:
            print(f"generate_docs.py: {problem}", file=sys.stderr)
            output.write(problem + "\n")


if __name__ == "__main__":
    main()
