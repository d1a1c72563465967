import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { root } from "./root.mjs";

const streams = {
  collect: ["ignore", "pipe", "pipe"],
  show: ["ignore", "inherit", "inherit"],
};

/**
 * Runs a command in the repository, with the workspace's own tools first on the PATH, and waits for it.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ output?: "collect" | "show", cwd?: string, env?: Record<string, string> }} [options] - `collect` returns
 *   the output, `show` prints it as it comes
 * @returns {Promise<{ code: number, text: string, seconds: number }>}
 */
export function run(command, args, { output = "collect", cwd = root, env = {} } = {}) {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...toolPath(), TURBO_TELEMETRY_DISABLED: "1", ...env },
      stdio: streams[output],
      // .cmd files of Windows need a shell.
      shell: process.platform === "win32" && command !== process.execPath,
    });
    const chunks = [];
    child.stdout?.on("data", (chunk) => chunks.push(chunk));
    child.stderr?.on("data", (chunk) => chunks.push(chunk));
    child.on("error", reject);
    child.on("close", (code, signal) =>
      resolve({
        code: code ?? 1,
        text: Buffer.concat(chunks).toString("utf8") + (signal ? `\nstopped by ${signal}\n` : ""),
        seconds: (performance.now() - start) / 1000,
      }),
    );
  });
}

/** As {@link run}. @throws Error with the output of a command that fails */
export async function expectRun(command, args, options) {
  const result = await run(command, args, options);
  if (result.code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${result.text}`);
  return result;
}

function toolPath() {
  const name = Object.keys(process.env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  return { [name]: [join(root, "node_modules", ".bin"), process.env[name]].join(delimiter) };
}
