import type { RunDetail } from "../../../src/protocol.ts";
import { formatNumber } from "@laconic/core/text";
import { SafeText } from "../../parts/text.tsx";
import { setQuery } from "../navigation.ts";
import { Notices } from "../parts.tsx";

interface RunEvent {
  /** Null for what holds of the whole run. */
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

/** Where among steps something is told: the first step that is not earlier. */
export function placesOfEvents(detail: RunDetail, steps: readonly number[]): readonly number[] {
  const places = eventsOf(detail).map(({ step }) => (step === null ? -1 : steps.findIndex((each) => each >= step)));
  return [...new Set(places)].filter((place) => place >= 0);
}

/** Warnings, and settings that were changed, each at its step: those of later steps than the one that is shown are faint. */
export function Events({ detail, step }: { readonly detail: RunDetail; readonly step: number }) {
  const events = eventsOf(detail);
  if (events.length === 0) return null;
  return (
    <section class={`events notice ${detail.warnings.length > 0 ? "warn" : ""}`} aria-label="Warnings and changes">
      <Notices all={events}>{(event) => <Event key={`${event.step} ${event.text}`} event={event} at={step} />}</Notices>
    </section>
  );
}

function Event({ event: { step, text, isWarning }, at }: { readonly event: RunEvent; readonly at: number }) {
  return (
    <li class={step !== null && step > at ? "later" : ""}>
      {step !== null && (
        <button type="button" class="button small" onClick={() => setQuery({ step: String(step) })}>
          Step {formatNumber(step)}
        </button>
      )}{" "}
      {isWarning ? "" : "Changed: "}
      <SafeText text={text} max={600} />
    </li>
  );
}
