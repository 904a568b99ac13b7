#!/usr/bin/env python3
"""Measures this project's scans on a GPU beside others. `run.py --help` says how."""

import sys

import actions
import kernels
import options as command_line
import report


def main():
    options = command_line.parse()
    if options.show:
        cases, records, facts = report.load(options.show)
        return actions.show(cases, records, facts, options.show, options)
    if options.join:
        return actions.join(options)
    try:
        kernels.parse_schedules(options.schedule)
    except ValueError as error:
        sys.exit(f"run.py: {error}")
    cases = command_line.select(options)
    if not cases:
        sys.exit("run.py: no case is selected: see --list")
    if options.list:
        for case in command_line.in_order(cases):
            print(f"{case.key}  {case.nbytes} bytes{'  headline' if case.is_headline else ''}")
        return 0
    if options.tune:
        return actions.tune(cases, options)
    if options.prepare:
        return actions.prepare(cases, options)
    if options.dry_run:
        return actions.dry_run(cases, options)
    if options.emulate:
        return actions.emulated(cases, options)
    return actions.measure(cases, options)


if __name__ == "__main__":
    sys.exit(main())
