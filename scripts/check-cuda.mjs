// npm run check:cuda: replays the CUDA kernels' PyTorch calls on fake tensors on cuda:0, and runs `laconic doctor` on a CUDA
// build, without a GPU. Uses the Pythons in the arguments or LACONIC_CUDA_PYTHON, or installs PyTorch from pip's index into
// node_modules/.cache (4.5 GB). Writes docs/benchmarks/cuda-without-gpu.jsonl.
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { endChecks, tell } from "./lib/checks.mjs";
import { root } from "./lib/root.mjs";
import { expectRun, run } from "./lib/run.mjs";
import { setUp } from "./lib/setup.mjs";

await setUp();
const given = process.argv.slice(2);
const pythons = given.length > 0 ? given : [process.env.LACONIC_CUDA_PYTHON ?? (await installed())];
const report = join(root, "docs/benchmarks/cuda-without-gpu.jsonl");
const entry = join(root, "packages/kernels-torch/test/write-cuda-report.ts");
const replay = await run("tsx", [entry, report, ...pythons], { output: "show" });
tell("kernel calls replay on fake tensors", replay.code === 0 ? [] : ["the replay failed, see above"]);
for (const python of pythons) {
  const { code, text } = await run("node", [join(root, "scripts/laconic.mjs"), "doctor"], {
    env: { LACONIC_PYTHON: python },
  });
  const line = text.split("\n").find((each) => / cuda: /u.test(each)) ?? text;
  tell(`doctor with ${python}: ${line}`, code === 0 && !/crashed|exit code/u.test(text) ? [] : [text.trim()]);
}
endChecks();

/** Skips unavailable packages if Python imports torch without them. */
async function installed() {
  const folder = join(root, "node_modules/.cache/cuda");
  const python = join(folder, "bin/python");
  if (existsSync(join(folder, "complete"))) return python;
  await mkdir(folder, { recursive: true });
  await expectRun("python3", ["-m", "venv", folder]);
  const pip = ["-m", "pip", "install", "--quiet"];
  const once = { env: { PIP_RETRIES: "0" } };
  const whole = await run(python, [...pip, "torch"], once);
  if (whole.code !== 0) {
    await expectRun(python, [...pip, "--no-deps", "torch"], once);
    const { text } = await expectRun(python, [
      "-c",
      "import importlib.metadata as m; print('\\n'.join(r for r in m.requires('torch') if 'extra ==' not in r))",
    ]);
    for (const requirement of text.trim().split("\n")) await run(python, [...pip, requirement], once);
  }
  await expectRun(python, [
    "-c",
    `import torch; open(${JSON.stringify(join(folder, "complete"))}, "w").write(torch.__version__)`,
  ]);
  return python;
}
