import { formatNumber } from "@laconic/core/text";
import type { RunDetail } from "../../../src/protocol.ts";
import { Button } from "../../parts/elements.tsx";
import { SafeText } from "../../parts/text.tsx";
import { setQuery } from "../navigation.ts";
import { Notices } from "../parts.tsx";

interface RunEvent {
  /** Null for the whole run. */
  readonly step: number | null;
  readonly text: string;
  readonly isWarning: boolean;
}

function eventsOf({ warnings, warnedAt, changes }: RunDetail): readonly RunEvent[] {
  return [
    ...warnings.map((text): RunEvent => ({ step: warnedAt[text] ?? null, text, isWarning: true })),
    ...changes.map(({ step, text }): RunEvent => ({ step, text, isWarning: false })),
  ].toSorted((a, b) => (a.step ?? -1) - (b.step ?? -1));
}

/** Positions of events: first step at or after each. */
export function placesOfEvents(detail: RunDetail, steps: readonly number[]): readonly number[] {
  const places = eventsOf(detail).map(({ step }) => (step === null ? -1 : steps.findIndex((each) => each >= step)));
  return [...new Set(places)].filter((place) => place >= 0);
}

/** Warnings and setting changes by step; later ones are faint. */
export function Events({ detail, step: shown }: { detail: RunDetail; step: number }) {
  const events = eventsOf(detail);
  if (events.length === 0) return null;
  return (
    <section class={`events notice ${detail.warnings.length > 0 ? "warn" : ""}`} aria-label="Warnings and changes">
      <Notices all={events}>
        {({ step, text, isWarning }) => (
          <li key={`${step} ${text}`} class={step !== null && step > shown ? "soft" : ""}>
            {step !== null && (
              <Button kind="small" onClick={() => setQuery({ step: String(step) })}>
                Step {formatNumber(step)}
              </Button>
            )}{" "}
            {isWarning ? "" : "Changed: "}
            <SafeText text={text} max={600} />
          </li>
        )}
      </Notices>
    </section>
  );
}
