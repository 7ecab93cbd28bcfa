"""The public data sets: where they are, their formats, and what their arrays must be."""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._readers import CommaSeparated, Idx, Libsvm, Reader, RescaledLibsvm

HOSTS: dict[str, str] = {
    "uci": "https://archive.ics.uci.edu/ml/machine-learning-databases",
    "libsvm": "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets",
    # the last revision, so that the files cannot change
    "zalando": "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/b2617bb6d3ffa2e429640350f613e3291e10b141",
}


@dataclass(frozen=True)
class SourceFile:
    """A published file, with its SHA-256 if that is known."""

    host: str
    path: str
    sha256: str | None = None

    @property
    def url(self) -> str:
        return f"{HOSTS[self.host]}/{self.path}"

    @property
    def filename(self) -> str:
        return self.path.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class PublicSet:
    """A data set to fetch, and what its arrays must be.

    `dtype` is the smallest type that holds the values. `class_counts` and `arrays_sha256` are None if no complete copy
    of the set was available when this was written.
    """

    name: str
    files: tuple[SourceFile, ...]
    read: Reader
    n: int
    n_features: int
    target_names: tuple[str, ...]
    class_counts: tuple[int, ...] | None
    dtype: str
    licence: str
    arrays_sha256: str | None
    n_train: int | None = None
    feature_names: tuple[str, ...] | None = None

    @property
    def source(self) -> str:
        return " and ".join(file.url for file in self.files)

    def check(self, X: NDArray, y: NDArray) -> None:
        """Raise a ValueError that says why these are not the arrays of this set, if they are not."""
        if X.shape != (self.n, self.n_features):
            raise ValueError(f"X has the shape {X.shape} instead of {(self.n, self.n_features)}")
        counts = tuple(np.bincount(y, minlength=len(self.target_names)).tolist())
        if self.class_counts is not None and counts != self.class_counts:
            raise ValueError(f"the classes have {counts} examples instead of {self.class_counts}")
        if 0 in counts:
            raise ValueError(f"there is no example of the class {self.target_names[counts.index(0)]}")
        if self.arrays_sha256 is not None and arrays_sha256(X, y) != self.arrays_sha256:
            raise ValueError("the SHA-256 of its values is not the known one")


def arrays_sha256(X: NDArray, y: NDArray) -> str:
    """SHA-256 of the examples, row by row and little-endian, followed by the class codes."""
    digest = hashlib.sha256(np.ascontiguousarray(X, X.dtype.newbyteorder("<")).data)
    digest.update(np.ascontiguousarray(y, np.uint8).data)
    return digest.hexdigest()


_UCI = "CC BY 4.0 (per UCI)"
_UNKNOWN = "none stated"
_MINUS_PLUS = ("-1", "+1")
_DIGITS = tuple("0123456789")


def _uci(path: str) -> tuple[SourceFile, ...]:
    return (SourceFile("uci", path),)


def _libsvm(*paths: str) -> tuple[SourceFile, ...]:
    return tuple(SourceFile("libsvm", path) for path in paths)


