import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { raggedRow, type ObjectiveInput, type Ragged } from "@laconic/core";
import { findPython } from "@laconic/core/platform";

const script = fileURLToPath(new URL("trl_parity.py", import.meta.url));

/** Log-probs with a reference and a mask: all inputs of a case. */
export type TrlBatch = ObjectiveInput & { readonly refLogProbs: Ragged; readonly mask: Uint8Array };

/** Attributes of GRPOTrainer and its arguments; the script sets the others. */
export type TrlSettings = Readonly<Record<string, string | number | boolean>>;

export interface TrlRequest {
  readonly name: string;
  readonly settings: TrlSettings;
  readonly batch: TrlBatch;
}

export interface TrlResult {
  readonly loss: number;
  /** d loss / d log π, one list per sequence. */
  readonly gradient: readonly (readonly number[])[];
  readonly metrics: Readonly<Record<string, number>>;
}

export type TrlReply =
  | { readonly trl: string; readonly torch: string; readonly results: Readonly<Record<string, TrlResult>> }
  | { readonly missing: string };

/** Evaluates each request with TRL's loss. Missing Python or packages give a reply; other failures reject. */
export async function askTrl(requests: readonly TrlRequest[]): Promise<TrlReply> {
  // Prevents network access by libraries.
  const env = { ...process.env, HF_HUB_OFFLINE: "1", TRANSFORMERS_OFFLINE: "1", HF_HUB_DISABLE_TELEMETRY: "1" };
  const child = spawn(findPython(), [script], { env, stdio: "pipe" });
  const [output, errors] = [collect(child.stdout), collect(child.stderr)];
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  // A missing or crashed interpreter closes the pipe; `exit` reports why.
  child.stdin.on("error", () => undefined);
  child.stdin.end(JSON.stringify(requests.map((request) => ({ ...request, batch: plain(request.batch) }))));
  try {
    const code = await exit;
    if (code !== 0) throw new Error(`${script} ended with ${code}:\n${await errors}`);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      return { missing: `Python at ${findPython()}` };
    throw error;
  }
  // Libraries may print before the script; its reply is the last line.
  return JSON.parse((await output).trimEnd().split("\n").at(-1) ?? "") as TrlReply;
}

async function collect(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk.toString();
  return text;
}

function plain({ logProbs, oldLogProbs, refLogProbs, mask, advantages }: TrlBatch): Record<string, unknown> {
  const rows = (data: Ragged): number[][] =>
    Array.from({ length: data.offsets.length - 1 }, (_, s) => [...raggedRow(data, s)]);
  return {
    log_probs: rows(logProbs),
    old_log_probs: rows(oldLogProbs),
    ref_log_probs: rows(refLogProbs),
    mask: rows({ values: Float64Array.from(mask), offsets: logProbs.offsets }),
    advantages: [...advantages],
  };
}
