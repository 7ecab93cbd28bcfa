"""A contract for import-linter: what one room of the package may import from the others.

`pyproject.toml` has one for each row of CONTRIBUTING's table; `make lint` checks them.
"""

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

PACKAGE = "stocmv"


class RoomContract(Contract):
    """A room imports the rooms that are listed, and only what these hand out, not their modules."""

    type_name = "room"

    room = fields.StringField()
    may_import = fields.SetField(subfield=fields.StringField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        broken = sorted(
            f"{importer} imports {imported}"
            for importer in graph.modules
            if room_of(importer) == self.room
            for imported in graph.find_modules_directly_imported_by(importer)
            if not self._allows(imported)
        )
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def _allows(self, imported: str) -> bool:
        room = room_of(imported)
        if room == self.room:
            return True
        private_module = imported.count(".") > 1
        return not private_module and (room.startswith("_") or room in (self.may_import or set()))

    def render_broken_contract(self, check: ContractCheck) -> None:
        for line in check.metadata["broken"]:
            output.print_error(line)


def room_of(module: str) -> str:
    """The folder, or the file beside the folders, that a module belongs to; the package itself by its own name."""
    return module.split(".")[1] if "." in module else PACKAGE
