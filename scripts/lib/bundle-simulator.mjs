import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./root.mjs";

const cache = join(root, "node_modules/.cache/simulate");

const head = `import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);
globalThis.defects = { active: -1, reached: new Set() };
globalThis.hasDefect = (id) => { defects.reached.add(id); return id === defects.active; };`;

/**
 * The simulator and all packages that it runs, as one module.
 *
 * @param {string} name
 * @param {Map<string, string>} [sources] - instead of those of files, by their absolute paths
 * @returns {Promise<{ program: string, inputs: string[] }>} its path, and the files that it is made of
 */
export async function bundleSimulator(name, sources = new Map()) {
  const outfile = join(cache, `${name}.mjs`);
  const { metafile } = await build({
    entryPoints: [join(root, "test/simulate/main.ts")],
    absWorkingDir: root,
    outfile,
    bundle: true,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "inline",
    sourcesContent: false,
    logLevel: "error",
    external: ["esbuild", "tsx", "tiktoken"],
    banner: { js: head },
    plugins: [absent, replacing(sources)],
  });
  return { program: outfile, inputs: Object.keys(metafile.inputs).filter((file) => file.endsWith(".ts")) };
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

function replacing(sources) {
  return {
    name: "sources",
    setup(context) {
      context.onLoad({ filter: /\.ts$/ }, ({ path }) =>
        sources.has(path) ? { contents: sources.get(path), loader: "ts" } : undefined,
      );
    },
  };
}
