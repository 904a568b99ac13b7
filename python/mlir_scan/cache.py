# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was compiled before, in memory and on disk.

On disk there is a file for each entry, in the folder that MLIR_SCAN_CACHE_DIR names, or
else in mlir-scan below XDG_CACHE_HOME (~/.cache). An empty MLIR_SCAN_CACHE_DIR turns it
off. The files have MLIR_SCAN_CACHE_BYTES bytes together (default 268435456) at most; those
that were not used for the longest time go first. Any number of processes may use a folder:
a file appears whole or not at all, and has its hash in front. A process measures the folder
when it has filled half of the room that it found there the last time, so that several at
once may exceed the limit by what is left of that room. As the folder holds code that is run,
one that others can write to is not used.

Where the folder cannot be used, compiling goes on without it, after one CacheWarning.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable

__all__ = ["CacheWarning", "DiskCache", "MemoryCache", "make_key"]

_DEFAULT_BYTES = 256 << 20
_MAGIC = b"mlir-scan cache 1\n"
_HASH_BYTES = hashlib.sha256().digest_size
# Files that a process left which did not get to their end.
_TEMPORARY, _STALE_SECONDS = ".new-", 3600


class CacheWarning(UserWarning):
    """The cache on disk cannot be used."""


def make_key(*parts: str | bytes) -> str:
    """A name for an entry that depends on all of `parts`."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


class MemoryCache:
    """The last `entries` values that were asked for. For any number of threads."""

    def __init__(self, entries: int):
        self._entries, self._values = entries, OrderedDict()
        self._renew_lock()
        # The lock may be held by a thread that the child of a fork does not have.
        os.register_at_fork(after_in_child=self._renew_lock)

    def _renew_lock(self):
        self._lock = threading.Lock()

    def get(self, key: str):
        """The value, or None."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: str, value):
        """Keeps a value; returns it, or the one that another thread was first with."""
        with self._lock:
            value = self._values.setdefault(key, value)
            self._values.move_to_end(key)
            while len(self._values) > self._entries:
                self._values.popitem(last=False)
            return value

    def clear(self):
        with self._lock:
            self._values.clear()


class DiskCache:
    """Bytes by their keys in a folder, which the environment names at each use."""

    def __init__(self):
        self._warned = False
        # By folder and limit: what may be put there before the folder is measured again.
        # To measure it takes a tenth of a second where there are ten thousand files.
        self._room: dict[tuple[str, int], int] = {}

    def folder(self) -> str | None:
        """The folder, which need not exist; None if there is to be none."""
        folder = os.environ.get("MLIR_SCAN_CACHE_DIR")
        if folder is not None:
            return os.path.abspath(folder) if folder else None
        root = os.environ.get("XDG_CACHE_HOME")
        if not root or not os.path.isabs(root):
            root = os.path.join(os.path.expanduser("~"), ".cache")
            if not os.path.isabs(root):
                return None
        return os.path.join(root, "mlir-scan")

    def limit(self) -> int:
        """The most bytes that the files may have together."""
        text = os.environ.get("MLIR_SCAN_CACHE_BYTES", "")
        try:
            return int(text) if text else _DEFAULT_BYTES
        except ValueError:
            self._warn(f"MLIR_SCAN_CACHE_BYTES: expected a number, found '{text}'")
            return _DEFAULT_BYTES

    def get(self, key: str) -> bytes | None:
        """What was put there; None if there is nothing, or something damaged."""
        folder = self.folder()
        if folder is None:
            return None
        path = os.path.join(folder, key)
        try:
            if not self._is_ours(folder):
                return None
            with open(path, "rb") as file:
                data = file.read()
        except OSError:
            return None
        payload = data[len(_MAGIC) + _HASH_BYTES:]
        if data[:-len(payload) or None] != _MAGIC + hashlib.sha256(payload).digest():
            self._remove(path)
            return None
        try:
            # It was used just now.
            os.utime(path)
        except OSError:
            pass
        return payload

    def put(self, key: str, payload: bytes) -> None:
        """Keeps bytes, if that is possible."""
        folder, limit = self.folder(), self.limit()
        size = len(_MAGIC) + _HASH_BYTES + len(payload)
        if folder is None or size > limit:
            return
        temporary = None
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            if not self._is_ours(folder):
                self._warn(f"{folder}: expected a folder that nobody else can write to; "
                           "change its owner or mode, or name another one in "
                           "MLIR_SCAN_CACHE_DIR")
                return
            descriptor, temporary = tempfile.mkstemp(prefix=_TEMPORARY, dir=folder)
            with os.fdopen(descriptor, "wb") as file:
                file.write(_MAGIC + hashlib.sha256(payload).digest() + payload)
            os.replace(temporary, os.path.join(folder, key))
            temporary = None
            place = folder, limit
            self._room[place] = self._room.get(place, 0) - size
            if self._room[place] < 0:
                self._room[place] = (limit - self._shrink(folder, limit)) // 2
        except OSError as error:
            self._warn(f"{folder}: {error.strerror or error}; what is compiled is not kept. "
                       "MLIR_SCAN_CACHE_DIR names another folder, or none if it is empty")
        finally:
            if temporary is not None:
                self._remove(temporary)

    def forget(self, key: str) -> None:
        """Removes an entry that is of no use."""
        folder = self.folder()
        if folder is not None:
            self._remove(os.path.join(folder, key))

    @staticmethod
    def _is_ours(folder: str) -> bool:
        status = os.stat(folder)
        return (status.st_uid in (os.geteuid(), 0)
                and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))

    @staticmethod
    def _remove(path: str) -> None:
        try:
            os.unlink(path)
        except OSError:
            pass

    def _shrink(self, folder: str, limit: int) -> int:
        """Removes the files that were not used for the longest time; returns how many bytes
        the others have."""
        files = []
        for entry in os.scandir(folder):
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if not stat.S_ISREG(status.st_mode):
                continue
            if entry.name.startswith(_TEMPORARY):
                if time.time() - status.st_mtime > _STALE_SECONDS:
                    self._remove(entry.path)
                continue
            files.append((status.st_mtime_ns, status.st_size, entry.path))
        total = sum(size for _, size, _ in files)
        if total <= limit:
            return total
        # Some more, so that this is not to be done again at once.
        for _, size, path in sorted(files):
            if total <= limit - limit // 8:
                break
            self._remove(path)
            total -= size
        return total

    def _warn(self, text: str) -> None:
        if not self._warned:
            self._warned = True
            warnings.warn(f"mlir-scan cache: {text}", CacheWarning, stacklevel=4)


def cached(memory: MemoryCache, disk: DiskCache | None, key: str, load: Callable, make: Callable,
           save: Callable):
    """The value of `key`: from memory, from `load` of the bytes on disk, or from `make`,
    whose result `save` turns into bytes. `load` returns None for bytes of no use."""
    value = memory.get(key)
    if value is not None:
        return value
    data = disk.get(key) if disk else None
    if data is not None:
        value = load(data)
        if value is not None:
            return memory.put(key, value)
        disk.forget(key)
    value = make()
    if disk:
        disk.put(key, save(value))
    return memory.put(key, value)
