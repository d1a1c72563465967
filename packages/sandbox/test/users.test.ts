import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("open-as-user.ts", import.meta.url));
const folder = fileURLToPath(new URL("..", import.meta.url));
const me = process.getuid?.() ?? -1;
/** A Python that anybody may start, where the first on the path is somebody's own. */
const python = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";

/** What keeps a user from starting the script. */
function obstacle(user: number): string | null {
  if (process.platform !== "linux") return "bubblewrap is Linux's";
  if (user === me) return null;
  if (me !== 0) return `only root starts programs as user ${user}`;
  const tried = spawnSync(process.execPath, ["-e", "require('fs').readFileSync(process.argv[1])", script], {
    uid: user,
    gid: user,
    cwd: "/",
  });
  return tried.status === 0 ? null : `user ${user} may not read ${folder} or start Node`;
}

function opened(user: number): Promise<Record<string, unknown>> {
  const child = spawn(process.execPath, ["--import", "tsx", script, python], {
    cwd: folder,
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "inherit"],
    ...(user !== me && { uid: user, gid: user }),
  });
  let said = "";
  child.stdout?.on("data", (piece: Buffer) => (said += piece.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(JSON.parse(said) as Record<string, unknown>));
  });
}

test.for([
  ["root", 0],
  ["somebody who is not root", me > 0 ? me : 65_534],
] as const)("started by %s, bubblewrap lets nothing through", { timeout: 120_000 }, async ([, user], { skip }) => {
  const reason = obstacle(user);
  if (reason !== null) return skip(reason);
  const result = await opened(user);
  if (result["code"] === "device_unavailable") return skip(String(result["message"]));
  expect(result).toEqual({ user, status: "ok", stdout: "False False False []\n10000\n", stderr: "" });
});
