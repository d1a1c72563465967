// Compares one GSPO step (rollout, update) with TRL's GRPOTrainer and with plain PyTorch and transformers. All sides
// use the same checkpoint, prompts, reply lengths, learning rate and OpenMP settings, in turns. Needs Python with trl:
// LACONIC_PYTHON or .venv. TensorFlow needs LACONIC_DEVICES, the folder of `laconic doctor --enable tensorflow`.
//
// npx tsx bench/src/step.ts [--sizes 0.1M,4.7M] [--threads 1,2] [--sides cpu,wasm,wasm-fma,trl,transformers] [--rounds 2] [--steps 1] [--warm-up 0]
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machine, print, round3 } from "./measure.ts";
import { lastOf, peer, python, runOurs, wasmFlags } from "./processes.ts";
import { stepSizes, type StepJob, type StepResult, type StepSeconds, type StepSize } from "./step/job.ts";
import { jobOf, saveModel } from "./step/prepare.ts";
import { readOptions } from "./options.ts";

const peers = { trl: "trl_step.py", transformers: "transformers_step.py" } as const;
const { values: given } = readOptions({
  options: {
    sizes: { type: "string", default: "0.1M,4.7M,28M,0.5B/4" },
    threads: { type: "string", default: "1,2" },
    sides: {
      type: "string",
      default: [
        "cpu",
        "wasm",
        "wasm-fma",
        ...("LACONIC_DEVICES" in process.env ? ["tensorflow"] : []),
        ...Object.keys(peers),
      ].join(),
    },
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
for (const name of given.sizes.split(",")) {
  const known = stepSizes.find((each) => each.name === name);
  if (!known) throw new Error(`unknown size ${name}; known: ${stepSizes.map((each) => each.name).join(", ")}`);
  const [steps, warmUp] = [Number(given.steps ?? known.steps), Number(given["warm-up"] ?? known.warmUp)];
  await compare({ ...known, steps, warmUp }, given.threads.split(",").map(Number));
}

async function compare(size: StepSize, threadCounts: readonly number[]): Promise<void> {
  const checkpoint = await mkdtemp(join(tmpdir(), "laconic-bench-"));
  try {
    const parameters = await saveModel(size, checkpoint);
    for (const threads of threadCounts) {
      const job = jobOf(size, checkpoint, threads);
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
          model: size.name,
          parameters,
          threads,
          on: side,
          ...engine,
          ...result,
          ...shares(result, best, threads),
        });
    }
  } finally {
    await rm(checkpoint, { recursive: true });
  }
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
  const env = {
    // Our side uses the peers' libtorch.
    ...(existsSync(python) && { LACONIC_PYTHON: python }),
    // OpenMP threads spin, which counts as CPU time.
    OMP_NUM_THREADS: String(job.threads),
    MKL_NUM_THREADS: String(job.threads),
    TF_NUM_INTRAOP_THREADS: String(job.threads),
    GOMP_SPINCOUNT: "20000",
  };
  const ran =
    side in peers
      ? peer(peers[side as keyof typeof peers], job, { env })
      : runOurs("step/own-side.ts", [side], { input: job, env });
  const result = lastOf(ran);
  if (!("failed" in result)) return result as unknown as StepResult;
  print("skipped", { side, why: result["failed"] });
  return null;
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
