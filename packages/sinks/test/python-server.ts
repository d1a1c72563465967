import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { findPython } from "@laconic/core/platform";

/** A server of Python's, alone on this machine; it ends with its test. */
export interface PythonServer {
  readonly url: string;
  /** All that it has printed. */
  printed(): string;
}

/**
 * @param words - what Python runs
 * @param ready - what it prints when it listens
 * @throws with what it printed, where it ends before
 */
export async function pythonServer(
  words: (port: number) => readonly string[],
  ready: RegExp,
  environment: Readonly<Record<string, string>>,
): Promise<PythonServer> {
  const port = await freePort();
  const child = spawn(findPython(), words(port), { env: { ...process.env, ...environment }, detached: true });
  const ended = once(child, "close");
  onTestFinished(async () => {
    try {
      process.kill(-(child.pid as number), "SIGKILL"); // its workers too
    } catch {
      // It has ended.
    }
    await ended;
  });
  let printed = "";
  await new Promise<void>((go, fail) => {
    const hear = (chunk: Buffer): void => {
      printed += chunk.toString();
      if (ready.test(printed)) go();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("error", fail);
    child.on("close", (code) => fail(new Error(`it ended with ${code}: ${printed.slice(-2000)}`)));
  });
  return { url: `http://127.0.0.1:${port}`, printed: () => printed };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
