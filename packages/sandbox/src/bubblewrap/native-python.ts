import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { LaconicError } from "@laconic/core";
import { systemCallFilter } from "./system-call-filter.ts";

/** What bubblewrap runs. */
export interface NativePython {
  readonly bwrap: string;
  readonly executable: string;
  readonly version: string;
  readonly sha256: string;
  /** Folders that it needs to read. */
  readonly folders: readonly string[];
}

/**
 * Finds `bwrap` and a Python, and checks that namespaces are allowed here.
 * @throws LaconicError `device_unavailable` with what is missing
 */
export function nativePython(python = "python3"): NativePython {
  const missing = (reason: string): LaconicError =>
    new LaconicError("device_unavailable", `the bubblewrap sandbox needs ${reason}`, { kind: "bubblewrap" });
  if (process.platform !== "linux") throw missing("Linux");
  const bwrap = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"].find((path) => existsSync(path));
  if (bwrap === undefined) throw missing("bwrap (Debian: apt install bubblewrap)");
  const code = "import sys, platform; print(sys.executable); print(sys.base_prefix); print(platform.python_version())";
  if (systemCallFilter() === null) throw missing(`a filter of system calls, and has none for ${process.arch}`);
  const asked = spawnSync(python, ["-I", "-c", code], { encoding: "utf8", timeout: 20_000 });
  const [executable, prefix, version] = (asked.stdout ?? "").trim().split("\n");
  if (asked.status !== 0 || executable === undefined || prefix === undefined)
    throw missing(`Python: ${python} does not run`);
  const real = realpathSync(executable);
  const found: NativePython = {
    bwrap,
    executable: real,
    version: `CPython ${version} under ${spawnSync(bwrap, ["--version"], { encoding: "utf8" }).stdout.trim()}`,
    sha256: createHash("sha256").update(readFileSync(real)).digest("hex"),
    folders: [...new Set(["/usr", "/lib", "/lib64", realpathSync(prefix)])].filter((path) => existsSync(path)),
  };
  const tried = spawnSync(bwrap, [...wrapArguments(found), real, "-I", "-c", ""], {
    encoding: "utf8",
    timeout: 20_000,
  });
  if (tried.status !== 0) throw missing(`user namespaces, which this system refuses: ${(tried.stderr ?? "").trim()}`);
  return found;
}

/**
 * Everything new and empty but the runtime, which is read-only. To the kernel, whom root starts is root outside of its namespace
 * too, and owns settings and devices: so there is no `/proc`, `/sys` or `/dev`, and only `/tmp` can be written.
 */
export function wrapArguments({ folders }: NativePython): string[] {
  const read = folders.flatMap((path) => ["--ro-bind", path, path]);
  // The root is in memory too, without a limit.
  const write = ["--size", String(16 << 20), ..."--tmpfs /tmp --chdir /tmp --remount-ro /".split(" ")];
  return [...isolation.split(" "), ...read, ...write];
}

const isolation =
  "--unshare-all --unshare-user --uid 65534 --gid 65534 --die-with-parent --new-session --clearenv --cap-drop ALL --hostname sandbox";
