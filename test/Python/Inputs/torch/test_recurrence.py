"""linear_recurrence against its definition: layouts, segments, gradients, steps."""

import oracle
import pytest
import torch

import mlir_scan.torch as scan
from mlir_scan import ScanError


def data(*shape, dtype=torch.float64, seed=0, device="cpu"):
    generator = torch.Generator().manual_seed(seed)
    a = 0.5 + 0.6 * torch.rand(*shape, dtype=torch.float64, generator=generator)
    b = torch.randn(*shape, dtype=torch.float64, generator=generator)
    return a.to(dtype).to(device), b.to(dtype).to(device)


SHAPES = [((9,), 0), ((3, 9), 1), ((9, 3), 0), ((2, 9, 4), 1), ((2, 9, 4), -1), ((9, 2, 3), 0),
          ((2, 3, 7, 2), 2), ((2, 1, 3), 1)]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("has_init", [False, True])
@pytest.mark.parametrize("shape, dim", SHAPES)
def test_values(shape, dim, has_init, reverse, device):
    a, b = data(*shape, device=device)
    h0 = torch.randn_like(b.select(dim, 0)) if has_init else None
    h, last = scan.linear_recurrence(a, b, h0, dim=dim, reverse=reverse, return_final_state=True)
    expected, final = oracle.linear_recurrence(a, b, h0, dim % len(shape), reverse)
    torch.testing.assert_close((h, last), (expected, final), rtol=1e-13, atol=1e-13)
    alone = scan.linear_recurrence(a, b, h0, dim=dim, reverse=reverse)
    torch.testing.assert_close(alone, h, rtol=0 if device.type == "cpu" else 1e-13,
                               atol=0 if device.type == "cpu" else 1e-13)


@pytest.mark.parametrize("shape", [(1, 9, 4), (2, 9, 1), (1, 9, 1), (9, 4), (9, 1), (2, 9, 4)])
def test_broadcast_coefficients(shape, device):
    a, b = data(*shape, device=device)[0], data(2, 9, 4, device=device)[1]
    torch.testing.assert_close(scan.linear_recurrence(a, b), oracle.linear_recurrence(a, b)[0],
                               rtol=1e-13, atol=1e-13)


def test_coefficients_repeated_in_some_dimensions(device):
    a, b = data(2, 1, 7, 1, 3, device=device)[0], data(2, 4, 7, 2, 3, device=device)[1]
    torch.testing.assert_close(scan.linear_recurrence(a, b, dim=2),
                               oracle.linear_recurrence(a, b, dim=2)[0], rtol=1e-13, atol=1e-13)
    a.requires_grad_()
    ours, = torch.autograd.grad(scan.linear_recurrence(a, b, dim=2).square().sum(), a)
    theirs, = torch.autograd.grad(oracle.linear_recurrence(a, b, dim=2)[0].square().sum(), a)
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", [torch.int32, torch.int64])
@pytest.mark.parametrize("shape, dim", [((11, 3), 0), ((2, 11, 3), 1), ((2, 11), 1)])
def test_segments(shape, dim, kind, reverse, device):
    a, b = data(*shape, device=device)
    offsets = torch.tensor([0, 4, 4, 5, 11], dtype=kind, device=device)
    states = list(shape)
    states[dim] = 4
    h0 = torch.randn(*states, dtype=torch.float64, device=device)
    h, last = scan.linear_recurrence(a, b, h0, dim=dim, segments=offsets, reverse=reverse,
                                     return_final_state=True)
    expected, finals = oracle.linear_recurrence(a, b, h0, dim, reverse, offsets)
    torch.testing.assert_close((h, last), (expected, finals), rtol=1e-13, atol=1e-13)
    h, last = scan.linear_recurrence(a, b, dim=dim, segments=offsets, reverse=reverse,
                                     return_final_state=True)
    expected, finals = oracle.linear_recurrence(a, b, None, dim, reverse, offsets)
    torch.testing.assert_close((h, last), (expected, finals), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("reverse", [False, True])
def test_gradients(reverse, device, gradients):
    a, b = (leaf.requires_grad_() for leaf in data(2, 5, 3, device=device))
    h0 = torch.randn(2, 3, dtype=torch.float64, requires_grad=True, device=device)
    gradients.first(
        lambda a, b, h0: scan.linear_recurrence(a, b, h0, reverse=reverse,
                                                return_final_state=True), (a, b, h0))
    gradients.second(
        lambda a, b, h0: scan.linear_recurrence(a, b, h0, reverse=reverse,
                                                return_final_state=True), (a, b, h0))
    flat = torch.rand(5, dtype=torch.float64, requires_grad=True, device=device)
    gradients.first(lambda a: scan.linear_recurrence(a, a, dim=0), (flat,))


@pytest.mark.parametrize("reverse", [False, True])
def test_gradients_of_segments(reverse, device, gradients):
    a, b = (leaf.requires_grad_() for leaf in data(7, 2, device=device))
    offsets = torch.tensor([0, 3, 3, 7], dtype=torch.int32, device=device)
    h0 = torch.randn(3, 2, dtype=torch.float64, requires_grad=True, device=device)
    gradients.first(
        lambda a, b, h0: scan.linear_recurrence(a, b, h0, dim=0, segments=offsets,
                                                reverse=reverse, return_final_state=True),
        (a, b, h0))


def test_gradient_of_broadcast_coefficients(device, gradients):
    a = data(1, 5, 3, device=device)[0].requires_grad_()
    b = data(2, 5, 3, device=device)[1].requires_grad_()
    gradients.first(scan.linear_recurrence, (a, b))
    a = data(2, 5, 1, device=device)[0].requires_grad_()
    gradients.first(scan.linear_recurrence, (a, b))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_narrow_types_accumulate_in_f32(dtype, device):
    a, b = data(2, 300, 4, dtype=dtype, device=device)
    a = a.clamp(max=0.95)
    h = scan.linear_recurrence(a, b)
    assert h.dtype == dtype
    expected = oracle.linear_recurrence(a.double(), b.double())[0]
    # One rounding of the result; the states themselves are at 2^-24 each step.
    bound = torch.finfo(dtype).eps * expected.abs() + 300 * 2.0**-24 * expected.abs().max()
    assert ((h.double() - expected).abs() <= bound).all()


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128, torch.int32, torch.int64,
                                   torch.int8])
