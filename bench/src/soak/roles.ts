import { existsSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { runFiles } from "@laconic/core/run-folder";
import { pause, type Role } from "./actor.ts";
import { rowsIn } from "./watched.ts";

const questions = 100;
const methods = ["vanilla", "sc"] as const;

/** Steps of a run's rows that are missing, or stand there twice; a last line that is cut is none. */
export function wrongSteps(run: string): string[] {
  const steps = stepsOf(run);
  const first = steps[0] ?? 1;
  return steps.flatMap((step, i) => (step === first + i ? [] : [`row ${i + 1} is of step ${step}, not ${first + i}`]));
}

/** The last step of a run's rows. */
export function stepsIn(run: string): number {
  return stepsOf(run).at(-1) ?? 0;
}

function stepsOf(run: string): number[] {
  return rowsIn<{ readonly step: number }>(join(run, runFiles.metrics)).map(({ step }) => step);
}

/** The quickstart with a small batch, without end, and a checkpoint every few steps. */
export function trainer(run: string): Role {
  const settings = ["workers=1", "train.steps=1000000", "train.problemsPerStep=2", "train.episodesPerProblem=2"];
  const saves = ["train.evaluation.problems=10", "train.evaluation.every=20", "train.checkpoint.every=3"];
  const fresh = ["train", "preset:relay-quickstart", "--device", "wasm", "--run", run, ...settings, ...saves];
  const isBegun = (): boolean => existsSync(join(run, runFiles.checkpoints, "LATEST"));
  return {
    name: "train",
    // Killed before its first checkpoint, there is nothing to resume: it says so, and is started with the same words.
    words: () => (isBegun() ? ["train", "--resume", "--run", run] : fresh),
    everySeconds: 40,
    check: (tell) => wrongSteps(run).forEach(tell),
  };
}

/** Benches one after the other, on a server of this process. */
export async function bench(folder: string): Promise<{ readonly role: Role; readonly server: Server; done(): number }> {
  const data = join(folder, "questions.jsonl");
  const row = (_: unknown, i: number): string => JSON.stringify({ question: `What is ${i} + 1?`, gold: String(i + 1) });
  writeFileSync(data, Array.from({ length: questions }, row).join("\n"));
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      const choices = [{ finish_reason: "stop", message: { content: "#### 7" } }];
      const body = JSON.stringify({ choices, usage: { prompt_tokens: 9, completion_tokens: 5 } });
      setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end(body), 300);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  let whole = 0;
  const current = (): string => join(folder, "runs", `bench-${whole}`);
  const asks = ["--data", data, "--grading", "numeric", "--methods", methods.join(), "--model", "fake"];
  const role: Role = {
    name: "bench",
    words: () => [
      "bench",
      ...(existsSync(join(current(), "bench.json")) ? ["--resume"] : []),
      "--run",
      current(),
      ...asks,
      "--base-url",
      url,
      "--concurrency",
      "4",
    ],
    everySeconds: 30,
    check(tell) {
      const rows = rowsIn<Record<string, string | number>>(join(current(), "samples.jsonl"));
      const keys = rows.map(({ problem, method, repeat }) => `${method} ${problem} ${repeat}`);
      if (new Set(keys).size < keys.length) tell(`${current()} has a sample twice`);
      const isWhole = existsSync(join(current(), "report.md")) && keys.length >= questions * methods.length;
      if (isWhole) whole += 1;
    },
  };
  return { role, server, done: () => whole };
}

/** Reads the list and each run every second. */
export function view(runs: string): Role {
  return {
    name: "view",
    words: () => ["view", runs, "--port", "0"],
    everySeconds: 200,
    async use(running, signal, tell) {
      const address = await running.saysAddress();
      const read = async (path: string): Promise<unknown> => {
        const response = await fetch(`${address}${path}`, { signal });
        if (!response.ok) tell(`${path}: status ${response.status}`);
        return response.json();
      };
      while (!signal.aborted) {
        for (const { id } of (await read("/api/runs")) as { readonly id: string }[]) await read(`/api/runs/${id}`);
        await pause(1000, signal);
      }
    },
  };
}

/** Asks for the same greedy reply again and again. */
export function serve(): Role {
  let text: string | undefined;
  const body = JSON.stringify({ model: "relay-one-fact", prompt: "f", max_tokens: 8, temperature: 0 });
  const ask = { method: "POST", headers: { "content-type": "application/json" }, body };
  return {
    name: "serve",
    words: () => ["serve", "shipped", "--port", "0", "--device", "wasm"],
    everySeconds: 200,
    async use(running, signal, tell) {
      const address = await running.saysAddress();
      while (!signal.aborted) {
        const response = await fetch(`${address}/v1/completions`, { ...ask, signal });
        const { choices } = (await response.json()) as { readonly choices?: readonly { readonly text: string }[] };
        text ??= choices?.[0]?.text;
        if (text === undefined || choices?.[0]?.text !== text) tell(`status ${response.status}: another reply`);
        await pause(500, signal);
      }
    },
  };
}
