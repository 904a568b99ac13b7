# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers whose gates, scan and readout are one program (`mlir_scan.torch.jit`).

    from mlir_scan.torch import nn as scan_nn

    layer = scan_nn.RGLRU(256)
    y, state = layer(x)                      # [B, T, 256]: all steps at once
    y, state = layer.step(state, x_next)     # [B, 256]: one more, for decoding

All layers take ``x[B, T, width]`` of their parameters' dtype and the state to go on from,
and return the outputs of all steps and the state after the last. `step` and
`forward_sequential` compute the same step by step with PyTorch's operations. Products
with matrices are PyTorch's. Shapes that do not fit raise ScanError.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

from ..errors import ScanError
from ._jit import jit
from ._recurrence import linear_recurrence

__all__ = ["Mamba", "MinGRU", "RGLRU", "S5"]


class _Recurrent(nn.Module):
    """What the layers share: the form that goes step by step, and checks."""

    def forward_sequential(self, x, state=None):
        """What `forward` computes, one `step` after the other."""
        state = self._start(x, state)
        outputs = []
        for item in x.unbind(1):
            y, state = self.step(state, item)
            outputs.append(y)
        return torch.stack(outputs, 1), state

    def _start(self, x, state):
        """The state to start from; zero if None."""
        if x.dim() != 3 or x.shape[-1] != self.width:
            raise ScanError(f"{type(self).__name__}: expected x [batch, time, {self.width}], "
                            f"found {tuple(x.shape)}")
        return self.initial_state(x.shape[0]) if state is None else state


def _rg_lru_step(x, recurrence, entry, decay):
    """The coefficients of the recurrence from x and the two gates."""
    log_a = -8 * F.softplus(decay) * torch.sigmoid(recurrence)
    return torch.exp(log_a), torch.sqrt(-torch.expm1(2 * log_a)) * (torch.sigmoid(entry) * x)


@jit(dynamic={"x": (0, 1), "recurrence": (0, 1), "entry": (0, 1), "h0": 0})
def _rg_lru(x, recurrence, entry, decay, h0):
    a, b = _rg_lru_step(x, recurrence, entry, decay)
    return linear_recurrence(a, b, h0, return_final_state=True)


class RGLRU(_Recurrent):
    """The real-gated linear recurrent unit of Griffin (De et al., 2024, arXiv:2402.19427, 2.4).

    ::

        r_t = sigmoid(W_r x_t + bias_r)
        i_t = sigmoid(W_i x_t + bias_i)
        a_t = exp(-8 softplus(decay) r_t)
        h_t = a_t h_{t-1} + sqrt(1 - a_t^2) (i_t x_t)

    `forward(x, state=None)`: x ``[B, T, width]``, state ``[B, width]``; returns (h, last)
    of these shapes. The gates' matrices are dense, where the paper's are block-diagonal.
    """

    def __init__(self, width, device=None, dtype=None):
        super().__init__()
        self.width = width
        self.recurrence_gate = nn.Linear(width, width, device=device, dtype=dtype)
        self.input_gate = nn.Linear(width, width, device=device, dtype=dtype)
        # a_t between 0.9 and 0.999 where the gate is open, as in the paper.
        open_gate = torch.empty(width, device=device, dtype=dtype).uniform_(0.9, 0.999)
        self.decay = nn.Parameter(torch.log(torch.expm1(-torch.log(open_gate) / 8)))

    def initial_state(self, batch):
        """Zeros ``[batch, width]``."""
        return self.decay.new_zeros(batch, self.width)

    def forward(self, x, state=None):
        """All steps at once: (h, last)."""
        state = self._start(x, state)
        return _rg_lru(x, self.recurrence_gate(x), self.input_gate(x), self.decay, state)

    def step(self, state, x):
        """One step, state and x ``[B, width]``: (h, h)."""
        a, b = _rg_lru_step(x, self.recurrence_gate(x), self.input_gate(x), self.decay)
        h = a * state + b
        return h, h


@jit(dynamic={"gate": (0, 1), "candidate": (0, 1), "h0": 0})
def _min_gru(gate, candidate, h0):
    # 1 - sigmoid(gate) without cancellation.
    return linear_recurrence(torch.sigmoid(-gate), torch.sigmoid(gate) * candidate, h0,
                             return_final_state=True)


