// npm run check:wheels: checks that PyTorch's wheels for Linux, macOS and Windows have each C function and operator
// that the kernels call. For MPS, it also reports how each operator is implemented. Reads symbol tables on any machine.
// Wheels are named (`-- FILE.whl ...`) or fetched by pip. Needs LLVM's llvm-nm and llvm-readobj.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { findPython, systemOf } from "@laconic/core/platform";
import { isAskedOfMps, nativeSymbols, operatorRegistry, processorOperators } from "@laconic/kernels-torch/testing";
import { aten } from "../../packages/kernels-torch/src/native/operator.ts";
import { root } from "./processes.ts";
import { readWords } from "./options.ts";

/** Wheel tags by system, and their devices. */
const platforms = [
  { node: "linux", tag: "manylinux_2_28_x86_64", devices: ["cpu", "cuda"] },
  { node: "darwin", tag: "macosx_11_0_arm64", devices: ["cpu", "mps"] },
  { node: "win32", tag: "win_amd64", devices: ["cpu", "cuda"] },
] as const;
type Platform = (typeof platforms)[number];

interface Row {
  readonly wheel: string;
  readonly device: string;
  readonly symbols: number;
  /** Any of these disables the device. */
  readonly missing: readonly string[];
  /** Each of these has a replacement. */
  readonly missingOptional: readonly string[];
  readonly operators: number;
  readonly missingOperators: readonly string[];
  /** Operators with a kernel but no exported `at::cpu::` or `at::mps::` function; empty if all is well. */
  readonly unexported: readonly string[];
}

interface MpsRow {
  readonly wheel: string;
  readonly device: "mps, by the registry";
  readonly native: readonly string[];
  /** Composed of other operators, which PyTorch looks up in turn. */
  readonly composed: readonly string[];
  /** Computed and counted on the CPU. */
  readonly fallback: readonly string[];
  readonly missing: readonly string[];
}

const run = promisify(execFile);
const options = { maxBuffer: 1 << 29 };
const total = { passed: 0, failed: 0, skipped: 0 };

const given = readWords();
const found = given.length > 0 ? given.map((file) => [platformOf(file), file] as const) : await fetchAll();
for (const [platform, wheel] of found)
  for (const row of await rowsOf(platform, wheel)) {
    console.log(JSON.stringify(row));
    const lacks = "native" in row ? row.missing : [...row.missing, ...row.missingOperators, ...row.unexported];
    total[lacks.length === 0 ? "passed" : "failed"] += 1;
  }
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 ? 0 : 1;

function platformOf(wheel: string): Platform {
  const system = platforms.find(({ tag }) => basename(wheel).includes(tag.split("_")[0] as string));
  if (!system)
    throw new Error(`${wheel}: its name contains no platform of ${platforms.map(({ tag }) => tag).join(", ")}`);
  return system;
}

async function fetchAll(): Promise<(readonly [Platform, string])[]> {
  const wheels: (readonly [Platform, string])[] = [];
  for (const platform of platforms) {
    const folder = join(root, "node_modules/.cache/wheels", platform.node);
    await mkdir(folder, { recursive: true });
    const words = [
      "download",
      "torch",
      "--no-deps",
      "--only-binary=:all:",
      "--platform",
      platform.tag,
      "--dest",
      folder,
    ];
    const failed = await run(findPython(), ["-m", "pip", ...words], options).then(
      () => null,
      (error: { stderr?: string }) => error.stderr?.trim().split("\n").at(-1) ?? "pip does not start",
    );
    const name = (await readdir(folder)).find((each) => each.endsWith(".whl"));
    if (name !== undefined) wheels.push([platform, join(folder, name)]);
    else {
      total.skipped += 1;
      console.log(`skipped: pip has no wheel of torch for ${platform.tag} (${failed})`);
    }
  }
  return wheels;
}

