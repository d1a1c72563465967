import { formatCount } from "@laconic/core/text";
import { storyModel, type ModelFile } from "@laconic/tasks/story-model";
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
  readonly multiple?: boolean;
  readonly disabled?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

export function Keep({ session: { state, send, fail } }: { session: SessionHandle }) {
  const name = `${state.settings.level}-seed-${state.settings.seed}-step-${state.step}`;
  const open = async (files: readonly File[]): Promise<void> => {
    for (const file of files.slice(0, 1)) send({ type: "import", archive: new Uint8Array(await file.arrayBuffer()) });
  };
  return (
    <Panel title="Take it with you">
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
      <p class="small">
        The zip is a run folder as the command line writes them. There it goes on from the step where you paused it, to
        the same bytes, and its report has every number:
      </p>
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
    <Panel title="Another run">
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
          Start over with it
        </Button>
      </form>
      <p class="soft small">
        {isSeed
          ? `Now: seed ${settings.seed} on ${device ?? "nothing yet"}. The same seed gives the same run, to the last bit, on every machine (WebAssembly).`
          : `A seed is a whole number from 0 to ${ranges.seed.max}.`}
      </p>
    </Panel>
  );
}

const { hub, revision, licence, checkpoint, tokenizer } = storyModel;
const [owner, modelName, ...below] = hub.split("/");
const repository = `https://huggingface.co/${owner}/${modelName}`;

/** Downloads the story model on request, or reads it from user files. */
export function ModelNeeded({ session: { send, fail } }: { session: SessionHandle }) {
  const [isFetching, setFetching] = useState(false);
  const give = async (files: readonly Promise<Uint8Array>[]): Promise<void> => {
    try {
      send({ type: "model", files: await Promise.all(files) });
    } catch (error) {
      fail("model", (error as Error).message);
    }
  };
  const open = (files: Iterable<File>): void => {
    const wanted = Array.from(files).filter(({ size }) => size === checkpoint.bytes || size === tokenizer.bytes);
    void give(wanted.map(async (file) => new Uint8Array(await file.arrayBuffer())));
  };
  const fetchAll = async (): Promise<void> => {
    setFetching(true);
    await give([checkpoint, tokenizer].map(fetched));
    setFetching(false);
  };
  return (
    <div
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        open(event.dataTransfer?.files ?? []);
      }}
    >
      <Panel title="The tellers speak with a language model of 260,000 weights">
        <p>
          It was trained on children&#39;s stories, is 1 MB, and is not part of this page. It is fetched once, from{" "}
          <a href={`${repository}/tree/${revision}/${below.join("/")}`} rel="noreferrer">
            huggingface.co/{owner}/{modelName}
          </a>{" "}
          (licence: {licence}), checked, and kept in this browser with the run.
        </p>
        <p class="line">
          <Button kind="primary" disabled={isFetching} onClick={() => void fetchAll()}>
            {isFetching ? "Fetching it" : "Fetch the model (1 MB)"}
          </Button>
          <FileButton text="Open its files" multiple onFiles={open} />
          <span class="soft small">or drop them here</span>
        </p>
        <details class="small">
          <summary>What is checked</summary>
          <ul>
            {[checkpoint, tokenizer].map((file) => (
              <li key={file.name} class="safe-text">
                {file.name}, {formatCount(file.bytes)} bytes, SHA-256 <span class="mono">{file.sha256}</span>
              </li>
            ))}
          </ul>
        </details>
      </Panel>
    </div>
  );
}

async function fetched(file: ModelFile): Promise<Uint8Array> {
  const address = `${repository}/resolve/${revision}/${[...below, file.name].join("/")}`;
  const reply = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer" }).catch(() => null);
  if (reply?.ok) return new Uint8Array(await reply.arrayBuffer());
  const reason = reply ? `says ${reply.status}` : "does not answer";
  throw new Error(
    `${file.name} cannot be fetched: huggingface.co ${reason}. Fetch it yourself from ${repository} and open the two files here.`,
  );
}
