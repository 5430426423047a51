# SPDX-License-Identifier: Apache-2.0
"""Names of numbers of performance, those of runs here and of upstream's reports, and which way is better."""

_MORE_IS_BETTER = (
    *("sample", "token", "tps", "throughput", "accuracy", "pcc", "top1", "top5", "per_s", "score", "utilization"),
)
_LESS_IS_BETTER = ("ttft", "time", "duration", "latency", "memory", "dram", "peak", "compile", "overhead", "atol")
_SECONDS = ("_s", " s", "_ms", " ms")
_COUNTS = ("total_samples", "num_", "count", "iteration")


def better(metric: str) -> int:
    """1 if more of it is better, -1 if less is, 0 if nobody knows."""
    name = metric.lower()
    if name.startswith(_COUNTS):
        return 0
    if any(word in name for word in _MORE_IS_BETTER):
        return 1
    return -1 if name.endswith(_SECONDS) or any(word in name for word in _LESS_IS_BETTER) else 0
