import { execFile } from "node:child_process";
import { cpus, release, totalmem, type } from "node:os";
import { promisify } from "node:util";
import type { EngineCapabilities } from "@laconic/core";
import packageJson from "../../package.json" with { type: "json" };

/** What a reader needs to repeat a run on another machine. */
export async function describeEnvironment(capabilities: EngineCapabilities): Promise<Record<string, unknown>> {
  return {
    laconic: packageJson.version,
    node: process.version,
    system: `${type()} ${release()} ${process.arch}`,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryBytes: totalmem(),
    engine: capabilities,
    revision: await gitRevision(),
  };
}

/** Null outside a git checkout. */
async function gitRevision(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("git", ["rev-parse", "HEAD"], {
      cwd: import.meta.dirname,
      timeout: 2000,
    });
    return stdout.trim();
  } catch {
    return null;
  }
}
