import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./root.mjs";

const noDevices = `
export const devices = [];
export const checkDeviceName = () => undefined;
export function deviceNamed() { throw new Error("no device is simulated"); }
export const deviceError = deviceNamed;
`;

/** Simulated programs use no device, and its packages may be missing. */
const absent = {
  name: "absent",
  setup(context) {
    context.onResolve({ filter: /\/known-devices\.ts$/ }, ({ path }) => ({ path, namespace: "absent" }));
    context.onLoad({ filter: /.*/, namespace: "absent" }, () => ({ contents: noDevices, loader: "js" }));
  },
};

/** Bundles the simulator. @returns {Promise<string>} path of the module */
export async function bundleSimulator() {
  const outfile = join(root, "node_modules/.cache/simulate/simulator.mjs");
  await build({
    entryPoints: [join(root, "test/simulate/main.ts")],
    absWorkingDir: root,
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "inline",
    sourcesContent: false,
    logLevel: "error",
    external: ["esbuild", "tsx", "tiktoken"],
    banner: {
      js: `import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);`,
    },
    plugins: [absent],
  });
  return outfile;
}
