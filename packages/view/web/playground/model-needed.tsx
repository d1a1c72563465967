import { formatCount } from "@laconic/core/text";
import { storyModel, type ModelFile } from "@laconic/tasks/story-model";
import { useState } from "preact/hooks";
import { Button, Panel } from "../parts/elements.tsx";
import { FileButton } from "./keep.tsx";
import type { SessionHandle } from "./use-session.ts";

const { hub, revision, licence, checkpoint, tokenizer } = storyModel;
const [owner, name, ...below] = hub.split("/");
const repository = `https://huggingface.co/${owner}/${name}`;

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
            huggingface.co/{owner}/{name}
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
