import type { ComponentChildren } from "preact";
import type { MetricInfo } from "../../../src/protocol.ts";
import { Button } from "../../parts/elements.tsx";
import { visibleLine } from "../../parts/safe-text.ts";
import { keptStore, useStore } from "../../parts/store.ts";
import { sectionsOf } from "./metrics.ts";

const [pins, closed] = [keptStore("laconic-pinned-curves"), keptStore("laconic-closed-sections")];

const namesIn = (text: string): readonly string[] => text.split("\n").filter((name) => name !== "");

function toggled(text: string, name: string): string {
  const names = namesIn(text);
  return (names.includes(name) ? names.filter((other) => other !== name) : [...names, name]).join("\n");
}

export function PinButton({ metric }: { metric: string }) {
  const isPinned = namesIn(useStore(pins)).includes(metric);
  return (
    <Button
      kind="small"
      aria-pressed={isPinned}
      aria-label={`Pin ${visibleLine(metric, 80)}`}
      onClick={() => pins.set(toggled(pins.get(), metric))}
    >
      {isPinned ? "Pinned" : "Pin"}
    </Button>
  );
}

interface SectionsProps {
  readonly metrics: readonly MetricInfo[];
  readonly children: (metric: MetricInfo) => ComponentChildren;
}

export function Sections({ metrics, children }: SectionsProps) {
  const hidden = namesIn(useStore(closed));
  return (
    <>
      {sectionsOf(metrics, namesIn(useStore(pins))).map(({ name, metrics: shown }) => (
        <details
          key={name}
          class="curve-section"
          open={!hidden.includes(name)}
          onToggle={({ currentTarget: { open } }) =>
            open === namesIn(closed.get()).includes(name) && closed.set(toggled(closed.get(), name))
          }
        >
          <summary>
            <h2>{visibleLine(name, 80)}</h2> <span class="soft small">{shown.length}</span>
          </summary>
          <div class="charts">{shown.map(children)}</div>
        </details>
      ))}
    </>
  );
}
