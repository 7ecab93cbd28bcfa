"""``stocmv verify``."""

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._console import as_json, console, print_json, quoted
from ._kinds import FILE, Number

if TYPE_CHECKING:
    from ..verify import Verification


@click.command()
@click.argument("certificate", type=FILE)
@click.argument("votes", type=FILE)
@click.option(
    "--precise",
    type=Number(0, 1),
    default=0.01,
    show_default=True,
    help="Share of the rows to check at 30 digits too.",
)
@click.option("--seed", type=click.IntRange(0), help="Seed for the draw of these rows; random by default.")
@as_json
@click.pass_context
def verify(
    context: click.Context, certificate: Path, votes: Path, precise: float, seed: int | None, as_json: bool
) -> None:
    """Check a certificate against the votes, with independent code.

    Everything is recomputed: the digests of the file and of the votes, the risk (every row in double precision,
    some at 30 digits), the KL, all bounds, and the words. Exit code 0 if everything holds, 1 if not.

    The check is one file, stocmv/verify.py, which runs without stocmv: python verify.py CERTIFICATE VOTES

    \b
    Example:
      stocmv verify digits-certified/certificate.json digits-certified/votes.npz
    """
    from ..certificate import verify_content
    from ..verify import read_certificate, read_votes

    content, intact = read_certificate(certificate)
    chosen = secrets.randbelow(2**31) if seed is None else seed
    verification = verify_content(content, intact, read_votes(votes), precise, chosen)
    if as_json:
        print_json(_as_json(verification))
    else:
        _print(verification)
    context.exit(0 if verification else 1)


def _as_json(verification: "Verification") -> dict:
    from ..verify import UNKNOWABLE, brief

    return {
        "holds": bool(verification),
        "statement": verification.statement if verification else None,
        "checks": [
            {"what": c.what, "claimed": brief(c.claimed, 500), "found": brief(c.found, 500), "holds": bool(c.holds)}
            for c in verification.checks
        ],
        "stated_not_checked": list(verification.unchecked),
        "not_knowable": list(UNKNOWABLE),
    }


def _print(verification: "Verification") -> None:
    screen = console()
    for check in verification.checks:
        mark = "[green]ok[/]" if check.holds else "[bold red]NO[/]"
        screen.print(mark + quoted(str(check)[2:]))
    screen.print()
    for line in verification.remarks():
        screen.print(quoted(line))
    screen.print()
    verdict, _, rest = verification.verdict.partition(":" if verification else ".")
    colour = "bold green" if verification else "bold red"
    screen.print(f"[{colour}]{verdict}{':' if verification else '.'}[/]{quoted(rest)}")
