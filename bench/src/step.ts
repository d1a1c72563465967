// Compares one GSPO step (rollout, update) with TRL's GRPOTrainer and with plain PyTorch and transformers. All sides
// use the same checkpoint, prompts, reply lengths, learning rate and OpenMP settings, in turns. Needs Python with trl:
// LACONIC_PYTHON or .venv.
//
// npx tsx bench/src/step.ts [--sizes 0.1M,4.7M] [--threads 1,2] [--sides cpu,wasm,wasm-fma,trl,transformers] [--rounds 2] [--steps 1] [--warm-up 0]
import { machine, print, round3 } from "./measure.ts";
import { peer, runOurs, wasmFlags } from "./processes.ts";
import type { StepJob, StepResult, StepSeconds } from "./step/job.ts";
import { jobOf, resultOf, threadsEnvironment, withCheckpoint } from "./step/prepare.ts";
import { readOptions } from "./options.ts";

const peers = { trl: "trl_step.py", transformers: "transformers_step.py" } as const;
const { values: given } = readOptions({
  options: {
    sizes: { type: "string", default: "0.1M,4.7M,28M,0.5B/4" },
    threads: { type: "string", default: "1,2" },
    sides: { type: "string", default: "cpu,wasm,wasm-fma,trl,transformers" },
    rounds: { type: "string", default: "2" },
    /** Default: per size. */
    steps: { type: "string" },
    "warm-up": { type: "string" },
  },
});
const sides = given.sides.split(",");
const rounds = Number(given.rounds);

const engine = { node: process.version, flags: wasmFlags.join(" ") };
print("machine", { ...machine(), ...engine });
for (const name of given.sizes.split(","))
  await withCheckpoint(name, {}, (known, checkpoint, parameters) => {
    const [steps, warmUp] = [Number(given.steps ?? known.steps), Number(given["warm-up"] ?? known.warmUp)];
    for (const threads of given.threads.split(",").map(Number))
      compare({ model: name, parameters }, jobOf({ ...known, steps, warmUp }, checkpoint, threads));
  });

function compare(about: object, job: StepJob): void {
  const best = new Map<string, StepResult>();
  const absent = new Set<string>();
  for (let round = 0; round < rounds; round++)
    for (const side of sides) {
      if (absent.has(side)) continue;
      const result = run(side, job);
      if (result) best.set(side, least(best.get(side), result));
      else absent.add(side);
    }
  for (const [side, result] of best)
    print("step", {
      ...about,
      threads: job.threads,
      on: side,
      ...engine,
      ...result,
      ...shares(result, best, job.threads),
    });
}

/** CPU seconds (wall seconds with threads) relative to peers. */
function shares(result: StepResult, best: ReadonlyMap<string, StepResult>, threads: number): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(peers)) {
    const other = best.get(name);
    if (!other || other === result) continue;
    found[`of ${name}`] = share(result.cpu, other.cpu);
    if (threads > 1) found[`wall of ${name}`] = share(result.wall, other.wall);
  }
  return found;
}

function share(own: StepSeconds, other: StepSeconds): StepSeconds & { readonly step: number } {
  return {
    step: round3((own.rollout + own.update) / (other.rollout + other.update)),
    rollout: round3(own.rollout / other.rollout),
    update: round3(own.update / other.update),
  };
}

function run(side: string, job: StepJob): StepResult | null {
  const env = threadsEnvironment(job.threads);
  return resultOf(
    side,
    side in peers
      ? peer(peers[side as keyof typeof peers], job, { env })
      : runOurs("step/own-side.ts", [side], { input: job, env }),
  ) as StepResult | null;
}

/** Fastest of each part: other processes only add time. */
function least(a: StepResult | undefined, b: StepResult): StepResult {
  if (!a) return b;
  const of = (clock: "cpu" | "wall"): StepSeconds => ({
    rollout: Math.min(a[clock].rollout, b[clock].rollout),
    update: Math.min(a[clock].update, b[clock].update),
  });
  return { ...b, cpu: of("cpu"), wall: of("wall") };
}
