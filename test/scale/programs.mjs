// Stand-ins for the programs of launch recipes: `node programs.mjs NAME ARGUMENTS`. They keep to the rules of the real ones:
// steps get their node's disk, a signal reaches a step's whole process group, a trainer saves at the first TERM and ends at
// the second, another host's lock holds, and a run that this machine did not make is refused.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const [program, ...args] = process.argv.slice(2);
const { WORLD: world, STUB_HOST: host, ...environment } = process.env;
const fail = (message, code = 1) => {
  process.stderr.write(`${program}: ${message}\n`);
  process.exit(code);
};
const option = (name) => args.find((_, i) => args[i - 1] === name);
const json = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : null);
const codeOf = (child) =>
  new Promise((resolve) => child.on("exit", (code, signal) => resolve(code ?? { SIGTERM: 143 }[signal] ?? 137)));

async function become(command, words, options = {}, kill = (child, signal) => child.kill(signal)) {
  const child = spawn(command, words, { stdio: "inherit", ...options });
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => kill(child, signal));
  if (options.detached) appendFileSync(join(world, "groups"), `${child.pid}\n`);
  process.exit(await codeOf(child));
}

const ray = join(world, "ray.json");
const rayNodes = join(world, "ray-nodes");

async function startRay() {
  const { RAY_AUTH_MODE: mode, RAY_AUTH_TOKEN: token = "" } = environment;
  if (mode !== "token" || token.length < 16) fail("every node needs a token");
  const sockets = environment.STUB_SOCKETS ?? join(environment.TMPDIR, "ray");
  mkdirSync(sockets, { recursive: true });
  if (args.includes("--head")) {
    writeFileSync(join(sockets, "session"), token);
    appendFileSync(rayNodes, `${host}\n`);
    writeFileSync(`${ray}.part`, JSON.stringify({ address: `${host}:${option("--port")}`, token }));
    renameSync(`${ray}.part`, ray);
    return;
  }
  for (let wait = 0; wait < 500 && !existsSync(ray); wait++) await delay(20);
  const cluster = json(ray);
  if (cluster.address !== option("--address") || cluster.token !== token) fail("the head refuses this node");
  // Workers join at the same time.
  appendFileSync(rayNodes, `${host}\n`);
  if (args.includes("--block")) await delay(2 ** 30);
}

async function train() {
  const run = option("--run");
  const file = (name) => join(run, name);
  const [, url] = /(?:@|url=)(http:\S+)/u.exec(args.join(" "));
  const post = async (path) => {
    const reply = await fetch(`${url}${path}`, { method: "POST", headers: { "x-node": host } }).catch(() => null);
    if (reply?.status !== 200) fail(`${url}${path}: ${reply ? await reply.text() : "no answer"}`);
  };
  const made = join(environment.XDG_STATE_HOME ?? join(environment.HOME, ".local/state"), basename(run));
  const rows = () =>
    existsSync(file("metrics")) ? readFileSync(file("metrics"), "utf8").split("\n").filter(Boolean) : [];
  const resumes = args.includes("--resume");
  if (resumes && !existsSync(file("config.json"))) fail("run_missing");
  if (resumes && !existsSync(made)) fail("the folder was not made on this machine");
  if (!resumes && (rows().length > 0 || existsSync(file("LATEST")))) fail("run_exists");
  const lock = json(file("LOCK"));
  if (lock !== null && lock !== host) fail(`run_locked by ${lock}`);
  for (const folder of [join(run, "checkpoints"), made]) mkdirSync(folder, { recursive: true });
  writeFileSync(file("config.json"), "{}");
  writeFileSync(file("LOCK"), JSON.stringify(host));
  let stopping = false;
  process.on("SIGTERM", () => {
    if (stopping || rows().length === 0) process.exit(143);
    stopping = true;
  });
  const saved = json(file("LATEST")) ?? 0;
  if (saved > 0) await post(`/load?step-${saved}`);
  writeFileSync(
    file("metrics"),
    rows()
      .slice(0, saved)
      .join("\n")
      .replace(/(?<=.)$/u, "\n"),
  );
  for (let step = saved + 1; step <= 12 && !stopping; step++) {
    await delay(60);
    appendFileSync(file("metrics"), `${step}\n`);
    appendFileSync(join(world, "steps"), `${step}\n`);
    while (step === json(join(world, "pause")) && !stopping) await delay(10);
    if (step % 4 !== 0 && !stopping) continue;
    await post(`/save?step-${step}`);
    writeFileSync(file("LATEST.part"), String(step));
    renameSync(file("LATEST.part"), file("LATEST"));
  }
  rmSync(file("LOCK"));
  process.exit(stopping ? 143 : 0);
}

async function runStep() {
  const values = { "--nodelist": "", "--chdir": "", "--nodes=1": null, "--ntasks=1": null, "--overlap": null };
  while (args[0]?.startsWith("--")) {
    const name = args.shift();
    if (!(name in values)) fail(`unknown option ${name}`);
    if (values[name] !== null) values[name] = args.shift();
  }
  const node = values["--nodelist"];
  if (!environment.SLURM_JOB_NODELIST.split(",").includes(node)) fail(`${node} is not of this job`);
  const TMPDIR = join(world, "nodes", node);
  mkdirSync(TMPDIR, { recursive: true });
  const env = { ...process.env, TMPDIR, STUB_HOST: node, STUB_CORES: environment.SRUN_CPUS_PER_TASK ?? "1" };
  const [command, ...words] = args;
  await become(command, words, { env, cwd: values["--chdir"], detached: true }, ({ pid }, signal) =>
    process.kill(-pid, signal),
  );
}

const programs = {
  sleep: () => delay(10 * Number(args[0])),
  scontrol() {
    if (args[0] === "show") return process.stdout.write(args[2].replaceAll(",", "\n"));
    if (args[1] !== environment.SLURM_JOB_ID) fail("invalid job");
    writeFileSync(join(world, "requeued"), "");
  },
  srun: runStep,
  async curl() {
    const headers = { "x-node": host };
    if (
      !(await fetch(args.at(-1), { headers }).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      process.exit(7);
  },
  uv() {
    while (args[0] === "run" || args[0] === "--extra") args.splice(0, args[0] === "run" ? 1 : 2);
    if (args[0] === "ray") return startRay();
    return become("python3", [join(import.meta.dirname, "server.py"), ...args.slice(2)]);
  },
  ray: startRay,
  /** Sends a signal on that its group has had already, as npm does. */
  npx: () => become(join(environment.PROJECT_BIN, "laconic"), args.slice(1)),
  laconic: train,
};
await programs[program]();
