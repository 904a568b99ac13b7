"""What associative_scan refuses, and with which words."""

import oracle
import pytest
import torch

import mlir_scan.torch as scan
from mlir_scan import ScanError
from mlir_scan.torch import _associative


def fails(combine, xs, *words, dim=0, kind=scan.TraceError, mode="pointwise", **options):
    with pytest.raises(kind) as error:
        scan.associative_scan(combine, xs, dim, combine_mode=mode, **options)
    for word in words:
        assert word in str(error.value), str(error.value)
    return str(error.value)


def test_refusals_name_file_and_line(device):
    x = torch.rand(4, 5, device=device)
    message = fails(lambda a, b: a + b.sum(), x, "'sum'", "generic")
    assert "test_refusals.py:" in message

    def branches(a, b):
        return a if a.max() > b.max() else b

    fails(branches, x, "max")
    fails(lambda a, b: a if (a > b) else b, x, "torch.where")
    fails(lambda a, b: a + b.item(), x, "item")
    fails(lambda a, b: torch.sort(a + b)[0], x, "sort")

    def loops(a, b):
        while (a < b).any():
            a = a + 1
        return a

    fails(loops, x, "any", "test_refusals.py:")


def test_mutation_is_refused(device):
    x = torch.rand(4, 5, device=device)
    kept = x.clone()
    outside = torch.zeros((), device=device)

    def in_place(a, b):
        a.add_(b)
        return a

    def augmented(a, b):
        a += b
        return a

    def items(a, b):
        a[0] = b[0]
        return a

    def captured(a, b):
        outside.add_(a)
        return a + b

    for combine in (in_place, augmented):
        fails(combine, x, "mutates")
    fails(items, x)
    fails(captured, x, "writes")
    fails(lambda a, b: torch.add(a, b, out=a), x, "writes")
    assert torch.equal(x, kept) and outside.item() == 0


def test_own_temporaries_may_change(device):
    def combine(a, b):
        c = a * 1
        c += b
        c.mul_(1)
        return c

    x = torch.rand(6, device=device)
    torch.testing.assert_close(scan.associative_scan(combine, x, 0), torch.cumsum(x, 0))


def test_wrong_results_are_refused(device):
    x = torch.rand(4, device=device)
    fails(lambda a, b: (a, b), x, "expected")
    fails(lambda a, b: (a + b).double(), x, "float64", ".to(")
    fails(lambda a, b: a > b, x, "bool")
    fails(lambda a, b: 1.0, x, "number")
    fails(lambda a, b: torch.ones((), device=device), x, "does not depend")
    fails(lambda a, b: None, x, "NoneType")
    fails(lambda x, y: (x[0],), (x, x), "tuple of 1")
    fails(lambda x, y: [x[0], y[1]], (x, x), "list")
    fails(lambda x, y: {"a": x["a"]}, {"a": x, "b": x}, "keys")
    fails(lambda a, b: (a + b)[None], torch.rand(4, 3, device=device))
    fails(lambda a, b: (a + b).reshape(-1), torch.rand(4, 3, 2, device=device))


@pytest.mark.filterwarnings("ignore:associative_scan runs through")
def test_wrong_results_are_refused_by_the_generic_mode(device):
    m = torch.rand(4, 3, 3, device=device)
    fails(lambda a, b: (a @ b).double(), m, "float64", kind=ScanError, mode="generic")
    fails(lambda a, b: (a @ b)[:2], m, "(2, 3)", kind=ScanError, mode="generic")
    fails(lambda a, b: (a @ b, a), m, kind=ScanError, mode="generic")
    fails(lambda a, b: {"b": a["a"] @ b["a"]}, {"a": m}, "keys", kind=ScanError, mode="generic")


def test_wrong_arguments_are_refused(device):
    x = torch.rand(4, device=device)
    fails(torch.add, [], "at least one", kind=ScanError)
    fails(torch.add, torch.ones((), device=device), "rank 1", kind=ScanError)
    fails(torch.add, [x, 3], "leaf 1", kind=ScanError)
    fails(lambda x, y: x, (x, torch.rand(5, device=device)), "leaf 1", "(5,)", kind=ScanError)
    fails(torch.add, x, "dim", dim=1, kind=IndexError)
    fails(torch.add, x, "dim", dim=-2, kind=IndexError)
    fails(torch.add, x, "combine_mode", mode="fast", kind=ScanError)
    fails(None, x, "combine_fn", kind=ScanError)
    fails(torch.add, torch.ones(4, dtype=torch.uint8, device=device), "uint8", "int64",
          kind=ScanError)


@pytest.mark.filterwarnings("ignore:associative_scan runs through")
def test_different_extents_are_refused_by_the_generic_mode(device):
    x, y = torch.rand(4, 2, device=device), torch.rand(5, 2, 2, device=device)
    fails(lambda a, b: (a[0] + b[0], a[1] + b[1]), (x, y), "different extents", kind=ScanError,
          mode="generic")


