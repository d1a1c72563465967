import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useLevelId } from "./level.ts";
import type { SessionHandle } from "./use-session.ts";
import { ranges, type PlaygroundDevice } from "./worker/settings.ts";

/** What a run is made of: another seed or device is another run. */
export function NewRun({ session }: { readonly session: SessionHandle }): JSX.Element {
  const id = useLevelId();
  const { state } = session;
  const { settings } = state;
  const [seed, setSeed] = useState(String(settings.seed));
  const [device, setDevice] = useState<PlaygroundDevice>(settings.device);
  const isSeed = /^\d{1,4}$/u.test(seed);
  return (
    <section class="panel" aria-labelledby={id("new-title")}>
      <h2 id={id("new-title")}>Another run</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isSeed) return;
          const next = { ...settings, seed: Number(seed), device };
          if (device === settings.device) session.send({ type: "reset", settings: next });
          else session.replace(next);
        }}
      >
        <fieldset class="devices">
          <legend>What it is computed on</legend>
          {(["wasm", "webgpu"] as const).map((each) => (
            <label key={each} class="choice">
              <input
                type="radio"
                name={id("device")}
                checked={device === each}
                disabled={each === "webgpu" && !session.adapter}
                onChange={() => setDevice(each)}
              />
              <span>
                {deviceNames[each]} <span class="soft small">{aboutDevice(each, session)}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <p class="row">
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
          <button class="button" type="submit" disabled={!isSeed || state.device === null}>
            Start over with these
          </button>
        </p>
      </form>
      <p class="soft small">
        {isSeed
          ? `Now: seed ${settings.seed} on ${state.device ?? "nothing yet"}. The same seed gives the same run, to the last bit, on every machine (WebAssembly).`
          : `A seed is a whole number from 0 to ${ranges.seed.max}.`}
      </p>
    </section>
  );
}

const deviceNames: Readonly<Record<PlaygroundDevice, string>> = { wasm: "WebAssembly", webgpu: "WebGPU" };

function aboutDevice(device: PlaygroundDevice, { adapter }: SessionHandle): string {
  if (device === "wasm") return "";
  if (adapter === undefined) return "being looked for";
  if (adapter === null) return "this browser has none";
  return `${adapter.name || "an adapter without a name"}${adapter.isSoftware ? ", which computes on the processor: very slow" : ""}`;
}
