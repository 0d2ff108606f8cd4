"""The shape of the source, checked by reading it: sizes, names, imports, languages, inline code.

Each check takes the root of a source tree and returns complaints, one sentence each.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

APPS = ("config", "tickets", "diagnostics", "fleet")
FILE_LINES, FUNCTION_LINES, ADAPTER_LINES, TEMPLATE_LINES = 300, 40, 15, 60
ADAPTERS = {"views.py", "tasks.py"}
REFUSED_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}
# Sent to nodes whole, so it cannot be split.
MAY_BE_LONG = {"diagnostics/nodekit/halfhour_probe.py"}
CHINESE = re.compile(r"[\u3400-\u9fff]")
# Proper names in their own script: of the languages, of the people and firms of the drill.
MAY_HOLD_CHINESE = {
    "config/settings.py",
    "templates/parts/switches.html",
    "fleet/simulator/demo.py",
    "fleet/simulator/sites.py",
}
INLINE_CODE = re.compile(r"<script(?![^>]*\bsrc=)|\son[a-z]+=|\sstyle=|javascript:", re.IGNORECASE)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_files(root: Path) -> Iterator[Path]:
    """Our own modules: no migrations, no tests."""
    for app in APPS:
        for path in sorted((root / app).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


def templates(root: Path) -> Iterator[Path]:
    for pattern in ("*.html", "*.txt"):
        yield from sorted((root / "templates").rglob(pattern))


def trees(root: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in python_files(root):
        yield path, ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def _functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def _lines(node: Function) -> int:
    """Lines from `def` to the end, its docstring not counted."""
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines


def long_files(root: Path) -> list[str]:
    complaints = []
    for paths, most in ((python_files(root), FILE_LINES), (templates(root), TEMPLATE_LINES)):
        for path in paths:
            count = len(path.read_text(encoding="utf-8").splitlines())
            name = path.relative_to(root).as_posix()
            if count > most and name not in MAY_BE_LONG:
                complaints.append(f"{name} has {count} lines, at most {most}")
    return complaints


def long_functions(root: Path) -> list[str]:
    complaints = []
    for path, tree in trees(root):
        most = ADAPTER_LINES if path.name in ADAPTERS else FUNCTION_LINES
        for node in _functions(tree):
            if _lines(node) > most:
                place = f"{path.relative_to(root)}:{node.lineno} {node.name}"
                complaints.append(f"{place} has {_lines(node)} lines, at most {most}")
    return complaints


def refused_names(root: Path) -> list[str]:
    return [
        f"{path.relative_to(root)}: the name says nothing"
        for path in python_files(root)
        if REFUSED_NAMES & {path.stem, path.parent.name}
    ]


def missing_docstrings(root: Path) -> list[str]:
    return [
        f"{path.relative_to(root)} does not say what it is for"
        for path, tree in trees(root)
        if tree.body and not ast.get_docstring(tree)
    ]


def hidden_imports(root: Path) -> list[str]:
    """Our own modules imported inside a function: a cycle somebody dodged."""
    complaints = []
    for path, tree in trees(root):
        for function in _functions(tree):
            if function.name == "ready":  # AppConfig.ready, where Django asks for it
                continue
            for node in ast.walk(function):
                names = _imported(node)
                if any(name.split(".")[0] in APPS for name in names):
                    place = f"{path.relative_to(root)}:{node.lineno}"  # type: ignore[attr-defined]
                    complaints.append(f"{place} imports {', '.join(names)} inside a function")
    return complaints


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or "."]
    return []


def hidden_logic(root: Path) -> list[str]:
    """Logic in `save()` or in signal receivers, which nobody calls by name."""
    complaints = []
    for path, tree in trees(root):
        for node in ast.walk(tree):
            names = _imported(node)
            if any(name.startswith("django.db.models.signals") for name in names):
                complaints.append(f"{path.relative_to(root)} listens to model signals")
            if isinstance(node, Function) and node.name == "save" and path.name == "models.py":
                complaints.append(f"{path.relative_to(root)}:{node.lineno} overrides save()")
    return complaints


def _spoken(path: Path) -> str:
    """What the program may show: a module's strings without its docstrings; other files whole."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text
    tree = ast.parse(text)
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return "\n".join(str(node.value) for node in strings if id(node) not in silent)


def chinese_in_source(root: Path) -> list[str]:
    scripts = sorted((root / "static").rglob("*.js"))
    return [
        f"{path.relative_to(root)} shows Chinese; it belongs in locale/ or the catalogue"
        for path in [*python_files(root), *templates(root), *scripts]
        if path.relative_to(root).as_posix() not in MAY_HOLD_CHINESE
        and CHINESE.search(_spoken(path))
    ]


def inline_code(root: Path) -> list[str]:
    """What the content security policy would refuse anyway."""
    return [
        f"{path.relative_to(root)} has inline script or style: {found.group(0).strip()}"
        for path in templates(root)
        if (found := INLINE_CODE.search(path.read_text(encoding="utf-8")))
    ]


CHECKS = (
    long_files,
    long_functions,
    refused_names,
    missing_docstrings,
    hidden_imports,
    hidden_logic,
    chinese_in_source,
    inline_code,
)