FUNCTIONS = {
    "associative_scan": lambda x: scan.associative_scan(torch.add, x, 0),
    "generic": lambda x: scan.associative_scan(torch.add, x, 0, combine_mode="generic"),
    "linear_recurrence": lambda x: scan.linear_recurrence(x, x, dim=0),
    "cumsum": lambda x: scan.cumsum(x, 0),
    "cummax": lambda x: scan.cummax(x, 0),
    "step": lambda x: scan.linear_recurrence_step(x, x, x),
    "associative_step": lambda x: scan.associative_scan_step(torch.add, x, x),
}


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support", "ignore:torch.quantize")
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_tensors_without_dense_memory(name, device):
    function = FUNCTIONS[name]
    x = torch.rand(4, 3, device=device)
    for sparse in (x.to_sparse(), x.to_sparse_csr()):
        with pytest.raises(ScanError, match="to_dense"):
            function(sparse)
    with pytest.raises(ScanError, match="'meta' are not supported; expected 'cpu' or 'cuda'"):
        function(x.to("meta"))
    with pytest.raises(ScanError, match="dequantize"):
        function(torch.quantize_per_tensor(x.cpu(), 0.1, 0, torch.qint8))
    with pytest.raises(ScanError, match="expected a tensor, found (list|float)"):
        function([[1.0]])


def test_tensors_on_different_devices(device):
    here = torch.rand(4, 3, device=device)
    there = torch.rand(4, 3, device="meta" if device.type == "cpu" else "cpu")
    words = f"tensor 0 is on {here.device}, tensor 1 on {there.device}; move them"
    for call in (lambda: scan.linear_recurrence(here, there),
                 lambda: scan.associative_scan(
                     lambda x, y: (x[0] + y[0], x[1] + y[1]), (here, there), 0),
                 lambda: scan.associative_scan(torch.add, here, 0, init=there[0])):
        with pytest.raises(ScanError) as error:
            call()
        assert words in str(error.value)


def test_exceptions_of_the_function_come_through(device):
    """The very object, and nothing is kept of the attempt."""
    class Mine(Exception):
        pass

    raised = []

    def combine(a, b):
        if not raised:
            raised.append(Mine("here"))
            raise raised[0]
        return a + b

    x = torch.ones(4, device=device)
    for kind in (Mine, KeyboardInterrupt):
        raised.clear()
        before = dict(_associative._texts), dict(_associative._plans._plans)
        with pytest.raises(Mine) as error:
            scan.associative_scan(combine, x, 0)
        assert error.value is raised[0]
        assert (_associative._texts, _associative._plans._plans) == before

        def interrupted(a, b, kind=kind):
            raise kind

        with pytest.raises(kind):
            scan.associative_scan(interrupted, x, 0, combine_mode="generic")
        assert (_associative._texts, _associative._plans._plans) == before
        # The same function, once it no longer raises.
        assert scan.associative_scan(combine, x, 0).tolist() == [1, 2, 3, 4]


def test_captured_tensors(device):
    x, w = torch.rand(4, 5, device=device), torch.rand(5, device=device)
    fails(lambda a, b: a * b * w, x, "leaf")
    parameter = torch.ones((), requires_grad=True, device=device)
    fails(lambda a, b: (a + b) * parameter, x, "leaf")
    # As the message says: as a leaf it has its gradient.
    w64 = torch.rand(5, dtype=torch.float64, requires_grad=True, device=device)
    x64 = torch.rand(4, 5, dtype=torch.float64, device=device)

    def combine(left, right):
        return (left[0] + right[0]) * right[1], right[1]

    found = scan.associative_scan(combine, (x64, w64.expand(4, 5)), 0,
                                  check_associativity=False)[0]
    expected = oracle.associative_scan(combine, (x64, w64.expand(4, 5)), 0)[0]
    ours, = torch.autograd.grad(found.sum(), w64)
    theirs, = torch.autograd.grad(expected.sum(), w64)
    torch.testing.assert_close(ours, theirs)


@pytest.mark.filterwarnings("ignore:associative_scan runs through")
def test_captured_tensors_in_the_generic_mode(device):
    """They are right there, with their gradients."""
    x = torch.rand(5, 3, dtype=torch.float64, device=device)
    w = torch.rand(3, dtype=torch.float64, device=device, requires_grad=True)

    def combine(a, b):
        return a + b * w * 0 + b

    for w_used in (combine, lambda a, b: (a + b) * torch.ones_like(w)):
        found = scan.associative_scan(w_used, x, 0, combine_mode="generic")
        torch.testing.assert_close(found, torch.cumsum(x, 0))

    def scaled(a, b):
        return a * b * (w / w.detach())

    found = scan.associative_scan(scaled, x, 0, combine_mode="generic")
    torch.testing.assert_close(found, torch.cumprod(x, 0))
    ours, = torch.autograd.grad(found.sum(), w)
    theirs, = torch.autograd.grad(oracle.associative_scan(scaled, x, 0).sum(), w)
    torch.testing.assert_close(ours, theirs)


def test_wrong_init_is_refused(device):
    x = torch.rand(4, 5, device=device)
    state = x[0]
    fails(torch.add, x, "leaf 0", "(4,)", "(5,)", init=x[:, 0], kind=ScanError)
    fails(torch.add, x, "float64", "float32", init=state.double(), kind=ScanError)
    fails(torch.add, x, "expected a tensor, found int", init=0, kind=ScanError)
    fails(torch.add, x, init=(state,), kind=ScanError)
    fails(lambda x, y: (x[0], y[1]), (x, x), "init", "tuple of 2", "list of 2",
          init=[state, state], kind=ScanError)
    fails(lambda x, y: {"a": x["a"]}, {"a": x}, "init", "['b']", init={"b": state},
          kind=ScanError)