async function rowsOf(platform: Platform, wheel: string): Promise<(Row | MpsRow)[]> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-wheel-"));
  try {
    await run(findPython(), ["-m", "zipfile", "-e", wheel, folder], options);
    const fileOf = (name: string): string => join(folder, "torch/lib", systemOf(platform.node).library(name));
    const rows: (Row | MpsRow)[] = [];
    const { names, text } = await tableOf(fileOf("torch_cpu"));
    const wanted = operators();
    const registry = await readFile(join(folder, "torchgen/packaged/ATen/native/native_functions.yaml"), "utf8");
    for (const device of platform.devices) {
      if (device === "cuda" && !existsSync(fileOf("torch_cuda"))) continue;
      const more = device === "cuda" ? (await tableOf(fileOf("torch_cuda"))).names : new Set<string>();
      const isMissing = (name: string): boolean => !names.has(name) && !more.has(name);
      const { required, optional } = nativeSymbols(device);
      rows.push({
        wheel: basename(wheel),
        device,
        symbols: required.length + optional.length,
        missing: required.filter(isMissing),
        missingOptional: optional.filter(isMissing),
        operators: wanted.length,
        // The library stores `name.overload(arguments`, or only its end (`rsqrt(`), because linkers share suffixes.
        missingOperators: wanted.filter((name) => !text.includes(`${name}(`)),
        unexported: device === "cuda" ? [] : unexported(wanted, device, registry, names),
      });
    }
    rows.push(mpsRow(basename(wheel), wanted, registry));
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function unexported(
  wanted: readonly string[],
  device: "cpu" | "mps",
  registry: string,
  names: ReadonlySet<string>,
): string[] {
  const placeOf = operatorRegistry(registry, device.toUpperCase());
  // Itanium mangling on Linux and macOS, Microsoft's on Windows.
  const functions = [...names].flatMap((name) => {
    const [, itanium, microsoft] =
      new RegExp(`^_?ZN2at3${device}\\d+(\\w+?)E|^\\?(\\w+)@${device}@at@@`, "u").exec(name) ?? [];
    return itanium ?? microsoft ?? [];
  });
  const exported = new Set(functions);
  return wanted.filter((name) => {
    const [base, overload = ""] = name.split(".") as [string, string?];
    const own = /out$|^grad_input$/u.test(overload) ? `${base}_out` : base;
    return placeOf(name) === "native" && !exported.has(own);
  });
}

function mpsRow(wheel: string, wanted: readonly string[], registry: string): MpsRow {
  const placeOf = operatorRegistry(registry, "MPS");
  const asked = wanted.filter((name) => isAskedOfMps(`aten::${name}`));
  const lacking = asked.filter((name) => !["native", "composed"].includes(placeOf(name)));
  const isCounted = (name: string): boolean => processorOperators.has(`aten::${name}`);
  return {
    wheel,
    device: "mps, by the registry",
    native: asked.filter((name) => placeOf(name) === "native"),
    composed: asked.filter((name) => placeOf(name) === "composed"),
    fallback: lacking.filter(isCounted),
    missing: lacking.filter((name) => !isCounted(name)),
  };
}

/** Reads exported names (ELF, Mach-O or PE). */
async function tableOf(file: string): Promise<{ readonly names: ReadonlySet<string>; readonly text: Buffer }> {
  const isWindows = file.endsWith(".dll");
  const words = file.endsWith(".so") ? ["-D"] : ["--extern-only"];
  const { stdout } = isWindows
    ? await run("llvm-readobj", ["--coff-exports", file], options)
    : await run("llvm-nm", [...words, "--defined-only", "--just-symbol-name", file], options);
  const pattern = isWindows ? /^\s*Name: (\S+)$/gmu : /^_?(\S+)$/gmu;
  const names = new Set([...stdout.matchAll(pattern)].map(([, name]) => name as string));
  return { names, text: await readFile(file) };
}

/** Names of the `aten` operators that the kernels call. */
function operators(): string[] {
  const names = Object.values(aten).map(({ name }) => name.split("::"));
  return names.flatMap(([library, name]) => (library === "aten" && name !== undefined ? [name] : [])).toSorted();
}
