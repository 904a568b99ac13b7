"""The floor: a device-to-device copy that reads and writes as many bytes in all."""

from . import Built, Contender

# Longer ones in pieces: on an H200 one copy of 1.2 GB ran at two thirds of the
# speed of a copy of 1 GB.
PIECE_BYTES = 1 << 29


def copy_pieces(target, source):
    for piece, part in zip(target.split(PIECE_BYTES), source.split(PIECE_BYTES)):
        piece.copy_(part)


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
        return Built([lambda p=pair: copy_pieces(p[1], p[0]) for pair in pairs])
