"""PyTorch: its own scans, and torch.associative_scan, compiled."""

from . import Built, Contender


class Builtin(Contender):
    """torch.cumsum, torch.cummax and torch.logcumsumexp."""

    name = "torch"

    def refuse(self, case):
        if case.operator in ("cumsum", "argmax", "softmax"):
            return None
        return "PyTorch has no such scan of its own"

    def build(self, case, sets):
        torch, dim = self.context.torch, case.dim
        size = sum(array.nbytes for array in case.inputs)
        if case.operator == "cumsum" and not case.reverse:
            return Built([lambda s=one: torch.cumsum(s.inputs[0], dim, out=s.outputs[0])
                          for one in sets], lambda number: sets[number].outputs)
        found = [None] * len(sets)
        if case.operator == "cumsum":
            def run(number, x):
                found[number] = [torch.cumsum(x.flip(dim), dim).flip(dim)]
            return Built(_calls(run, sets), lambda number: found[number],
                         note="flip, cumsum, flip")
        if case.operator == "argmax":
            # Ties go to the last index there, and indices have eight bytes.
            def run(number, x):
                found[number] = [torch.cummax(x, dim)[0], None]
            return Built(_calls(run, sets), lambda number: found[number], 4 * size,
                         "cummax: int64 indices")

        def run(number, x):
            found[number] = [torch.logcumsumexp(x, dim)]
        return Built(_calls(run, sets), lambda number: [None, None], 2 * size,
                     "logcumsumexp: one result, its numbers are not compared")


class Loop(Contender):
    """One torch.cumsum per packed sequence."""

    name, is_slow = "torch-loop", True

    def refuse(self, case):
        if case.operator != "packed sum":
            return "for sums of packed sequences"
        if case.sequences > 4096:
            return "not tried above 4096 sequences"
        return None

    def build(self, case, sets):
        torch, offsets = self.context.torch, case.offsets
        pairs = [(begin, end) for begin, end in zip(offsets, offsets[1:]) if begin < end]

        def call(one):
            for begin, end in pairs:
                torch.cumsum(one.inputs[0][begin:end], 0, out=one.outputs[0][begin:end])
        return Built([lambda s=one: call(s) for one in sets],
                     lambda number: sets[number].outputs, note=f"{len(pairs)} launches")


def _calls(run, sets):
    return [lambda n=number, s=one: run(n, *s.inputs) for number, one in enumerate(sets)]


def combiner(torch, operator):
    """The combine function over tuples of leaves, for torch.associative_scan."""
    if operator == "cumsum":
        return lambda x, y: x + y
    if operator == "recurrence":
        return lambda x, y: (x[0] * y[0], y[0] * x[1] + y[1])
    if operator == "argmax":
        def largest(x, y):
            more = y[0] > x[0]
            return torch.where(more, y[0], x[0]), torch.where(more, y[1], x[1])
        return largest

    def softmax(x, y):
        most = torch.maximum(x[0], y[0])
        return most, x[1] * torch.exp(x[0] - most) + y[1] * torch.exp(y[0] - most)
    return softmax


class Associative(Contender):
    """torch.associative_scan under torch.compile: one kernel where it makes one (pointwise),
    else the tree of operations that it falls back to (generic)."""

    name, is_slow = "torch-assoc", True

    def __init__(self, context):
        super().__init__(context)
        try:
            from torch._higher_order_ops.associative_scan import associative_scan
            self.scan = associative_scan
        except ImportError:
            self.missing = "this PyTorch has no associative_scan"

    def refuse(self, case):
        if case.operator.startswith("packed"):
            return "it has no segments"
        if case.operator == "matrices":
            return "pointwise operators only"
        if case.element.startswith("complex"):
            return "torch.compile makes no code for complex numbers"
        if case.is_derivative and case.size > 2048:
            return "its backward pass has a matrix of T x T"
        return None

    def build(self, case, sets):
        try:
            return self._build(case, sets, "pointwise")
        except Exception as error:  # pylint: disable=broad-except
            if type(error).__name__ == "OutOfMemoryError":
                raise
            return self._build(case, sets, "generic")

    def _build(self, case, sets, mode):
        torch, scan = self.context.torch, self.scan
        torch._dynamo.reset()
        combine, dim = combiner(torch, case.operator), case.dim

        def forward(*inputs):
            if case.operator == "cumsum":
                return (scan(combine, inputs[0], dim, reverse=case.reverse, combine_mode=mode),)
            if case.operator == "recurrence":
                # In float32, as the others do it; the casts are compiled into the scan.
                wide = tuple(x.float() for x in inputs[:2])
                return (scan(combine, wide, dim, combine_mode=mode)[1].to(inputs[1].dtype),)
            if case.operator == "argmax":
                where = torch.arange(case.size, dtype=torch.int32, device=inputs[0].device)
                return scan(combine, (inputs[0], where), dim, combine_mode=mode)
            return scan(combine, (inputs[0], torch.ones_like(inputs[0])), dim, combine_mode=mode)

        compiled = torch.compile(forward, fullgraph=True, dynamic=False)
        found = [None] * len(sets)
        if not case.is_derivative:
            def run(number, *inputs):
                found[number] = compiled(*inputs)
        else:
            leaves = [[x.detach().requires_grad_() for x in one.inputs[:2]] for one in sets]

            def run(number, *inputs):
                h, = compiled(*leaves[number])
                found[number] = [h.detach(), *torch.autograd.grad(h, leaves[number], inputs[2])]
        # Compiles.
        run(0, *sets[0].inputs)
        return Built(_calls(run, sets), lambda number: found[number], note=f"{mode} mode")
