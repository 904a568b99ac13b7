"""The floor: a device-to-device copy that reads and writes as many bytes in all."""

from . import Built, Contender


class Copy(Contender):
    name = "copy"

    def refuse(self, case):
        return None

    def build(self, case, sets):
        torch = self.context.torch
        # What is read and what is written is the same in a copy.
        size = max(1, case.nbytes // 2)
        pairs = []
        for _ in sets:
            source = torch.empty(size, dtype=torch.uint8, device=self.context.where).random_(0, 255)
            pairs.append((source, torch.empty_like(source)))
        return Built([lambda p=pair: p[1].copy_(p[0]) for pair in pairs])
