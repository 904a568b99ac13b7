"""Triton kernels of sums and linear recurrences, written for this benchmark.

Column and row kernels walk [batch, time, channel] arrays with any strides; REVERSE
walks from the last step. bf16 is computed in float32. The backward kernels take the
states h and their cotangent dh, and write the gradients of a and b.
"""

import triton
import triton.language as tl


@triton.jit
def _add(x, y):
    return x + y


@triton.jit
def _pair(a0, b0, a1, b1):
    return a0 * a1, a1 * b0 + b1


@triton.jit
def sequential(a, b, h, T, C, st, sc, sb, SUM: tl.constexpr, REVERSE: tl.constexpr,
               BC: tl.constexpr):
    """One thread per channel walks time."""
    c = tl.program_id(0).to(tl.int64) * BC + tl.arange(0, BC)
    mask = c < C
    step = -st if REVERSE else st
    place = tl.program_id(1).to(tl.int64) * sb + c * sc
    if REVERSE:
        place += (T - 1).to(tl.int64) * st
    state = tl.zeros([BC], tl.float32)
    for _ in range(T):
        new = tl.load(b + place, mask).to(tl.float32)
        if SUM:
            state = state + new
        else:
            state = tl.load(a + place, mask).to(tl.float32) * state + new
        tl.store(h + place, state.to(h.dtype.element_ty), mask)
        place += step


@triton.jit
def sequential_backward(a, h, dh, da, db, T, C, st, sc, sb, BC: tl.constexpr):
    c = tl.program_id(0).to(tl.int64) * BC + tl.arange(0, BC)
    mask = c < C
    place = tl.program_id(1).to(tl.int64) * sb + c * sc + (T - 1).to(tl.int64) * st
    carried = tl.zeros([BC], tl.float32)
    for i in range(T):
        g = tl.load(dh + place, mask).to(tl.float32) + carried
        # There is no state before the first step.
        earlier = mask & (tl.full([BC], i, tl.int32) < T - 1)
        before = tl.load(h + place - st, earlier, other=0.0).to(tl.float32)
        tl.store(da + place, (g * before).to(da.dtype.element_ty), mask)
        tl.store(db + place, g.to(db.dtype.element_ty), mask)
        carried = tl.load(a + place, mask).to(tl.float32) * g
        place -= st


@triton.jit
def tiles(a, b, h, T, C, st, sc, sb, SUM: tl.constexpr, REVERSE: tl.constexpr,
          ROWS: tl.constexpr, BT: tl.constexpr, BC: tl.constexpr):
    """A program walks time in tiles of BT steps, each scanned by tl.associative_scan."""
    c = tl.program_id(0).to(tl.int64) * BC + tl.arange(0, BC)
    i = tl.arange(0, BT)
    axis: tl.constexpr = 1 if ROWS else 0
    c = c[:, None] if ROWS else c[None, :]
    i = i[None, :] if ROWS else i[:, None]
    base = tl.program_id(1).to(tl.int64) * sb + c * sc
    carry = tl.zeros([BC], tl.float32)
    for start in range(0, T, BT):
        step = start + i
        mask = (step < T) & (c < C)
        t = T - 1 - step if REVERSE else step
        place = base + t.to(tl.int64) * st
        new = tl.load(b + place, mask, other=0.0).to(tl.float32)
        before = carry[:, None] if ROWS else carry[None, :]
        if SUM:
            state = tl.associative_scan(new, axis, _add) + before
        else:
            decay = tl.load(a + place, mask, other=1.0).to(tl.float32)
            decay, state = tl.associative_scan((decay, new), axis, _pair)
            state = decay * before + state
        tl.store(h + place, state.to(h.dtype.element_ty), mask)
        carry = tl.sum(tl.where(i == BT - 1, state, 0.0), axis)


@triton.jit
def tiles_backward(a, h, dh, da, db, T, C, st, sc, sb, ROWS: tl.constexpr, BT: tl.constexpr,
                   BC: tl.constexpr):
    c = tl.program_id(0).to(tl.int64) * BC + tl.arange(0, BC)
    i = tl.arange(0, BT)
    axis: tl.constexpr = 1 if ROWS else 0
    c = c[:, None] if ROWS else c[None, :]
    i = i[None, :] if ROWS else i[:, None]
    base = tl.program_id(1).to(tl.int64) * sb + c * sc
    carry = tl.zeros([BC], tl.float32)
    for start in range(0, T, BT):
        step = start + i
        mask = (step < T) & (c < C)
        t = T - 1 - step
        place = base + t.to(tl.int64) * st
        new = tl.load(dh + place, mask, other=0.0).to(tl.float32)
        # The coefficient of the step after; there is none at the last, nor anything carried.
        decay = tl.load(a + place + st, mask & (step > 0), other=1.0).to(tl.float32)
        decay, g = tl.associative_scan((decay, new), axis, _pair)
        g = decay * (carry[:, None] if ROWS else carry[None, :]) + g
        before = tl.load(h + place - st, mask & (t > 0), other=0.0).to(tl.float32)
        tl.store(da + place, (g * before).to(da.dtype.element_ty), mask)
        tl.store(db + place, g.to(db.dtype.element_ty), mask)
        carry = tl.sum(tl.where(i == BT - 1, g, 0.0), axis)


# One long dimension in three launches: totals of blocks, their scan, and all again with
# what comes before each block. Reads the inputs twice.


@triton.jit
def block_totals(a, b, decays, totals, N, SUM: tl.constexpr, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    i = block.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    new = tl.load(b + i, i < N, other=0.0)
    if SUM:
        tl.store(totals + block, tl.sum(new, 0))
    else:
        decay = tl.load(a + i, i < N, other=1.0)
        decay, state = tl.associative_scan((decay, new), 0, _pair)
        last = tl.arange(0, BLOCK) == BLOCK - 1
        tl.store(decays + block, tl.sum(tl.where(last, decay, 0.0), 0))
        tl.store(totals + block, tl.sum(tl.where(last, state, 0.0), 0))


@triton.jit
def scan_totals(decays, totals, COUNT, SUM: tl.constexpr, BLOCK: tl.constexpr):
    """In place; one program."""
    i = tl.arange(0, BLOCK)
    carry = 0.0
    for start in range(0, COUNT, BLOCK):
        mask = start + i < COUNT
        new = tl.load(totals + start + i, mask, other=0.0)
        if SUM:
            state = tl.cumsum(new, 0) + carry
        else:
            decay = tl.load(decays + start + i, mask, other=1.0)
            decay, state = tl.associative_scan((decay, new), 0, _pair)
            state = decay * carry + state
        tl.store(totals + start + i, state, mask)
        carry = tl.sum(tl.where(i == BLOCK - 1, state, 0.0), 0)


@triton.jit
def apply_totals(a, b, totals, h, N, SUM: tl.constexpr, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    i = block.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    before = tl.load(totals + block - 1, block > 0, other=0.0)
    new = tl.load(b + i, i < N, other=0.0)
    if SUM:
        state = tl.associative_scan(new, 0, _add) + before
    else:
        decay = tl.load(a + i, i < N, other=1.0)
        decay, state = tl.associative_scan((decay, new), 0, _pair)
        state = decay * before + state
    tl.store(h + i, state, i < N)
