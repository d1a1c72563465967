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
    sourcesContent: false,
    logLevel: "error",
    external: ["esbuild", "tsx", "tiktoken"],
    // Under a name that no bundled module imports it by.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
    plugins: [absent, ...(defect ? [patching(defect)] : [])],
  });
  return outfile;
}

const noDevices = `
export const devices = [];
export const checkDeviceName = () => undefined;
export function deviceNamed() { throw new Error("no device is simulated"); }
`;

/** The table of devices, whose packages need not be installed: nothing that is simulated computes on one. */
const absent = {
  name: "absent",
  setup(context) {
    context.onResolve({ filter: /\/known-devices\.ts$/ }, ({ path }) => ({
      path,
      namespace: "absent",
    }));
    context.onLoad({ filter: /.*/, namespace: "absent" }, () => ({ contents: noDevices, loader: "js" }));
  },
};

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
