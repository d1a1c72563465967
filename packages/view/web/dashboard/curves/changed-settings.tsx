import type { ChangesOfStep } from "../../../src/protocol.ts";
import { counted } from "@laconic/core/text";
import { SafeLine } from "../../parts/text.tsx";

/** Changes that are listed without being asked for. */
const shown = 4;

/** What was set otherwise while the run went on: dashed lines in the charts, and here in words. */
export function ChangedSettings({ changes }: { readonly changes: readonly ChangesOfStep[] }) {
  if (changes.length === 0) return null;
  return (
    <section class="notice" aria-label="Settings that changed">
      <p class="small">Dashed lines stand where settings were changed:</p>
      <List changes={changes.slice(0, shown)} />
      {changes.length > shown && (
        <details>
          <summary>{counted(changes.length - shown, "more change")}</summary>
          <List changes={changes.slice(shown, 200)} />
        </details>
      )}
    </section>
  );
}

function List({ changes }: { readonly changes: readonly ChangesOfStep[] }) {
  return (
    <ul class="small">
      {changes.map(({ step, text }) => (
        <li key={step}>
          from step {step} on: <SafeLine text={text} max={300} />
        </li>
      ))}
    </ul>
  );
}
