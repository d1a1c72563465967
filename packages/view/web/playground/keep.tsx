import { useState } from "preact/hooks";
import { Button, Panel } from "../parts/elements.tsx";
import type { SessionHandle } from "./use-session.ts";
import { ranges } from "./worker/settings.ts";

function FileButton({ text, ...rest }: FileButtonProps) {
  const { onFiles, ...input } = rest;
  return (
    <label class="button file">
      {text}
      <input
        type="file"
        {...input}
        onChange={({ currentTarget }) => {
          onFiles(Array.from(currentTarget.files ?? []));
          currentTarget.value = "";
        }}
      />
    </label>
  );
}

interface FileButtonProps {
  readonly text: string;
  readonly accept?: string;
  readonly disabled?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

export function Keep({ session: { state, send, fail } }: { session: SessionHandle }) {
  const name = `${state.settings.level}-seed-${state.settings.seed}-step-${state.step}`;
  const open = async (files: readonly File[]): Promise<void> => {
    for (const file of files.slice(0, 1)) send({ type: "import", archive: new Uint8Array(await file.arrayBuffer()) });
  };
  return (
    <Panel title="Export">
      <p>{state.keeping.words}</p>
      <p class="line">
        <Button disabled={state.device === null || state.step === 0} onClick={() => send({ type: "export" })}>
          Export the run (.zip)
        </Button>
        <FileButton
          text="Open an exported run"
          accept=".zip,application/zip"
          disabled={state.device === null}
          onFiles={(files) =>
            void open(files).catch((error: Error) => fail("import", `The file cannot be read: ${error.message}.`))
          }
        />
      </p>
      <p class="small">The zip contains a run folder. The command line resumes it to equal bytes:</p>
      <pre class="mono" tabIndex={0}>
        {`unzip ${name}.zip\nnpx @laconic/cli train --resume --run ${name}\nnpx @laconic/cli view report ${name}`}
      </pre>
    </Panel>
  );
}

export function NewRun({ session: { state, send } }: { session: SessionHandle }) {
  const { settings, device } = state;
  const [seed, setSeed] = useState(String(settings.seed));
  const isSeed = /^\d{1,4}$/u.test(seed);
  return (
    <Panel title="New run">
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault();
          if (isSeed) send({ type: "reset", settings: { ...settings, seed: Number(seed) } });
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
        <Button type="submit" disabled={!isSeed || device === null}>
          Start with this seed
        </Button>
      </form>
      <p class="soft small">
        {isSeed
          ? `Current run: seed ${settings.seed} on ${device ?? "no device"}. Equal seeds give equal bytes on every machine (WebAssembly).`
          : `Seed: expected an integer from 0 to ${ranges.seed.max}.`}
      </p>
    </Panel>
  );
}
