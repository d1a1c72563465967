import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemOf, type System } from "./system.ts";

/** Whether a process of this machine runs. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0); // 0 sends no signal
    return true;
  } catch (error) {
    // another user's process gives EPERM
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Kills a process and its children. The process leads its group on POSIX. */
export function endProcessTree(pid: number, system: System = systemOf(process.platform)): void {
  if (system.hasGroups) return endProcess(-pid);
  const words = ["/pid", String(pid), "/T", "/F"];
  spawn("taskkill", words, { stdio: "ignore" }).on("error", () => endProcess(pid));
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {}
}

/** Python of an environment (venv or conda), or null. */
export function pythonOf(prefix: string, system: System = systemOf(process.platform)): string | null {
  return system.pythonsBelow.map((text) => join(prefix, text)).find(existsSync) ?? null;
}

/** LACONIC_PYTHON, `.venv` in this folder, or the first on the path. */
export function findPython(system: System = systemOf(process.platform)): string {
  return process.env["LACONIC_PYTHON"] || (pythonOf(join(process.cwd(), ".venv"), system) ?? system.pythons[0]!);
}

/** npm without a shell, because Node does not spawn the `.cmd` of Windows (CVE-2024-27980). */
export function npmCommand(
  system: System = systemOf(process.platform),
  { npm_execpath: npmPath }: NodeJS.ProcessEnv = process.env,
): readonly [program: string, ...args: string[]] {
  if (system.title !== "Windows") return ["npm"];
  // Windows has npm next to Node.
  const bundled = join(process.execPath, "..", "node_modules", "npm", "bin", "npm-cli.js");
  return [process.execPath, npmPath?.endsWith("npm-cli.js") ? npmPath : bundled];
}
