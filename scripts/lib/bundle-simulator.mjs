import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./root.mjs";

const cache = join(root, "node_modules/.cache/simulate");

/**
 * The simulator and all packages that it runs, as one module.
 *
 * @param {string} name
 * @param {{ file: string, from: string, to: string } | null} [defect] - put into a source on the way; `from` stands there once
 * @returns {Promise<string>} its path
 */
export async function bundleSimulator(name, defect = null) {
  const outfile = join(cache, `${name}.mjs`);
  await build({
    entryPoints: [join(root, "test/simulate/main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "inline",
    logLevel: "error",
    external: ["koffi", "esbuild", "tsx", "tiktoken", "webgpu", "@tensorflow/*"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    plugins: defect ? [patching(defect)] : [],
  });
  return outfile;
}

function patching({ file, from, to }) {
  const path = join(root, file);
  return {
    name: "defect",
    setup(context) {
      context.onLoad({ filter: /\.ts$/ }, ({ path: loaded }) => {
        if (loaded !== path) return undefined;
        const source = readFileSync(path, "utf8");
        if (source.split(from).length !== 2)
          throw new Error(`${file}: expected once, to put a defect in its place: ${from}`);
        return { contents: source.replace(from, () => to), loader: "ts" };
      });
    },
  };
}
