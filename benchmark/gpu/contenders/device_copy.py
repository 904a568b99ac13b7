"""The lower bound: a device-to-device copy that reads and writes as many bytes in all."""

from . import Built, Contender


class Copy(Contender):
    name = "copy"

    def refuse(self, case):
        return None

    def build(self, case, sets):
        torch = self.context.torch
        # What is read and what is written is the same in a copy. A kernel copies, with
        # the sign turned: a memcpy in a graph runs on a copy engine for some sizes, at
        # two thirds of the speed (seen on an H200 for 1 and 2 GiB).
        words = max(1, case.nbytes // 8)
        pairs = []
        for _ in sets:
            source = torch.empty(words, dtype=torch.int32, device=self.context.where).random_()
            pairs.append((source, torch.empty_like(source)))
        return Built([lambda p=pair: torch.neg(p[0], out=p[1]) for pair in pairs])
