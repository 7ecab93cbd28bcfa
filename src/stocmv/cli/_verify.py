"""``stocmv verify``."""

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._console import as_json, console, print_json, quoted
from ._kinds import FILE, Number

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..certificate._verify import Check, Verification


@click.command()
@click.argument("certificate", type=FILE)
@click.argument("votes", type=FILE)
@click.option(
    "--precise",
    type=Number(0, 1),
    default=0.01,
    show_default=True,
    help="Share of the rows that are also judged at 30 digits.",
)
@click.option("--seed", type=click.IntRange(0), help="Seed of the draw of these rows; otherwise a fresh one.")
@as_json
@click.pass_context
def verify(
    context: click.Context, certificate: Path, votes: Path, precise: float, seed: int | None, as_json: bool
) -> None:
    """Check a certificate against the votes, by code that did not make it.

    Everything is computed again: the digests of the file and of the votes, the risk (every row in double precision,
    some at 30 digits), the divergence, and all bounds. Exit code 0 if everything holds, 1 if not.

    \b
    Example:
      stocmv verify digits-certified/certificate.json digits-certified/votes.npz
    """
    import numpy as np

    from ..certificate._certificate import read_certificate
    from ..certificate._verify import Check, Verification
    from ..votes import load_folds

    claimed, is_intact = read_certificate(certificate)
    digest = Check("digest of the file", "as written", "as written" if is_intact else "changed since", is_intact)
    chosen = secrets.randbelow(2**31) if seed is None else seed
    with np.errstate(all="ignore"):  # figures that are no numbers fail their checks
        found = claimed.verify(load_folds(votes), precise=precise, random_state=chosen)
    verification = Verification((digest, *found.checks))
    if as_json:
        print_json(
            {
                "holds": bool(verification),
                "statement": claimed.statement() if verification else None,
                "checks": [
                    {"what": c.what, "claimed": str(c.claimed), "found": str(c.found), "holds": bool(c.holds)}
                    for c in verification.checks
                ],
            }
        )
    else:
        _print(verification, claimed)
    context.exit(0 if verification else 1)


def _print(verification: "Verification", claimed: "Certificate") -> None:
    screen = console()
    for check in verification.checks:
        mark = "[green]ok[/]" if check.holds else "[bold red]NO[/]"
        screen.print(f"{mark}  {quoted(_shortened(check))}")
    screen.print()
    if verification:
        screen.print("[bold green]The certificate holds:[/] " + quoted(claimed.statement()))
    else:
        screen.print("[bold red]The certificate does NOT hold.[/] Whatever it says has not been shown.")


def _shortened(check: "Check", most: int = 100) -> str:
    claimed, found = (
        text if len(text) <= most else text[: most - 3] + "..." for text in (str(check.claimed), str(check.found))
    )
    return f"{check.what}: {claimed}" + ("" if claimed == found else f" (found {found})")
