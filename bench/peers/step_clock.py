"""Wall and CPU seconds of a step's parts, for the peers of step.ts."""

import contextlib
import resource
import time


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


class StepClock:
    """Counts only while `running`."""

    def __init__(self) -> None:
        self.running = False
        self.cpu = {"rollout": 0.0, "update": 0.0}
        self.wall = {"rollout": 0.0, "update": 0.0}

    def add(self, part: str, wall: float, cpu: float) -> None:
        if self.running:
            self.wall[part] += wall
            self.cpu[part] += cpu

    @contextlib.contextmanager
    def timed(self, part: str):
        wall, cpu = time.perf_counter(), cpu_seconds()
        yield
        self.add(part, time.perf_counter() - wall, cpu_seconds() - cpu)

    def result(self, side: str, completion_tokens: int, steps: int) -> dict:
        return {
            "side": side,
            "completionTokens": completion_tokens,
            "cpu": {part: total / steps for part, total in self.cpu.items()},
            "wall": {part: total / steps for part, total in self.wall.items()},
            "peakMiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
