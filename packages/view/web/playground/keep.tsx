import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SessionHandle } from "./use-session.ts";
import { ranges, type PlaygroundDevice } from "./worker/settings.ts";

/** The run as a folder: taken away, brought back. */
export function Keep({ session }: { readonly session: SessionHandle }): JSX.Element {
  const { state, send } = session;
  const name = `relay-seed-${state.settings.seed}-step-${state.step}`;
  return (
    <section class="panel" aria-labelledby="keep-title">
      <h2 id="keep-title">Take it with you</h2>
      <p>{state.kept}</p>
      <p class="row">
        <button
          class="button"
          type="button"
          disabled={state.device === null || state.step === 0}
          onClick={() => send({ type: "export" })}
        >
          Export the run (.zip)
        </button>
        <label class="button file">
          Open an exported run
          <input
            type="file"
            accept=".zip,application/zip"
            disabled={state.device === null}
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              const read = file
                ?.arrayBuffer()
                .then((bytes) => send({ type: "import", archive: new Uint8Array(bytes) }));
              read?.catch((error: Error) => session.fail("import", `The file cannot be read: ${error.message}.`));
              currentTarget.value = "";
            }}
          />
        </label>
      </p>
      <p class="small">
        The zip is a run folder as the command line writes them. There it goes on from the step where you paused it, to
        the same bytes, and its report has every number:
      </p>
      <pre class="mono" tabIndex={0}>
        {`unzip ${name}.zip\nnpx laconic train --resume --run ${name}\nnpx laconic report ${name}`}
      </pre>
    </section>
  );
}

/** What a run is made of: another seed or device is another run. */
export function NewRun({ session }: { readonly session: SessionHandle }): JSX.Element {
  const { state } = session;
  const { settings } = state;
  const [seed, setSeed] = useState(String(settings.seed));
  const [device, setDevice] = useState<PlaygroundDevice>(settings.device);
  const isSeed = /^\d{1,4}$/u.test(seed);
  const hasGpu = "gpu" in navigator;
  return (
    <section class="panel" aria-labelledby="new-title">
      <h2 id="new-title">Another run</h2>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isSeed) return;
          const next = { ...settings, seed: Number(seed), device };
          if (device === settings.device) session.send({ type: "reset", settings: next });
          else session.replace(next);
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
        <label>
          Device{" "}
          <select
            class="select"
            value={device}
            onChange={({ currentTarget }) => setDevice(currentTarget.value as PlaygroundDevice)}
          >
            <option value="wasm">WebAssembly</option>
            <option value="webgpu" disabled={!hasGpu}>
              {hasGpu ? "WebGPU" : "WebGPU (this browser has none)"}
            </option>
          </select>
        </label>
        <button class="button" type="submit" disabled={!isSeed || state.device === null}>
          Start over with these
        </button>
      </form>
      <p class="soft small">
        {isSeed
          ? `Now: seed ${settings.seed} on ${state.device ?? "nothing yet"}. The same seed gives the same run, to the last bit, on every machine (WebAssembly).`
          : `A seed is a whole number from 0 to ${ranges.seed.max}.`}
      </p>
    </section>
  );
}
