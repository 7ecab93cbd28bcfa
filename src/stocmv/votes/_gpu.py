"""Votes in the memory of a GPU (extra ``gpu``)."""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..special import GammaTables, gamma_tables
from ._curve import Curve
from ._integer_sums import FEW_VOTERS, VOTERS, IntegerSum
from ._matrix import VoteMatrix
from ._partitioned import PartitionedVotes
from ._votes import Votes

T = TypeVar("T")
_TILE = 32  # examples that a warp processes at a time
_PADDED_TO = 4 * _TILE  # the most that a warp fetches at a time
_BLOCK = 2**22  # examples that are copied at a time


class _Shape(NamedTuple):
    """How the kernel of a curve is compiled: the fastest of those tried on an H200."""

    words: int  # of an example
    tiles: int  # that a warp fetches at a time
    warps: int  # in a block
    stages: int  # how often a warp has room for the tiles that it fetches

    @property
    def voters(self) -> int:
        return 32 * self.words

    def shared(self, of_pieces: int) -> int:
        """Bytes of shared memory of a block."""
        return of_pieces + self.warps * (8 * self.voters + 4 * self.words * _TILE * self.tiles * self.stages)


_FEW, _MANY = _Shape(2, 4, 16, 3), _Shape(8, 2, 12, 2)


