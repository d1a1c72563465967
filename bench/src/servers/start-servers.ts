import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { laconic } from "../processes.ts";

/** A server of completions in a process of its own. */
export interface CompletionServer {
  readonly port: number;
  /** What it knows the model by. */
  readonly model: string;
  close(): Promise<void>;
}

/** Which servers there are. */
export type ServerKind = "laconic serve" | "transformers serve";

export const serverKinds: Readonly<Record<ServerKind, (folder: string, python: string) => Promise<CompletionServer>>> =
  {
    "laconic serve": (folder) =>
      started(
        process.execPath,
        (port) => [laconic, "serve", folder, "--device", "wasm", "--port", String(port), "--max-body", "16777216"],
        (output) => /serving (\S+) on http/u.exec(output)?.[1],
      ),
    "transformers serve": (folder, python) =>
      started(
        join(dirname(python), "transformers"),
        (port) => ["serve", folder, "--device", "cpu", "--host", "127.0.0.1", "--port", String(port)],
        (output) => (/Uvicorn running on/u.test(output) ? folder : undefined),
      ),
  };

async function started(
  program: string,
  argumentsAt: (port: number) => string[],
  nameIn: (output: string) => string | undefined,
): Promise<CompletionServer> {
  const port = await freePort();
  const env = { ...process.env, HF_HUB_OFFLINE: "1", OMP_NUM_THREADS: "1", PYTHONUNBUFFERED: "1" };
  const child = spawn(program, argumentsAt(port), { stdio: ["ignore", "pipe", "pipe"], env });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-20_000);
    });
  // Ten minutes: on a busy machine PyTorch alone takes two to load.
  for (let i = 0; i < 6000; i++) {
    const model = nameIn(output);
    if (model !== undefined)
      return {
        port,
        model,
        async close() {
          const gone = once(child, "exit");
          child.kill("SIGTERM");
          await Promise.race([gone, after(10_000, undefined, { ref: false }).then(() => child.kill("SIGKILL"))]);
        },
      };
    if (child.exitCode !== null) break;
    await after(100);
  }
  child.kill("SIGKILL");
  throw new Error(`${program} does not serve: ${output}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  return port;
}
