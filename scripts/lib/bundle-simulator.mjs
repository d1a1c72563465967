import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./root.mjs";

const cache = join(root, "node_modules/.cache/simulate");

const head = `import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);
globalThis.defects ??= { active: -1, reached: new Set() };
globalThis.hasDefect = (id) => { defects.reached.add(id); return id === defects.active; };`;

/**
 * Undisturbed runs by the packages as a commit has them.
 *
 * @param {string} commit
 * @returns {Promise<string | null>} the module's path; null where the packages are those of the commit, or there is no repository
 */
export async function bundleReference(commit) {
  const git = (...words) =>
    execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  let changed;
  try {
    changed = git("diff", "--name-only", "--diff-filter=M", commit, "--", "packages").split("\n");
  } catch {
    return null;
  }
  const sources = changed.filter((file) => file.endsWith(".ts"));
  if (sources.length === 0) return null;
  const old = new Map(sources.map((file) => [join(root, file), git("show", `${commit}:${file}`)]));
  return (await bundleSimulator("reference", old, "reference")).program;
}

/**
 * The simulator and all packages that it runs, as one module.
 *
 * @param {string} name
 * @param {Map<string, string>} [sources] - instead of those of files, by their absolute paths
 * @param {string} [entry] - what the module does, in `test/simulate`
 * @returns {Promise<{ program: string, inputs: string[] }>} its path, and the files that it is made of
 */
export async function bundleSimulator(name, sources = new Map(), entry = "main") {
  const outfile = join(cache, `${name}.mjs`);
  const { metafile } = await build({
    entryPoints: [join(root, `test/simulate/${entry}.ts`)],
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
