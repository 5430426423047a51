# SPDX-License-Identifier: Apache-2.0
"""What Chisel recorded for one test: a line of JSON for each check of an op of the compiled program against its golden.

`--enable-chisel` of upstream's tests writes them. They are read and never written; sizes and counts have limits, and
links are not followed.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from core.base.checked_numbers import finite
from core.base.files import read_bytes
from core.ops.op_by_op import OpByOpResult, Operand, chisel_file, dtype_name

_GOOD = frozenset({"ok", "skipped_numerics", "no_golden", "golden_promoted", "golden_evicted"})
"""Statuses that Chisel itself does not treat as failures."""
_COMPARED = frozenset({"ok", "numerics_fail"})
_MOST_BYTES = 64 * 2**20
_MOST_RESULTS = 20_000
_MOST_TEXT = 300
_TYPES = re.compile(r":\s*\((?P<types>[^)]{0,20000})\)\s*->")
_TENSOR = re.compile(r"tensor<(?P<shape>(?:\d+x)*)(?P<dtype>[a-zA-Z]\w{0,40})")
_NUMBERS = {"pcc": "PCC", "atol": "atol", "rtol": "rtol"}


def read_chisel(root: Path, node_id: str) -> tuple[OpByOpResult, ...]:
    """What Chisel wrote in the checkout at `root` of the test with that node id; none where it wrote nothing.

    A line that only records what Chisel did with its goldens is not a result.
    """
    name = chisel_file(node_id)
    file = root / name
    if file.is_symlink() or file.parent.is_symlink() or not file.is_file() or file.stat().st_size > _MOST_BYTES:
        return ()
    return tuple(_results(read_bytes(file, _MOST_BYTES), name))


def _results(data: bytes, name: str) -> Iterator[OpByOpResult]:
    count = 0
    for line in data.splitlines():
        found = _result(line, name)
        if found is not None:
            yield found
            count += 1
            if count == _MOST_RESULTS:
                return


def _result(line: bytes, name: str) -> OpByOpResult | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    payload = record.get("payload") if isinstance(record, dict) else None
    if not isinstance(payload, dict) or not isinstance(status := payload.get("status"), str):
        return None
    if status in _GOOD and status not in _COMPARED:
        return None
    op, text = record.get("op"), record.get("op_asm")
    return OpByOpResult(
        op=str(op or "")[:_MOST_TEXT],
        model="",
        inputs=operands_of(text) if isinstance(text, str) else (),
        passed=status in _GOOD,
        message=_message(status, str(record.get("check") or ""), payload)[:_MOST_TEXT],
        file=name,
    )


def _message(status: str, check: str, payload: Mapping[str, object]) -> str:
    """`isolated: PCC 0.99, atol 0.01, rtol 0.02`, preceded by the status if that is a failure."""
    numbers = ((title, finite(payload.get(name))) for name, title in _NUMBERS.items())
    said = ", ".join(f"{title} {value:.6g}" for title, value in numbers if value is not None)
    mode = payload.get("mode")
    words = [*([] if status in _GOOD else [status]), *([mode] if isinstance(mode, str) else [check])]
    return f"{' '.join(filter(None, words))}{f': {said}' if said else ''}"


def operands_of(text: str) -> tuple[Operand, ...]:
    """The tensors that an op takes, from its type in MLIR: `(tensor<2x3xbf16, #layout>) -> ...`."""
    types = _TYPES.search(text)
    return tuple(
        Operand(tuple(int(part) for part in match["shape"].split("x") if part), dtype_name(match["dtype"]))
        for match in _TENSOR.finditer(types["types"] if types else "")
    )
