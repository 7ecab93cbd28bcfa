"""``stocmv completion``."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands in a shell.

    \b
    Examples:
      stocmv completion bash >> ~/.bashrc
      stocmv completion zsh >> ~/.zshrc
      stocmv completion fish > ~/.config/fish/completions/stocmv.fish
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"There is no completion for {shell!r}.")
    click.echo(kind(context.find_root().command, {}, "stocmv", "_STOCMV_COMPLETE").source())