def test_other_types(dtype, device):
    generator = torch.Generator().manual_seed(1)
    if dtype.is_complex:
        a = torch.polar(torch.ones(3, 40), 6 * torch.rand(3, 40, generator=generator)).to(dtype)
        b = torch.randn(3, 40, dtype=dtype, generator=generator)
    else:
        a = torch.randint(-3, 4, (3, 40), dtype=dtype, generator=generator)
        b = torch.randint(-9, 9, (3, 40), dtype=dtype, generator=generator)
    found = scan.linear_recurrence(a.to(device), b.to(device)).cpu()
    expected = oracle.linear_recurrence(a, b)[0]
    if dtype.is_complex:
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    else:
        assert torch.equal(found, expected)


def test_promotion(device):
    a, b = data(2, 5, 3, dtype=torch.float32, device=device)
    h = scan.linear_recurrence(a.bfloat16(), b)
    assert h.dtype == torch.float32
    torch.testing.assert_close(h, oracle.linear_recurrence(a.bfloat16().float(), b)[0])


def test_chunks_and_steps_have_the_numbers_of_the_whole(device):
    a, b = data(2, 12, 3, dtype=torch.float32, device=device)
    whole = scan.linear_recurrence(a, b)
    state, parts = torch.zeros(2, 3, device=device), []
    for start, end in ((0, 5), (5, 6), (6, 10)):
        h, state = scan.linear_recurrence(a[:, start:end], b[:, start:end], state,
                                          return_final_state=True)
        parts.append(h)
    for step in (10, 11):
        state = scan.linear_recurrence_step(state, a[:, step], b[:, step])
        parts.append(state[:, None])
    if device.type == "cpu":
        assert torch.equal(torch.cat(parts, 1), whole)
    torch.testing.assert_close(torch.cat(parts, 1), whole)
    two, three, four = (torch.tensor(number, device=device) for number in (2.0, 3.0, 4.0))
    one = scan.linear_recurrence_step(two, three, four)
    assert one.shape == () and one.item() == 10


@pytest.mark.parametrize("shape, dim", [((0,), 0), ((2, 0, 3), 1), ((0, 4, 3), 1), ((2, 4, 0), 1)])
def test_empty(shape, dim, device):
    a, b = data(*shape, device=device)
    states = [extent for number, extent in enumerate(shape) if number != dim]
    h0 = torch.full(states, 7.0, dtype=torch.float64, device=device)
    h, last = scan.linear_recurrence(a, b, h0, dim=dim, return_final_state=True)
    assert h.shape == b.shape
    if shape[dim] == 0:
        assert torch.equal(last, h0)


def refuses(*words, kind=ScanError, **arguments):
    with pytest.raises(kind) as error:
        scan.linear_recurrence(**arguments)
    for word in words:
        assert word in str(error.value), str(error.value)


def test_refusals(device):
    a, b = data(2, 5, 3, device=device)
    refuses("a has the shape", "dimension 2", a=a[..., :2], b=b)
    refuses("broadcast", a=a[None], b=b)
    wrong = torch.zeros(3, 2, dtype=torch.float64, device=device)
    refuses("h0 has the shape", "(2, 3)", a=a, b=b, h0=wrong)
    refuses("dim", a=a, b=b, dim=3, kind=IndexError)
    refuses("a:", a=1.0, b=b)
    refuses("offsets", a=a, b=b, segments=torch.tensor([0.0, 5.0], device=device))
    empty = torch.tensor([], dtype=torch.int32, device=device)
    refuses("at least one offset", a=a, b=b, segments=empty)
    refuses("with 2 segments", a=a, b=b, segments=torch.tensor([0, 2, 5], device=device),
            h0=wrong.T)
    refuses("booleans", a=a > 0, b=b > 0)
    refuses("to_dense", a=a[0].to_sparse(), b=b[0], dim=0)


def test_wrong_offsets_are_refused(cpu):
    """On the CPU, where looking at them makes nobody wait."""
    a, b = data(2, 5, 3)
    refuses("segment", a=a, b=b, segments=torch.tensor([0, 7, 5]))
    refuses("segment", a=a, b=b, segments=torch.tensor([0, 4]))
