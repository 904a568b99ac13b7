"""Tables and the JSON file of what was measured."""

import json
import os

import kernels
import workloads

# A result that is further off than this is called wrong; 1 is what is tolerated.
LIMIT = 1.0


def is_measured(figures):
    return bool(figures) and "seconds" in figures


def is_right(figures):
    return is_measured(figures) and (figures.get("error") is None or figures["error"] <= LIMIT)


def gigabytes(figures, case):
    """Bytes of the case's compulsory traffic per second: a contender that moves more shows less."""
    return case.nbytes / figures["seconds"] / 1e9


def best_of_ours(record):
    """The name of our fastest variant, and its figures; or None twice."""
    found = [(figures["seconds"], name) for name, figures in record.items()
             if name.split(":")[0] == "ours" and is_right(figures)]
    return (min(found)[1], record[min(found)[1]]) if found else (None, None)


def best_other(record):
    """The fastest of those that compute the same, as accurately, with right numbers."""
    found = [(figures["seconds"], name) for name, figures in record.items()
             if name.split(":")[0] not in ("ours", "copy", *kernels.FAST_MATH.values())
             and is_right(figures)]
    return (min(found)[1], record[min(found)[1]]) if found else (None, None)


def format_rate(figures, case):
    return f"{gigabytes(figures, case):.{0 if case.nbytes > 1e6 else 1}f}"


def format_seconds(seconds):
    for factor, unit in ((1e6, "us"), (1e3, "ms")):
        if seconds * factor < 1000:
            return f"{seconds * factor:.{1 if seconds * factor < 100 else 0}f} {unit}"
    return f"{seconds:.2f} s"


def format_size(number):
    return f"2^{number.bit_length() - 1}" if number > 4096 and number & (number - 1) == 0 else (
        str(number))


def why(record, name="ours"):
    figures = record.get(name) if record else None
    if not figures:
        return "not measured"
    if is_measured(figures):
        return f"WRONG NUMBERS ({figures['error']:.3g} x tolerated)"
    return "not measured: " + figures["not_measured"]


def summary_row(case, record):
    name, ours = best_of_ours(record or {})
    copy = (record or {}).get("copy")
    other_name, other = best_other(record or {})
    row = [case.workload, case.series, format_size(case.size)]
    if ours is None:
        row += [why(record), "", ""]
    else:
        row += [format_seconds(ours["seconds"]), format_rate(ours, case),
                f"{copy['seconds'] / ours['seconds']:.2f}" if is_measured(copy) else ""]
    row += [other_name or "", format_seconds(other["seconds"]) if other else "",
            f"{other['seconds'] / ours['seconds']:.2f}" if other and ours else ""]
    return row + [name[5:] if name and name != "ours" else ""]


HEADER = ["", "case", "size", "ours", "GB/s", "of copy", "best other", "its time", "x ours",
          "schedule"]


def print_table(rows, header=None, write=print):
    """Left-aligned columns; a long text in a row may run over into those after it."""
    rows = [header or HEADER, *rows]
    widths = [max(len(row[column]) for row in rows if not row[column].startswith("not measured")
                  and not row[column].startswith("WRONG")) for column in range(len(rows[0]))]
    for row in rows:
        line = ""
        for column, (text, width) in enumerate(zip(row, widths)):
            line = line.ljust(sum(widths[:column]) + 2 * column)
            line += ("  " if text and line.strip() and not line.endswith(" ") else "") + text
        write(line.rstrip())


def print_summary(cases, records, write=print):
    """One line per case; what was not measured is listed as that."""
    for workload in workloads.TITLES:
        chosen = [case for case in cases if case.workload == workload]
        reason = workloads.NOT_MEASURED.get(workload)
        if not chosen and not reason:
            continue
        write("")
        write(f"{workload}) {workloads.TITLES[workload]}")
        if reason:
            write(f"not measured: {reason}")
            continue
        print_table([summary_row(case, records.get(case.key)) for case in chosen], write=write)


def print_contenders(cases, records, write=print):
    """A column per contender: GB/s of the compulsory bytes."""
    names = []
    for record in records.values():
        names += [name for name in record if name not in names]
    if not names:
        return
    write("")
    write("GB/s of all: the case's bytes over the time (! wrong numbers, - not measured)")
    rows = []
    for case in cases:
        record = records.get(case.key)
        if not record or not any(map(is_measured, record.values())):
            continue
        cells = []
        for name in names:
            figures = record.get(name)
            if not is_measured(figures):
                cells.append("-")
            else:
                cells.append(format_rate(figures, case) + ("" if is_right(figures) else "!"))
        rows.append([case.workload, case.series, format_size(case.size), *cells])
    print_table(rows, ["", "case", "size", *names], write)


def to_json(cases, records, facts):
    entries = []
    for case in cases:
        entries.append({
            "workload": case.workload, "case": case.series, "size": case.size, "key": case.key,
            "shape": list(case.shape), "element": case.element, "bytes": case.nbytes,
            "contenders": records.get(case.key) or {"ours": {"not_measured": "the time was up"}}})
    for workload, reason in workloads.NOT_MEASURED.items():
        entries.append({"workload": workload, "case": workloads.TITLES[workload],
                        "contenders": {"ours": {"not_measured": reason}}})
    return {**facts, "cases": entries}


def save(path, cases, records, facts):
    """Written at once, so that a file is whole whenever the run ends."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(to_json(cases, records, facts), file, indent=1)
        file.write("\n")
    os.replace(path + ".part", path)


def load(path):
    """The cases and records of a file that was saved, and its other facts."""
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    known = {case.key: case for case in workloads.all_cases()}
    entries = [entry for entry in content.pop("cases") if entry.get("key") in known]
    cases = [known[entry["key"]] for entry in entries]
    return cases, {entry["key"]: entry["contenders"] for entry in entries}, content


def merge(older, newer):
    """Records of two runs: what was measured anew replaces what was before."""
    merged = {key: dict(record) for key, record in older.items()}
    for key, record in newer.items():
        known = merged.setdefault(key, {})
        for name, figures in record.items():
            if is_measured(figures) or not is_measured(known.get(name)):
                known[name] = figures
    return merged
