import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useLevelId } from "./level.ts";
import type { SessionHandle } from "./use-session.ts";
import { ranges } from "./worker/settings.ts";

/** Starts a run with another seed. */
export function NewRun({ session }: { readonly session: SessionHandle }): JSX.Element {
  const id = useLevelId();
  const { settings, device } = session.state;
  const [seed, setSeed] = useState(String(settings.seed));
  const isSeed = /^\d{1,4}$/u.test(seed);
  return (
    <section class="panel" aria-labelledby={id("new-title")}>
      <h2 id={id("new-title")}>Another run</h2>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (isSeed) session.send({ type: "reset", settings: { ...settings, seed: Number(seed) } });
        }}
      >
        <label>
          Seed{" "}
          <input
            class="input"
            inputMode="numeric"
            size={5}
            value={seed}
            aria-invalid={!isSeed}
            onInput={({ currentTarget }) => setSeed(currentTarget.value)}
          />
        </label>
        <button class="button" type="submit" disabled={!isSeed || device === null}>
          Start over with it
        </button>
      </form>
      <p class="soft small">
        {isSeed
          ? `Now: seed ${settings.seed} on ${device ?? "nothing yet"}. The same seed gives the same run, to the last bit, on every machine (WebAssembly).`
          : `A seed is a whole number from 0 to ${ranges.seed.max}.`}
      </p>
    </section>
  );
}
