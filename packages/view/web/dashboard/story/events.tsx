import type { RunDetail } from "../../../src/protocol.ts";
import { formatNumber } from "@laconic/core/text";
import { SafeText } from "../../parts/text.tsx";
import { setQuery } from "../navigation.ts";

interface RunEvent {
  /** Null for what holds of the whole run. */
  readonly step: number | null;
  readonly text: string;
  readonly isWarning: boolean;
}

const shownAtOnce = 5;

/** Warnings, and settings that were changed, each at its step: those of later steps than the one that is shown are faint. */
export function Events({ detail, step }: { readonly detail: RunDetail; readonly step: number }) {
  const { warnings, warnedAt, changes } = detail;
  const events = [
    ...warnings.map((text): RunEvent => ({ step: warnedAt[text] ?? null, text, isWarning: true })),
    ...changes.map(({ step: from, text }): RunEvent => ({ step: from, text, isWarning: false })),
  ].toSorted((a, b) => (a.step ?? -1) - (b.step ?? -1));
  if (events.length === 0) return null;
  return (
    <section class={`events notice ${warnings.length > 0 ? "warn" : ""}`} aria-label="Warnings and changes">
      <ul>
        {events.slice(0, shownAtOnce).map((event, i) => (
          <Event key={i} event={event} at={step} />
        ))}
      </ul>
      {events.length > shownAtOnce && (
        <details>
          <summary>{events.length - shownAtOnce} more</summary>
          <ul>
            {events.slice(shownAtOnce, 200).map((event, i) => (
              <Event key={i} event={event} at={step} />
            ))}
          </ul>
        </details>
      )}
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