class MinGRU(_Recurrent):
    """A gated recurrent unit whose gates do not look at the state (Feng et al., 2024,
    arXiv:2410.01201, 3.1).

    ::

        z_t = sigmoid(W_gate x_t + bias_gate),  c_t = W_candidate x_t + bias_candidate
        h_t = (1 - z_t) h_{t-1} + z_t c_t

    `forward(x, state=None)`: x ``[B, T, width]``, state ``[B, hidden]``; returns (h, last),
    h ``[B, T, hidden]``. `hidden` is `width` by default.
    """

    def __init__(self, width, hidden=None, device=None, dtype=None):
        super().__init__()
        self.width, self.hidden = width, hidden or width
        self.gate = nn.Linear(width, self.hidden, device=device, dtype=dtype)
        self.candidate = nn.Linear(width, self.hidden, device=device, dtype=dtype)

    def initial_state(self, batch):
        """Zeros ``[batch, hidden]``."""
        return self.gate.weight.new_zeros(batch, self.hidden)

    def forward(self, x, state=None):
        """All steps at once: (h, last)."""
        state = self._start(x, state)
        return _min_gru(self.gate(x), self.candidate(x), state)

    def step(self, state, x):
        """One step, state ``[B, hidden]`` and x ``[B, width]``: (h, h)."""
        gate, candidate = self.gate(x), self.candidate(x)
        h = torch.sigmoid(-gate) * state + torch.sigmoid(gate) * candidate
        return h, h


@jit(dynamic={name: (0, 1) for name in ("u", "delta", "b", "c", "z")} | {"h0": 0})
def _selective_scan(u, delta, bias, log_a, b, c, d, z, h0):
    delta = F.softplus(delta + bias)
    decay = torch.exp(delta[..., None] * -torch.exp(log_a))
    h, last = linear_recurrence(decay, (delta * u)[..., None] * b[:, :, None], h0,
                                return_final_state=True)
    return ((h * c[:, :, None]).sum(-1) + d * u) * F.silu(z), last


class Mamba(_Recurrent):
    """The block of Mamba (Gu and Dao, 2023, arXiv:2312.00752, 3.2 and 3.4).

    ::

        u, z = W_in x                            u: convolved over time, then silu
        delta_t, B_t, C_t = W_x u_t              delta_t = softplus(W_dt delta_t + bias)
        h_t[n] = exp(-delta_t exp(A_log[n])) h_{t-1}[n] + delta_t B_t[n] u_t
        y_t = W_out ((sum over n of C_t[n] h_t[n] + D u_t) silu(z_t))

    `forward(x, state=None)`: x ``[B, T, width]``; the state is a pair, the last inputs
    of the convolution ``[B, inner, taps - 1]`` and h ``[B, inner, states]``; returns
    (y, state), y of x's shape. `inner` is 2 `width` by default. Parameters have the names
    and shapes of the package mamba_ssm, so that `load_state_dict` takes its blocks'.
    """

    def __init__(self, width, states=16, inner=None, taps=4, rank=None, device=None, dtype=None):
        super().__init__()
        options = {"device": device, "dtype": dtype}
        self.width, self.inner, self.states, self.taps = width, inner or 2 * width, states, taps
        self.rank = rank or math.ceil(width / 16)
        self.in_proj = nn.Linear(width, 2 * self.inner, bias=False, **options)
        self.conv1d = nn.Conv1d(self.inner, self.inner, taps, groups=self.inner, **options)
        self.x_proj = nn.Linear(self.inner, self.rank + 2 * states, bias=False, **options)
        self.dt_proj = nn.Linear(self.rank, self.inner, **options)
        steps = torch.empty(self.inner, **options).uniform_(math.log(1e-3), math.log(1e-1)).exp()
        self.dt_proj.bias.data = torch.log(torch.expm1(steps))
        log_a = torch.arange(1, states + 1, **options).log()
        self.A_log = nn.Parameter(log_a.repeat(self.inner, 1))
        self.D = nn.Parameter(torch.ones(self.inner, **options))
        self.out_proj = nn.Linear(self.inner, width, bias=False, **options)

    def initial_state(self, batch):
        """Zeros: a pair ``[batch, inner, taps - 1]``, ``[batch, inner, states]``."""
        return (self.D.new_zeros(batch, self.inner, self.taps - 1),
                self.D.new_zeros(batch, self.inner, self.states))

    def _run(self, x, state, scan):
        u, z = self.in_proj(x).chunk(2, -1)
        window = torch.cat([state[0], u.transpose(1, 2)], 2)
        u = F.silu(self.conv1d(window)).transpose(1, 2)
        rank, b, c = self.x_proj(u).split([self.rank, self.states, self.states], -1)
        y, h = scan(u, F.linear(rank, self.dt_proj.weight), self.dt_proj.bias, self.A_log, b, c,
                    self.D, z, state[1])
        return self.out_proj(y), (window[:, :, window.shape[2] - self.taps + 1:], h)

    def forward(self, x, state=None):
        """All steps at once: (y, state)."""
        return self._run(x, self._start(x, state), _selective_scan)

    def step(self, state, x):
        """One step, x ``[B, width]``: (y, state)."""
        y, state = self._run(x[:, None], state, _selective_step)
        return y[:, 0], state