_SETS = (
    PublicSet(
        name="haberman",
        files=_uci("haberman/haberman.data"),
        read=CommaSeparated(),
        n=306,
        n_features=3,
        target_names=("1", "2"),
        class_counts=(225, 81),
        dtype="uint8",
        licence=_UCI,
        arrays_sha256="26619fa1fb56118f3937dfa9d3c11d05d848b1224bed665daefa74ddb09e36bf",
        feature_names=("age", "operation_year", "positive_nodes"),
    ),
    PublicSet(
        name="tictactoe",
        files=_uci("tic-tac-toe/tic-tac-toe.data"),
        read=CommaSeparated(categories=True),
        n=958,
        n_features=9,
        target_names=("negative", "positive"),
        class_counts=(332, 626),
        dtype="uint8",
        licence=_UCI,
        arrays_sha256="02e3b8b855c3443100688a6e27c6d25884bc8694d4c8295facf64b7c3fee5e4c",
    ),
    PublicSet(
        name="mushrooms",
        files=_uci("mushroom/agaricus-lepiota.data"),
        read=CommaSeparated(label_first=True, categories=True),
        n=8124,
        n_features=22,
        target_names=("e", "p"),
        class_counts=(4208, 3916),
        dtype="uint8",
        licence=_UCI,
        arrays_sha256="b3fe929603d5800716760d45ace7de41149e38ad977aa1efbb8fe4ba15dacbb3",
        feature_names=(
            *("cap-shape", "cap-surface", "cap-color", "bruises", "odor"),
            *("gill-attachment", "gill-spacing", "gill-size", "gill-color", "stalk-shape", "stalk-root"),
            *("stalk-surface-above-ring", "stalk-surface-below-ring", "stalk-color-above-ring"),
            *("stalk-color-below-ring", "veil-type", "veil-color", "ring-number", "ring-type"),
            *("spore-print-color", "population", "habitat"),
        ),
    ),
    PublicSet(
        name="svmguide1",
        files=_libsvm("binary/svmguide1", "binary/svmguide1.t"),
        read=Libsvm(),
        n=7089,
        n_features=4,
        target_names=("0", "1"),
        class_counts=(3089, 4000),
        dtype="float64",
        licence=_UNKNOWN,
        arrays_sha256="d4e0ff290236e7051f9d1755ffcce63f45114f6811bd59167b86e0d826cfc255",
        n_train=3089,
    ),
    PublicSet(
        name="phishing",
        files=_libsvm("binary/phishing"),
        read=Libsvm(step=0.18257),
        n=11055,
        n_features=68,
        target_names=("0", "1"),
        class_counts=(4898, 6157),
        dtype="uint8",
        licence=_UCI,
        arrays_sha256="e25def491ef3b76e86e47a19b6713bbaf00a03bf091dca053d1757b8dfe177f1",
    ),
    PublicSet(
        name="adult",
        files=_libsvm("binary/a1a", "binary/a1a.t"),
        read=Libsvm(),
        n=32561,
        n_features=123,
        target_names=_MINUS_PLUS,
        class_counts=(24720, 7841),
        dtype="uint8",
        licence=_UCI,
        arrays_sha256="9bfbcc73651270f235361e576dd5f57209ce84135b4745b203661f7f2a2b1a47",
        n_train=1605,
    ),
    PublicSet(
        name="codrna",
        files=_libsvm("binary/cod-rna"),
        read=Libsvm(),
        n=59535,
        n_features=8,
        target_names=_MINUS_PLUS,
        class_counts=(39690, 19845),
        dtype="float64",
        licence=_UNKNOWN,
        arrays_sha256="c60f2880e0239257c919e9cbfe0d4f93e1630615c11756046e77c998a596558c",
    ),
    PublicSet(
        name="pendigits",
        files=_libsvm("multiclass/pendigits", "multiclass/pendigits.t"),
        read=Libsvm(),
        n=10992,
        n_features=16,
        target_names=_DIGITS,
        class_counts=(1143, 1143, 1144, 1055, 1144, 1055, 1056, 1142, 1055, 1055),
        dtype="uint8",
        licence=_UCI,
        arrays_sha256="6518a1fbd2ff4e4ebf9274e8cde07c8bc91768a971751c7503df437667033ed7",
        n_train=7494,
    ),
    PublicSet(
        name="shuttle",
        files=_libsvm("multiclass/shuttle.scale", "multiclass/shuttle.scale.t"),
        read=RescaledLibsvm(
            lows=(
                (27, -4821, 21, -3939, -188, -13839, -48, -353, -356),
                (27, -3161, 40, -362, -46, -26739, -18, -191, -264),
            ),
            highs=((126, 5075, 149, 3830, 436, 13148, 105, 270, 266), (123, 4501, 118, 1751, 310, 15164, 73, 131, 126)),
        ),
        n=58000,
        n_features=9,
        target_names=tuple("1234567"),
        class_counts=(45586, 50, 171, 8903, 3267, 10, 13),
        dtype="int16",
        licence=_UCI,
        arrays_sha256="7228d7b18fee0f719e97e0185792147bbaa037749f65e5fb9a16d0d867cd5f9a",
        n_train=43500,
    ),
    PublicSet(
        name="mnist",
        files=_libsvm("multiclass/mnist.scale.bz2", "multiclass/mnist.scale.t.bz2"),
        read=Libsvm(step=1 / 255),
        n=70000,
        n_features=784,
        target_names=_DIGITS,
        class_counts=(6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958),
        dtype="uint8",
        licence="CC BY-SA 3.0 (as usually cited)",
        arrays_sha256="c2069063c1105f2bf96266aef1ff68c6e13bdda7a54e37bf19c16f1db24efc83",
        n_train=60000,
    ),
    PublicSet(
        name="fashion-mnist",
        files=(
            SourceFile(
                "zalando",
                "data/fashion/train-images-idx3-ubyte.gz",
                "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
            ),
            SourceFile(
                "zalando",
                "data/fashion/train-labels-idx1-ubyte.gz",
                "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
            ),
            SourceFile(
                "zalando",
                "data/fashion/t10k-images-idx3-ubyte.gz",
                "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
            ),
            SourceFile(
                "zalando",
                "data/fashion/t10k-labels-idx1-ubyte.gz",
                "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
            ),
        ),
        read=Idx(),
        n=70000,
        n_features=784,
        target_names=_DIGITS,
        class_counts=(7000,) * 10,
        dtype="uint8",
        licence="MIT",
        arrays_sha256="2cbc59191665e1ba3f2494648f17edac5974f748ab89fb2ae05597d658161f54",
        n_train=60000,
    ),
    PublicSet(
        name="protein",
        files=_libsvm("multiclass/protein.bz2", "multiclass/protein.t.bz2"),
        read=Libsvm(),
        n=24387,
        n_features=357,
        target_names=("0", "1", "2"),
        class_counts=None,
        dtype="float64",
        licence=_UNKNOWN,
        arrays_sha256=None,
        n_train=17766,
    ),
    PublicSet(
        name="sensorless",
        files=_libsvm("multiclass/Sensorless"),
        read=Libsvm(),
        n=58509,
        n_features=48,
        target_names=tuple(str(label) for label in range(1, 12)),
        class_counts=(5319,) * 11,
        dtype="float64",
        licence=_UCI,
        arrays_sha256=None,
    ),
)

PUBLIC: dict[str, PublicSet] = {known.name: known for known in _SETS}
