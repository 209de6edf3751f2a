"""Look into the built wheel: one of it, the data files in it, and none of the packages a serverless session brings itself.

python scripts/check_wheel.py dist
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

FORBIDDEN = ("pyspark", "delta-spark", "databricks-connect")


def faults(folder: Path) -> list[str]:
    """Everything wrong with the wheel in *folder*."""
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        return [f"{folder} has {len(wheels)} wheels, expected one"]
    with zipfile.ZipFile(wheels[0]) as wheel:
        names = wheel.namelist()
        metadata = wheel.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    required = [line.split(":", 1)[1].strip() for line in metadata.splitlines() if line.startswith("Requires-Dist:")]
    found = [f"the wheel requires {line}" for line in required if line.lower().startswith(FORBIDDEN) and "extra ==" not in line]
    source = Path(__file__).parents[1] / "src"
    shipped = {
        str(path.relative_to(source)) for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }
    found += [f"the wheel lacks {name}" for name in sorted(shipped - set(names))]
    found += [f"the wheel ships {name}" for name in names if not name.startswith(("pincite/", "pincite-"))]
    return found


def main() -> int:
    found = faults(Path(sys.argv[1]))
    for fault in found:
        print(fault, file=sys.stderr)
    if not found:
        print("the wheel is complete and asks for nothing that a serverless session forbids")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
