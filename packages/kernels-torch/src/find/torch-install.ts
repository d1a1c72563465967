import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { LaconicError } from "@laconic/core";
import { pythonOf, systemOf, type System } from "@laconic/core/platform";

/** PyTorch installation. */
export interface TorchInstall {
  /** The `torch` package, or a folder with a `lib` folder. */
  readonly folder: string;
  readonly libraries: string;
  /** `torch.__version__`, or null. */
  readonly version: string | null;
  readonly cuda: boolean;
}

/**
 * Finds PyTorch in LACONIC_TORCH, the Pythons of LACONIC_PYTHON, the active environment and the path, then the usual
 * folders.
 * @throws LaconicError `device_unavailable` with the searched folders
 */
export function findTorch(
  environment: Environment = process.env,
  system: System = systemOf(process.platform),
): TorchInstall {
  const inspect = (folder: string): TorchInstall | null => inspectLibraries(join(folder, "lib"), system);
  const configured = environment["LACONIC_TORCH"];
  if (configured !== undefined && configured !== "") {
    const install = inspect(configured) ?? inspect(join(configured, "torch")) ?? inspectLibraries(configured, system);
    if (install) return install;
    throw new LaconicError(
      "device_unavailable",
      `LACONIC_TORCH: lib/${system.library("torch_cpu")} of PyTorch for ${system.title} not found in ${configured}; set it to ` +
        "the folder of the torch package",
      { folder: configured },
    );
  }
  const searched: string[] = [];
  for (const folder of candidates(environment, system)) {
    const install = inspect(folder);
    if (install) return install;
    searched.push(folder);
  }
  throw new LaconicError(
    "device_unavailable",
    `PyTorch for ${system.title} not found by the active Python or in the usual folders; install it (pip install torch) or set ` +
      "LACONIC_TORCH to the folder of the torch package",
    { searched: searched.join(", ") },
  );
}

type Environment = Readonly<Record<string, string | undefined>>;

function* candidates(environment: Environment, system: System): Generator<string> {
  const prefixes = [environment["VIRTUAL_ENV"], environment["CONDA_PREFIX"]].filter((prefix) => prefix !== undefined);
  const pythons = [
    environment["LACONIC_PYTHON"],
    ...prefixes.map((prefix) => pythonOf(prefix, system)),
    ...system.pythons,
  ];
  for (const python of pythons) {
    const folder = python ? askPython(python) : null;
    if (folder) yield folder;
  }
  for (const root of [...prefixes, join(homedir(), ".local"), "/usr/local", "/usr", "/opt/homebrew", "/opt/conda"])
    for (const below of system.packagesBelow) yield* matching(root, `${below}/torch`);
  yield "/opt/libtorch";
}

/** Finds this Python's torch package without importing it. */
function askPython(python: string): string | null {
  const program = "import importlib.util as u; s = u.find_spec('torch'); print(s.origin if s else '')";
  try {
    const origin = execFileSync(python, ["-c", program], {
      encoding: "utf8",
      timeout: 10_000,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return origin.trim() === "" ? null : dirname(origin.trim());
  } catch {
    return null;
  }
}

function matching(root: string, form: string): string[] {
  const [above, below] = form.split("/*/");
  if (above === undefined || below === undefined) return [join(root, form)];
  const pythons = list(join(root, above)).filter((name) => name.startsWith("python3"));
  return pythons.map((python) => join(root, above, python, below));
}

function inspectLibraries(libraries: string, system: System): TorchInstall | null {
  if (!existsSync(join(libraries, system.library("torch_cpu")))) return null;
  const folder = basename(libraries) === "lib" ? dirname(libraries) : libraries;
  const cuda = existsSync(join(libraries, system.library("torch_cuda")));
  return { folder, libraries, version: readVersion(folder), cuda };
}

function readVersion(folder: string): string | null {
  for (const [file, pattern] of [
    ["version.py", /__version__ = '([^']+)'/],
    ["build-version", /^(\S+)/],
  ] as const)
    try {
      const match = pattern.exec(readFileSync(join(folder, file), "utf8"));
      if (match?.[1] !== undefined) return match[1];
    } catch {
      // Try the other file.
    }
  return null;
}

/** Names in a folder; empty if unreadable. */
export function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
