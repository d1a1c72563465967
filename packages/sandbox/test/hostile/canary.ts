import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Canary {
  readonly prelude: string;
  readonly hasIPv6: boolean;
  /** Marker on the command line of every process that a program could leave. */
  readonly mark: string;
  signs(output: string): Promise<string[]>;
  close(): Promise<void>;
}

/** Process outside the sandbox with the secret in its environment; reports signals. */
async function startNeighbour(secret: string, onSignal: () => void): Promise<ChildProcess> {
  const code = "process.on('SIGUSR2', () => console.log('signal')); process.stdin.resume(); console.log('ready');";
  const env = { ...process.env, LACONIC_CANARY: secret };
  const child = spawn(process.execPath, ["-e", code], { env, stdio: ["pipe", "pipe", "inherit"] });
  child.stdout.on("data", (piece: Buffer) => piece.includes("signal") && onSignal());
  await once(child.stdout, "data");
  return child;
}

/** Only Linux has Unix sockets without a file. */
const isLinux = process.platform === "linux";

/**
 * Puts a random secret into a world-writable file and the environments of this and a neighbour process. Listens on TCP
 * (both loopback addresses), UDP, and Unix sockets with and without a name, open to any user.
 */
export async function openCanary(): Promise<Canary> {
  const id = randomUUID();
  const [mark, secret] = [`laconic-canary-${id}`, `laconic-canary-secret-${randomUUID()}`];
  const parent = await mkdtemp(join(tmpdir(), "laconic-canary-"));
  await chmod(parent, 0o755);
  const folder = join(parent, "folder");
  const paths = { secret: join(folder, "secret"), socket: join(parent, "socket"), abstract: `${mark}-socket` };
  const heard: string[] = [];
  const greeter = (name: string): Server =>
    createServer((client) => {
      heard.push(`connected to ${name}`);
      client.on("error", () => undefined).end(secret);
    });
  const listeners = [greeter("IPv4"), greeter("IPv6"), greeter("a socket with a name"), greeter("an abstract socket")];
  const [four, six, named, abstract] = listeners as [Server, Server, Server, Server];
  const datagrams = createSocket("udp4").on("message", () => heard.push("a datagram"));
  await Promise.all([once(four.listen(0, "127.0.0.1"), "listening"), once(named.listen(paths.socket), "listening")]);
  await chmod(paths.socket, 0o777);
  const { port } = four.address() as AddressInfo;
  await Promise.all([
    once(six.listen(port, "::1"), "listening").catch(() => undefined), // IPv6 may be missing
    ...(isLinux ? [once(abstract.listen(`\0${paths.abstract}`), "listening")] : []),
    once(datagrams.bind(0, "127.0.0.1"), "listening"),
  ]);
  const neighbour = await startNeighbour(secret, () => heard.push("signalled another process"));
  process.env["LACONIC_CANARY"] = secret;
  let before = await lay();

  async function lay(): Promise<string> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    await chmod(folder, 0o777);
    await writeFile(join(folder, "canary_module.py"), `print("${secret}")\n`);
    await symlink(paths.secret, join(folder, "link"));
    await writeFile(paths.secret, secret);
    await chmod(paths.secret, 0o666);
    await utimes(paths.secret, new Date(0), new Date());
    return state();
  }

  async function state(): Promise<string> {
    const file = await stat(paths.secret).catch(() => null);
    const { mode, mtimeMs } = await stat(folder);
    const names = await readdir(folder);
    return JSON.stringify([
      file && [file.size, file.mode, file.nlink, file.uid, file.atimeMs, file.mtimeMs, file.ctimeMs],
      [names.toSorted(), mode, mtimeMs],
    ]);
  }

  return {
    mark,
    hasIPv6: six.listening,
    prelude: [
      "import os, sys",
      `FOLDER, SECRET, SOCKET = ${[folder, paths.secret, paths.socket].map((path) => JSON.stringify(path)).join(", ")}`,
      `PORT, UDP, NEIGHBOUR = ${port}, ${datagrams.address().port}, ${neighbour.pid}`,
      `ABSTRACT, MARK = ${JSON.stringify(paths.abstract)}, ${JSON.stringify(mark)}`,
      'def reached(*what): print("reached", *what, flush=True)',
      "",
    ].join("\n"),
    async signs(output) {
      const now = await state();
      const matches = [
        ...(output.includes(secret) ? ["printed the secret"] : []),
        ...[...output.matchAll(/^reached .*/gmu)].map(([line]) => line),
        ...(now === before ? [] : [`touched the file: ${before} became ${now}`]),
        ...new Set(heard.splice(0)),
        ...(await leftRunning(mark)).map((line) => `left running: ${line}`),
      ];
      if (matches.length > 0) before = await lay();
      return matches;
    },
    async close() {
      delete process.env["LACONIC_CANARY"];
      for (const listener of listeners) if (listener.listening) listener.close();
      datagrams.close();
      neighbour.kill("SIGKILL");
      await rm(parent, { recursive: true, force: true });
    },
  };
}

/** Command lines of processes with the marker; ended processes get a second to disappear. Linux only. */
async function leftRunning(mark: string): Promise<string[]> {
  if (!isLinux) return [];
  for (const until = performance.now() + 1000; ;) {
    const names = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name));
    const lines = await Promise.all(names.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
    const left = lines.filter((line) => line.includes(mark)).map((line) => line.replaceAll("\0", " ").slice(-200));
    if (left.length === 0 || performance.now() > until) return left;
    await new Promise((done) => setTimeout(done, 20));
  }
}
