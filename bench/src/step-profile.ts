// Where the CPU time of our side of step.ts goes, by kind, from samples of Linux's perf: rollouts and updates apart, start and
// warm-up left out. Symbols are all it knows: the products inside attention count as products.
//
// npx tsx bench/src/step-profile.ts [--sizes 0.1M,28M] [--steps 1] [--warm-up 0]
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machine, print } from "./measure.ts";
import { stepSizes, type StepResult } from "./step/job.ts";
import { jobOf, saveModel } from "./step/prepare.ts";
import { readOptions } from "./options.ts";

const kinds = [
  "matrix products",
  "attention's small products",
  "other arithmetic and copies",
  "PyTorch's own calls and memory",
  "Node and JavaScript",
  "the system",
] as const;

/** By the object and the symbol of a sample. */
function kindOf(object: string, symbol: string): (typeof kinds)[number] {
  if (/kernel\.kallsyms|vmlinux/u.test(object)) return "the system";
  if (symbol.startsWith("JS:") || /\bnode$/u.test(object)) return "Node and JavaScript";
  if (/sgemm_pst|sgemm_batch|flash_attention/u.test(symbol)) return "attention's small products";
  // Code made at run time that V8 has not written down is oneDNN's.
  if (/mkl_blas/u.test(symbol) || (/JIT|anon|perf-\d+\.map/u.test(object) && /^\[unknown\]$/u.test(symbol)))
    return "matrix products";
  if (/perf-\d+\.map|JIT/u.test(object)) return "Node and JavaScript";
  if (/Vectorized|loop_2d|Sleef|mkl_vml|kernel_impl|_kernel|exp|memmove|memset|softmax/u.test(symbol))
    return "other arithmetic and copies";
  return "PyTorch's own calls and memory";
}

const { values: given } = readOptions({
  options: {
    sizes: { type: "string", default: "0.1M,28M" },
    /** As the size has them by default. */
    steps: { type: "string" },
    "warm-up": { type: "string" },
  },
});
print("machine", machine());
for (const name of given.sizes.split(",")) {
  const known = stepSizes.find((each) => each.name === name);
  if (!known) throw new Error(`no size ${name}`);
  const size = {
    ...known,
    steps: Number(given.steps ?? known.steps),
    warmUp: Number(given["warm-up"] ?? known.warmUp),
  };
  const folder = await mkdtemp(join(tmpdir(), "laconic-profile-"));
  try {
    const parameters = await saveModel(size, folder);
    const data = join(folder, "perf.data");
    const side = join(import.meta.dirname, "step/own-side.ts");
    const node = [process.execPath, "--perf-basic-prof", "--no-logfile-per-isolate", `--logfile=${folder}/v8.log`];
    const { status, stdout, stderr } = spawnSync(
      "perf",
      [
        "record",
        "-k",
        "CLOCK_MONOTONIC",
        "-F",
        "499",
        "-e",
        "cpu-clock",
        "-o",
        data,
        ...node,
        "--import",
        import.meta.resolve("tsx"),
        side,
        "cpu",
      ],
      {
        input: JSON.stringify(jobOf(size, folder, 1)),
        encoding: "utf8",
        maxBuffer: 1 << 26,
        env: { ...process.env, OMP_NUM_THREADS: "1", MKL_NUM_THREADS: "1", GOMP_SPINCOUNT: "20000", STEP_WINDOWS: "1" },
      },
    );
    if (status !== 0) throw new Error(`perf: ${stderr.slice(-500)}`);
    const result = JSON.parse(stdout.trim().split("\n").at(-1) as string) as StepResult;
    const script = spawnSync("perf", ["script", "-i", data, "-F", "time,ip,sym,dso"], {
      encoding: "utf8",
      maxBuffer: 1 << 29,
    });
    for (const part of ["rollout", "update"] as const) {
      const counts = new Map<string, number>();
      let samples = 0;
      for (const line of script.stdout.split("\n")) {
        const [, time, symbol, object] = /^\s*([\d.]+):\s+[0-9a-f]+ (.*) \((.*)\)$/u.exec(line) ?? [];
        if (time === undefined || symbol === undefined || object === undefined) continue;
        const at = 1e9 * Number(time);
        if (!(result.windows?.[part] ?? []).some(([start, end]) => at >= start && at <= end)) continue;
        const kind = kindOf(object, symbol);
        samples += 1;
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
      const shares = Object.fromEntries(
        kinds.map((kind) => [kind, Math.round((1000 * (counts.get(kind) ?? 0)) / samples) / 1000]),
      );
      const cpu = Math.round(1000 * result.cpu[part]) / 1000;
      print("step-profile", { model: name, parameters, part, side: result.side, cpu, samples, shares });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}