class GpuVotes(Votes):
    """A matrix of votes in the memory of a GPU.

    Sums for training are computed there. Everything else, above all the figures of a certificate, is computed on the
    CPU from a copy, as for any other votes.

    Parameters
    ----------
    votes : VoteMatrix
        The votes. Merged rows are stored as often as they occur.
    """

    abstains = False

    def __init__(self, votes: VoteMatrix) -> None:
        cp = _cupy()
        _check_suits(votes)
        rows = votes.take(np.repeat(np.arange(votes.n_rows), votes.counts.astype(int))) if votes.counts.size else votes
        self.n_voters = votes.n_voters
        self.classes = votes.classes
        self._n_rows = rows.n_rows
        self._voter_errors = rows.column_sums(np.ones(rows.n_rows))
        self._shape = shape = _FEW if votes.n_voters <= FEW_VOTERS else _MANY
        n_tiles, n_passes = _multiple(rows.n_rows, _PADDED_TO) // _TILE, -(-votes.n_voters // shape.voters)
        width = (
            0 if rows.labels is None else _multiple(votes.n_voters, 16 // rows.labels.itemsize) * rows.labels.itemsize
        )
        of_bits = n_passes * shape.voters // 8
        _check_fits(
            cp, n_tiles * _TILE * of_bits + rows.n_rows * width + 3 * min(rows.n_rows, _BLOCK) * (of_bits + width)
        )
        self._bits = cp.zeros((n_passes, n_tiles, _TILE * shape.words), cp.uint32)
        self._labels = None
        if rows.labels is not None:
            self._labels = cp.zeros((rows.n_rows, width // rows.labels.itemsize), rows.labels.dtype)
        for start in range(0, rows.n_rows, _BLOCK):
            self._fill(rows, start, min(start + _BLOCK, rows.n_rows))
        self._targets = None if rows.targets is None else cp.asarray(rows.targets)

    def _fill(self, rows: VoteMatrix, start: int, stop: int) -> None:
        """Copy the votes of some rows, of which the first begins a tile."""
        cp = _cupy()
        n_tiles = -(-(stop - start) // _TILE)
        packed = cp.zeros((n_tiles * _TILE, len(self._bits) * self._shape.voters // 8), cp.uint8)
        packed[: stop - start, : len(rows.bits)] = cp.asarray(rows.bits[:, start:stop]).T
        words = packed.view(cp.uint32).reshape(n_tiles, _TILE, -1, self._shape.words).transpose(2, 0, 1, 3)
        own = self._bits[:, start // _TILE :][:, :n_tiles]
        own[:, :, cp.asarray(_places(self._shape.words).ravel())] = words.reshape(own.shape)
        if self._labels is not None and rows.labels is not None:
            self._labels[start:stop, : self.n_voters] = cp.asarray(rows.labels[start:stop])

    def __repr__(self) -> str:
        classes = "" if self.classes is None else f", {len(self.classes)} classes"
        return f"GpuVotes({self.n_rows} examples, {self.n_voters} voters{classes})"

    @property
    def work(self) -> float:
        return self.n_rows * (0.02 if self._labels is None else 3.0)

    def at_hand(self) -> "GpuVotes":
        return self

    @property
    def n_rows(self) -> int:
        return self._n_rows

    @property
    def n_examples(self) -> int:
        return self._n_rows

    def each(self, of: Callable[[VoteMatrix], T]) -> list[T]:
        return self.whole().each(of)

    def mean(self, of: Callable[[VoteMatrix], T]) -> T:
        return self.whole().mean(of)

    def digest(self) -> str:
        return self.whole().digest()

    def collect(self) -> VoteMatrix:
        return self.whole()

    def whole(self) -> VoteMatrix:
        return self.take(slice(0, self.n_rows))

    def take(self, rows: ArrayLike | slice) -> VoteMatrix:
        """The votes of the given rows, on this machine."""
        cp = _cupy()
        chosen = rows if isinstance(rows, slice) else cp.asarray(np.asarray(rows))
        words = self._words_of(chosen)
        packed = cp.ascontiguousarray(words).view(cp.uint8).reshape(len(words), -1)
        bits = cp.ascontiguousarray(packed[:, : -(-self.n_voters // 8)].T).get()
        targets = None if self._targets is None else self._targets[chosen].get()
        labels = None if self._labels is None else cp.ascontiguousarray(self._labels[chosen, : self.n_voters]).get()
        return VoteMatrix(self.n_voters, bits, self.classes, targets, labels)

    def _words_of(self, rows: Any) -> Any:
        """The words of some examples, one row for each."""
        cp = _cupy()
        row = cp.arange(self.n_rows)[rows] if isinstance(rows, slice) else rows % self.n_rows
        places = cp.asarray(_places(self._shape.words))[row % _TILE]
        return self._bits[:, (row // _TILE)[:, None], places].transpose(1, 0, 2)

    def only(self, voters: NDArray) -> "GpuVotes":
        return GpuVotes(self.whole().only(voters))

    def batches(self, count: int, rng: np.random.Generator) -> Iterator[VoteMatrix]:
        for rows in np.array_split(rng.permutation(self.n_rows), min(count, self.n_rows)):
            yield self.take(rows)

    def start(self, call: Callable[..., T], *arguments: Any) -> Callable[[], T]:
        """Start the kernels of a sum of a curve; any other call is made when it is waited for."""
        return self._started(*arguments) if call == self.curve_sum else super().start(call, *arguments)  # type: ignore[return-value]

    def curve_sum(self, weights: NDArray, curve: Curve, among: int | None = None) -> tuple[float, NDArray, float]:
        """Like `VoteMatrix.curve_sum`, but with about the rounding error of single precision."""
        return self._started(weights, curve, among)()

    def _started(
        self, weights: NDArray, curve: Curve, among: int | None = None
    ) -> Callable[[], tuple[float, NDArray, float]]:
        cp = _cupy()
        terms = _terms(weights, curve, among or self.n_examples)
        found = cp.zeros(2 + len(self._bits) * self._shape.voters, cp.int64)
        sums, gradient = found[:2], found[2:].reshape(-1, self._shape.voters)
        if len(self._bits) == 1:
            self._pass(0, 0, terms, sums, gradient, found)
        else:
            so_far = cp.empty(self._bits.shape[1] * _TILE, cp.uint32)
            for mode in (1, 2):
                for tile in range(len(self._bits)):
                    self._pass(mode, tile, terms, sums, gradient, so_far)

        def finished() -> tuple[float, NDArray, float]:
            here = found.get()
            own = here[2:].view(np.uint64)[: self.n_voters]
            return terms.integers.finish(here[:2], own, self._voter_errors, self.n_examples)

        return finished

    def _pass(self, mode: int, tile: int, terms: "_Terms", sums: Any, gradient: Any, so_far: Any) -> None:
        integers, pieces, shape = terms.integers, terms.pieces, self._shape
        copies = 8
        while copies > 1 and shape.shared(copies * pieces.nbytes) > _shared_memory():
            copies //= 2
        options = (f"-D{name.upper()}={value}" for name, value in shape._asdict().items())
        kernel = _kernel("_curve_pass.cu", "curve_pass", *options, f"-DMODE={mode}")
        given = (
            self._bits[tile],
            np.int64(self.n_rows),
            terms.planes[tile],
            pieces,
            np.int32(len(pieces)),
            np.int32(copies),
            np.uint32(integers.rate),
            np.int64(integers.start),
            np.int32(integers.shift),
            integers.steepness,
            integers.base,
            sums,
            gradient[tile],
            so_far,
            np.int32(tile == 0),
        )
        kernel((_processors(),), (32 * shape.warps,), given, shared_mem=shape.shared(copies * pieces.nbytes))

    def argmax_error_sum(self, weights: NDArray, among: int | None = None) -> tuple[float, NDArray]:
        """As `VoteMatrix.argmax_error_sum`."""
        if self._labels is None or self.classes is None:
            raise ValueError("The arg-max error of several classes needs labels: make the VoteMatrix with from_labels.")
        cp = _cupy()
        weights = np.asarray(weights, float)
        total, n_classes, n = float(weights.sum()), len(self.classes), among or self.n_examples
        steepest = max(2, math.sqrt(n_classes) / 4) / max(min(total, math.sqrt(total)), 1e-300)
        value_scale, slope_scale = 2.0**62 / n, 2.0**61 / n / steepest
        width = self._labels.shape[1]
        own = np.zeros(width)
        own[: self.n_voters] = weights
        unit = (2.0**32 - 1 - width) / (total or 1.0)
        n_warps = _warps_of(n_classes, width)
        shared = 12 * width + 8 * n_warps * _doubles_of(n_classes)
        label = "unsigned char" if self._labels.dtype.itemsize == 1 else "unsigned short"
        slots = -(-self.n_voters // 32)
        kernel = _kernel("_argmax_pass.cu", "argmax_pass", f"-DLABEL={label.replace(' ', '_')}", f"-DSLOTS={slots}")
        tables, kept = _tables(total)
        found, gradient = cp.zeros(1, cp.uint64), cp.zeros(self.n_voters, cp.int64)
        given = (
            self._labels,
            self._targets,
            np.int64(self.n_rows),
            np.int32(self.n_voters),
            np.int32(n_classes),
            cp.asarray(own),
            cp.asarray(np.rint(own * unit).astype(np.uint32)),
            np.float32(unit),
            tables,
            np.float64(value_scale),
            np.float64(slope_scale),
            found,
            gradient,
        )
        kernel((4 * _processors(),), (32 * n_warps,), given, shared_mem=shared)
        del kept
        return float(found.get()[0]) / value_scale, gradient.get() / slope_scale


class _Terms(NamedTuple):
    """A sum of a curve as the kernel is given it, and what of it is in the GPU's memory."""

    integers: IntegerSum
    pieces: Any
    planes: Any


_last: list[Any] = [None, None, None, None]  # weights, curve, number of examples, and their terms


def _terms(weights: NDArray, curve: Curve, n_examples: int) -> _Terms:
    """The terms of a sum; votes in many parts ask for the same ones, one part after the other."""
    if not (_last[1] is curve and _last[2] == n_examples and np.array_equal(_last[0], weights)):
        cp = _cupy()
        integers = IntegerSum.of(np.asarray(weights, float), curve, n_examples)
        if len(weights) <= FEW_VOTERS:
            planes = integers.unary_planes()[None]
        else:
            planes = np.stack([integers.planes(first) for first in range(0, len(weights), VOTERS)])
        _last[:] = (
            np.array(weights),
            curve,
            n_examples,
            _Terms(integers, cp.asarray(integers.pieces), cp.asarray(planes)),
        )
    return _last[3]


def on_gpu(votes: Votes) -> Votes:
    """The votes in the memory of the GPU, in the same parts."""
    if isinstance(votes, PartitionedVotes):
        return PartitionedVotes([_moved(part) for part in votes.parts])
    return _moved(votes)


def _moved(votes: Votes) -> GpuVotes:
    return votes if isinstance(votes, GpuVotes) else GpuVotes(votes.whole())


def _tables(total: float) -> tuple[NDArray, tuple]:
    """The quadrature tables as the kernel's structure, and the arrays that it points to."""
    cp = _cupy()
    tables = gamma_tables(total)
    own, rival, offsets, shift = _device_tables(tables)
    weights = cp.asarray(tables.node_weights(total))
    geometric, geometric_index = tables.tail(total)
    kind = np.dtype(
        [(name, "u8") for name in ("own", "rival", "offsets", "shift", "weights")]
        + [(name, "f8") for name in ("rows_per_unit", "geometric", "geometric_index")]
        + [(name, "i4") for name in ("n_rows", "width", "root", "padding")]
    )
    pointers = [a.data.ptr for a in (own, rival, offsets, shift, weights)]
    values = (*pointers, tables.rows_per_unit, geometric, geometric_index, *own.shape, int(tables.root), 0)
    return np.array([values], kind), (own, rival, offsets, shift, weights)


_copied: dict[tuple[bool, int], tuple] = {}  # keyed by rule and number of rows; there are only a few


def _device_tables(tables: GammaTables) -> tuple:
    """The tables in the GPU's memory, copied once."""
    cp = _cupy()
    key = tables.root, tables.factors.shape[1]
    if key not in _copied:
        arrays = (*tables.factors, tables.offsets.astype(np.int32), tables.shift)
        _copied[key] = tuple(cp.asarray(a) for a in arrays)
    return _copied[key]


@lru_cache(maxsize=2)
def _places(words: int) -> NDArray:
    """Where the kernel has the words of the 32 examples of a tile: (32, words).

    They are permuted so that the eight times 16 bytes that it reads at a time lie in different banks.
    """
    example, word = np.arange(_TILE)[:, None], np.arange(words)
    g, t = example % 8, example // 8
    if words == 2:  # the same word of examples g, g + 8, g + 16 and g + 24 together
        return 4 * (8 * word + (g ^ 4 * word)) + t
    half = word // 4
    bank = g % 2 + 2 * (g // 2 % 2 ^ t % 2) + 4 * (g // 4 ^ t // 2 ^ half)
    return 4 * (bank + 8 * t + 32 * half) + word % 4


def _multiple(count: int, of: int) -> int:
    """The smallest multiple that is not below the count."""
    return -(-count // of) * of


def _doubles_of(n_classes: int) -> int:
    return n_classes * (3 * 33 + 13) + 64


def _warps_of(n_classes: int, width: int) -> int:
    """Number of warps per block that fit into shared memory, at most eight."""
    warps = min(8, (_shared_memory() - 12 * width) // 8 // _doubles_of(n_classes))
    if warps < 1:
        raise ValueError(f"{n_classes} classes are too many for a GPU: leave the votes in memory.")
    return warps


@lru_cache(maxsize=64)
def _kernel(name: str, function: str, *options: str) -> Any:
    cp = _cupy()
    source = files(__package__).joinpath(name).read_text()
    prefix = "typedef unsigned char unsigned_char; typedef unsigned short unsigned_short;\n"
    kernel = cp.RawModule(code=prefix + source, options=("-std=c++17", *options)).get_function(function)
    kernel.max_dynamic_shared_size_bytes = _shared_memory()
    return kernel


@lru_cache(maxsize=1)
def _processors() -> int:
    return int(_cupy().cuda.Device().attributes["MultiProcessorCount"])


@lru_cache(maxsize=1)
def _shared_memory() -> int:
    """Bytes of shared memory that a block may use."""
    return int(_cupy().cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"])


def check_gpu() -> None:
    """Raise the error that moving votes would raise if CuPy or a GPU is missing."""
    _cupy()


def _cupy() -> Any:
    """Import CuPy and check that there is a working device."""
    try:
        import cupy
    except ImportError as error:
        raise ImportError("Votes on a GPU need CuPy: pip install 'stocmv[gpu]'.") from error
    _check_device(cupy)
    return cupy


@lru_cache(maxsize=1)
def _check_device(cupy: Any) -> None:
    try:
        capability = int(cupy.cuda.Device().compute_capability)
    except Exception as error:
        raise OSError(f"No NVIDIA GPU can be used here: {error}.") from error
    if capability < 80:
        raise OSError(f"The GPU has compute capability {capability / 10}, and 8.0 is needed (Ampere or newer).")


def _check_suits(votes: VoteMatrix) -> None:
    if votes.abstains:
        raise ValueError("Votes of voters that abstain cannot be moved to a GPU: leave them in memory.")


def _free_bytes(cp: Any) -> int:
    return cp.cuda.Device().mem_info[0] + cp.get_default_memory_pool().free_bytes()


def _check_fits(cp: Any, needed: int) -> None:
    free = _free_bytes(cp)
    if needed > free:
        raise MemoryError(
            f"The votes take {needed / 1e9:.1f} GB on the GPU, which has {free / 1e9:.1f} GB free: "
            "move fewer, or leave them in memory."
        )
