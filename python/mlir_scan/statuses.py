# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels found wrong.

Kernels write what is wrong with segment offsets into words that are the host's memory as
well, so that looking at them takes neither a copy nor waiting. docs/manifest.md says what
the words mean.
"""

import ctypes
import threading

from .errors import ScanError

# The offset that is wrong, the one before it, and the extent of the scan dimension.
_WORDS = 3
# CU_MEMHOSTALLOC_PORTABLE and CU_MEMHOSTALLOC_DEVICEMAP.
_MAPPED = 0x01 | 0x02
_LARGEST = 2**32 - 1


class Statuses:
    """The statuses of one function, which all of its calls share."""

    def __init__(self, device, description):
        self._device, self._description = device, description
        self._lock, self._memory = threading.Lock(), ctypes.c_void_p()
        self._partial = [False] * len(description.statuses)
        count, driver = _WORDS * len(description.statuses), device.driver
        device.make_current()
        driver.check(driver.cuMemHostAlloc(self._memory, 8 * count, _MAPPED),
                     "allocating what kernels report errors in")
        self._words = (ctypes.c_uint64 * count).from_address(self._memory.value)
        ctypes.memset(self._memory, 0, 8 * count)
        address = ctypes.c_uint64()
        driver.check(driver.cuMemHostGetDevicePointer_v2(address, self._memory, 0),
                     "mapping what kernels report errors in")
        self._address = address.value

    def address(self, number):
        """That of status `number` for kernels."""
        return self._address + 8 * _WORDS * number

    def check(self):
        """Fails with what the kernels that are done have found since the last time."""
        words = self._words
        for number in range(len(self._partial)):
            if words[_WORDS * number]:
                self._report(number)

    def _report(self, number):
        with self._lock:
            places = range(_WORDS * number, _WORDS * (number + 1))
            found = [self._words[place] for place in places]
            if not found[0]:
                return
            is_whole = len({word >> 32 for word in found}) == 1
            # A kernel is about to write the rest; or words were written while others were
            # forgotten, and stay as they are.
            if not is_whole and not self._partial[number]:
                self._partial[number] = True
                return
            self._partial[number] = False
            for place in reversed(places):
                self._words[place] = 0
        index = _LARGEST - (found[0] >> 32)
        numbers = [(word & _LARGEST ^ 2**31) - 2**31 for word in found]
        what = _describe(index, *numbers) if is_whole else (
            f"expected other offsets than #{index}, {_show(numbers[0])}")
        argument = self._description.statuses[number]
        where = ("that it computes" if argument is None
                 else f"in {self._description.arguments[argument].name}")
        raise ScanError(f"function '{self._description.name}': segment offsets {where}: {what}; "
                        "what an earlier launch computed of them is wrong")

    def __del__(self):
        if getattr(self, "_memory", None):
            self._device.make_current()
            self._device.driver.cuMemFreeHost(self._memory)


def _describe(index, offset, before, extent):
    """What is wrong with an offset."""
    if index == 0 and before != 0:
        return "expected at least one offset, found none"
    if index == 0 and offset != 0:
        return f"expected offset #0 to be 0, found {_show(offset)}"
    number = f"{index} or later" if index == _LARGEST - 1 else str(index)
    if offset < before:
        return (f"expected offsets that do not decrease, found {_show(offset)} as offset "
                f"#{number} after {_show(before)}")
    return (f"expected the last offset, #{number}, to be {_show(extent)}, the extent of the scan "
            f"dimension, found {_show(offset)}")


def _show(number):
    """Kernels bring numbers into the range of 32 bits."""
    return str(number) + {2**31 - 1: " or more", -2**31: " or less"}.get(number, "")
