// npm run bundle:offline [-- FILE]: builds an archive that runs the GPU check on Linux x64 without a network: this Node,
// the packages and their dependencies. The machine needs PyTorch.
//   tar xf laconic-offline.tar.xz && laconic-offline/gpu-check --out results
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { root } from "./lib/root.mjs";
import { expectRun } from "./lib/run.mjs";
import { setUp } from "./lib/setup.mjs";

const limitMiB = 60;
const target = resolve(process.env.INIT_CWD ?? root, process.argv[2] ?? "laconic-offline.tar.xz");

if (process.platform !== "linux" || process.arch !== "x64") {
  console.error(
    `The archive is for Linux x64 and carries this machine's Node, which is for ${process.platform} ${process.arch}.`,
  );
  process.exit(1);
}
await setUp();
const folder = mkdtempSync(join(tmpdir(), "laconic-bundle-"));
try {
  const bundle = join(folder, "laconic-offline");
  await expectRun("pnpm", ["--filter", "@laconic/bench", "deploy", "--legacy", "--prod", bundle]);
  copyFileSync(process.execPath, join(bundle, "node"));
  const start = [
    "#!/bin/sh",
    'here=$(cd "$(dirname "$0")" && pwd)',
    'PATH="$here:$PATH" exec "$here/node" --import "file://$here/node_modules/tsx/dist/esm/index.mjs" "$here/src/gpu-check.ts" "$@"',
    "",
  ].join("\n");
  writeFileSync(join(bundle, "gpu-check"), start, { mode: 0o755 });
  await expectRun("tar", ["-cJf", target, "-C", folder, "laconic-offline"], { env: { XZ_OPT: "-T0 -6" } });
  const megabytes = statSync(target).size / 2 ** 20;
  console.log(`${target}: ${megabytes.toFixed(1)} MiB`);
  if (megabytes > limitMiB) {
    console.error(`The archive is larger than ${limitMiB} MiB.`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
