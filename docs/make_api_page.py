"""Writes docs/api.md from the docstrings of the public names: `python docs/make_api_page.py`."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import NoisyLabelSegLib
from NoisyLabelSegLib.cases.estimates import Estimate
from NoisyLabelSegLib.fusion import Fusion

PAGE = Path(__file__).parent / "api.md"
RETURNED = {"Fusion": Fusion, "Estimate": Estimate}
"""Classes of results that are described beside the public names."""

HEADER = """# Python API

Made by `python docs/make_api_page.py` from the docstrings; every example runs as a test. Importing the package loads
neither PyTorch, VTK nor Qt.

```python
from NoisyLabelSegLib import Study, Case, fuse, fuse_study, train, load_model, review_study, evaluate, simulate
```

Arrays have their axes in the order z, y, x. Labels are `uint8`, 0 is background; a confusion matrix has entry i, j =
p(label i | true class j), so its columns sum to one.
"""


def page() -> str:
    """The whole page, the functions first."""
    public = {name: getattr(NoisyLabelSegLib, name) for name in NoisyLabelSegLib.__all__}
    entries = {**dict(sorted(public.items(), key=lambda item: inspect.isclass(item[1]))), **RETURNED}
    return HEADER + "".join(_entry(name, value) for name, value in entries.items())


def _entry(name: str, value: object) -> str:
    signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(value)))  # type: ignore[arg-type]
    signature = re.sub(r"\b(?:NoisyLabelSegLib|pathlib|collections\.abc|typing)(?:\.\w+)*\.(\w+)", r"\1", signature)
    return f"\n## {name}\n\n```text\n{name}{signature}\n```\n\n{_body(inspect.getdoc(value) or '')}\n"


def _body(doc: str) -> str:
    """numpydoc sections as Markdown: parameters become a list, the example a code block."""
    parts = re.split(r"^(\w+)\n-+\n", doc, flags=re.MULTILINE)
    text = [parts[0].strip()]
    for title, content in zip(parts[1::2], parts[2::2], strict=True):
        text.append(f"**{title}**")
        if title == "Examples":
            text.append(f"```text\n{content.strip()}\n```")
            continue
        items = re.split(r"^(?=\S)", content.strip(), flags=re.MULTILINE)
        text.append("\n".join(_item(item) for item in items if item.strip()))
    return "\n\n".join(text)


def _item(item: str) -> str:
    name, _, rest = item.partition("\n")
    words = " ".join(rest.split())
    return f"- `{name.strip()}`: {words}" if words else f"- `{name.strip()}`"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
