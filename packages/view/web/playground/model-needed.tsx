import { formatCount } from "@laconic/core/text";
import { storyModel, type ModelFile } from "@laconic/tasks/story-model";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SessionHandle } from "./use-session.ts";

const { hub, revision, licence, checkpoint, tokenizer } = storyModel;
const [owner, name, ...below] = hub.split("/");
const repository = `https://huggingface.co/${owner}/${name}`;
const addressOf = (file: ModelFile): string => `${repository}/resolve/${revision}/${[...below, file.name].join("/")}`;

/** The story model comes when somebody asks for it, or from files of the visitor's own. */
export function ModelNeeded({ session }: { readonly session: SessionHandle }): JSX.Element {
  const [isFetching, setFetching] = useState(false);
  const [isOver, setOver] = useState(false);
  const give = (files: readonly Uint8Array[]): void => session.send({ type: "model", files });
  const fail = (error: unknown): void => session.fail("model", (error as Error).message);
  const read = async (files: Iterable<File>): Promise<void> => {
    const wanted = Array.from(files).filter(({ size }) => size === checkpoint.bytes || size === tokenizer.bytes);
    give(await Promise.all(wanted.map(async (file) => new Uint8Array(await file.arrayBuffer()))));
  };
  const fetchAll = async (): Promise<void> => {
    setFetching(true);
    try {
      give(await Promise.all([checkpoint, tokenizer].map(fetched)));
    } finally {
      setFetching(false);
    }
  };
  return (
    <section
      class={isOver ? "panel model-needed over" : "panel model-needed"}
      aria-labelledby="model-title"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        read(event.dataTransfer?.files ?? []).catch(fail);
      }}
    >
      <h2 id="model-title">The tellers speak with a language model of 260,000 weights</h2>
      <p>
        It was trained on children&#39;s stories, is 1 MB, and is not part of this page. It is fetched once, from{" "}
        <a href={`${repository}/tree/${revision}/${below.join("/")}`} rel="noreferrer">
          huggingface.co/{owner}/{name}
        </a>{" "}
        (licence: {licence}), checked, and kept in this browser with the run.
      </p>
      <p class="row">
        <button class="button primary" type="button" disabled={isFetching} onClick={() => void fetchAll().catch(fail)}>
          {isFetching ? "Fetching it" : "Fetch the model (1 MB)"}
        </button>
        <label class="button file">
          Open its files
          <input
            type="file"
            multiple
            onChange={({ currentTarget }) => {
              read(currentTarget.files ?? []).catch(fail);
              currentTarget.value = "";
            }}
          />
        </label>
        <span class="soft small">or drop them here</span>
      </p>
      <details class="small">
        <summary>What is checked</summary>
        <ul>
          {[checkpoint, tokenizer].map((file) => (
            <li key={file.name} class="checksum">
              {file.name}, {formatCount(file.bytes)} bytes, SHA-256 <span class="mono">{file.sha256}</span>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}

async function fetched(file: ModelFile): Promise<Uint8Array> {
  const instead = `Fetch it yourself from ${repository} and open the two files here.`;
  const reply = await fetch(addressOf(file), { credentials: "omit", referrerPolicy: "no-referrer" }).catch(() => null);
  if (reply === null) throw new Error(`${file.name} cannot be fetched: huggingface.co does not answer. ${instead}`);
  if (!reply.ok) throw new Error(`${file.name} cannot be fetched: huggingface.co says ${reply.status}. ${instead}`);
  return new Uint8Array(await reply.arrayBuffer());
}
