import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("..", import.meta.url));
const me = process.getuid?.() ?? -1;

/** Python that any user may start, if the first one on the path is private. */
export const anyonesPython: string = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";

/** Root if root runs the tests, and an unprivileged user. */
export const users: readonly (readonly [who: string, id: number])[] = [
  ["root", 0],
  ["somebody who is not root", me > 0 ? me : 65_534],
];

export function obstacle(user: number, script: URL): string | null {
  if (process.platform !== "linux") return "bubblewrap is Linux's";
  if (user === me) return null;
  if (me !== 0) return `only root starts programs as user ${user}`;
  const tried = spawnSync(process.execPath, ["-e", "require('fs').readFileSync(process.argv[1])", script.pathname], {
    uid: user,
    gid: user,
    cwd: "/",
  });
  return tried.status === 0 ? null : `user ${user} may not read ${folder} or start Node`;
}

/** Simulates a descriptor that Node's parent left open, above those that Node closes for its children. */
export const leftOpen = 60;

export function printedBy<T>(user: number, script: URL, words: readonly string[]): Promise<T> {
  const child = spawn(process.execPath, ["--import", "tsx", fileURLToPath(script), ...words], {
    cwd: folder,
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "inherit", ...Array.from({ length: leftOpen - 3 }, () => "ignore" as const), "pipe"],
    ...(user !== me && { uid: user, gid: user }),
  });
  let reply = "";
  child.stdout?.on("data", (piece: Buffer) => (reply += piece.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(JSON.parse(reply) as T));
  });
}