def _selective_step(u, delta, bias, log_a, b, c, d, z, h):
    """The recurrence for one step, with PyTorch's operations."""
    u, delta, b, c, z = (item[:, 0] for item in (u, F.softplus(delta + bias), b, c, z))
    h = torch.exp(delta[..., None] * -torch.exp(log_a)) * h + (delta * u)[..., None] * b[:, None]
    return (((h * c[:, None]).sum(-1) + d * u) * F.silu(z))[:, None], h


def _discrete(log_decay, frequency, log_step):
    """Transition and input scale of a zero-order hold."""
    eigenvalue = torch.complex(-torch.exp(log_decay), frequency)
    a = torch.exp(eigenvalue * torch.exp(log_step))
    return a, (a - 1) / eigenvalue


@jit(dynamic={"driven": (0, 1), "x0": 0})
def _s5_states(log_decay, frequency, log_step, driven, x0):
    a, scale = _discrete(log_decay, frequency, log_step)
    return linear_recurrence(a, scale * driven, x0, return_final_state=True)


class S5(_Recurrent):
    """A state space model with a diagonal of complex states (Smith, Warrington and Linderman,
    2022, arXiv:2208.04933, 3), discretized by a zero-order hold.

    ::

        x_t = A x_{t-1} + L^-1 (A - 1) B u_t,    A = exp(L step), L = -exp(log_decay) + i frequency
        y_t = 2 Re(C x_t) + D u_t

    `forward(u, state=None)`: u ``[B, T, width]``, state complex ``[B, states]``; returns
    (y, last), y of u's shape. The eigenvalues start as -1/2 + i pi n (S4D-Lin, Gu et al.,
    2022, arXiv:2206.11893). The states stand for themselves and their conjugates.
    """

    def __init__(self, width, states=32, device=None, dtype=None):
        super().__init__()
        options = {"device": device, "dtype": dtype or torch.get_default_dtype()}
        wide = {"device": device, "dtype": options["dtype"].to_complex()}
        self.width, self.states = width, states
        self.log_decay = nn.Parameter(torch.full((states,), math.log(0.5), **options))
        self.frequency = nn.Parameter(math.pi * torch.arange(states, **options))
        self.log_step = nn.Parameter(
            torch.empty(states, **options).uniform_(math.log(1e-3), math.log(1e-1)))
        self.b = nn.Parameter(torch.randn(states, width, **wide) / math.sqrt(width))
        self.c = nn.Parameter(torch.randn(width, states, **wide) / math.sqrt(states))
        self.d = nn.Parameter(torch.randn(width, **options))

    def initial_state(self, batch):
        """Complex zeros ``[batch, states]``."""
        return self.b.new_zeros(batch, self.states)

    def _read(self, x, u):
        return 2 * (x @ self.c.T).real + self.d * u

    def forward(self, u, state=None):
        """All steps at once: (y, last)."""
        state = self._start(u, state)
        x, last = _s5_states(self.log_decay, self.frequency, self.log_step,
                             u.to(self.b.dtype) @ self.b.T, state)
        return self._read(x, u), last

    def step(self, state, u):
        """One step, state ``[B, states]`` and u ``[B, width]``: (y, x)."""
        a, scale = _discrete(self.log_decay, self.frequency, self.log_step)
        x = a * state + scale * (u.to(self.b.dtype) @ self.b.T)
        return self._read(x, u), x
